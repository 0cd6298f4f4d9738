import { Chain, type ChainParameters } from '../../devnet/chain/chain.ts'
import { Clocks } from '../../devnet/clock/clocks.ts'
import type { Engine } from '../../devnet/engine/engine.ts'
import { goOn, loadChain } from '../../devnet/loadChain.ts'
import { type Options, type OptionsInput, resolveOptions } from '../../devnet/options/options.ts'
import { fromHex, type Hex } from '../../devnet/primitives/hex.ts'
import type { DevAccount } from '../../devnet/types.ts'

/** The virtual time at which test chains start, in s. */
export const START = 1_800_000_000

export interface TestChain {
  readonly engine: Engine
  readonly chain: Chain
  readonly clocks: Clocks
  readonly options: Options
  readonly accounts: readonly DevAccount[]
  /** Accepts a signed transaction. */
  send(raw: Hex): Promise<Hex>
}

/** A chain in this process whose clocks stand still, unless `options` say otherwise; nothing listens. */
export async function createTestChain(
  input: OptionsInput = {},
  parameters: Partial<ChainParameters> = {},
): Promise<TestChain> {
  const options = resolveOptions({ frozenTicks: true, timestamp: START, ...input })
  const loaded = await loadChain(options, new AbortController().signal)
  const { engine, base, accounts, time } = loaded
  const clocks = new Clocks({ ...options, start: time * 1000 }, (error) => {
    throw error
  })
  const chain = new Chain(engine, clocks, {
    base,
    coinbase: fromHex('0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'),
    order: options.order,
    mempoolSize: options.mempoolSize,
    easyReplacement: options.anvil,
    keepBlocks: options.keepBlocks,
    onInternalError: (error) => {
      throw error
    },
    ...parameters,
  })
  await goOn(loaded, chain, clocks)
  clocks.start(chain)
  return {
    engine,
    chain,
    clocks,
    options,
    accounts,
    send: async (raw) => (await chain.submit(fromHex(raw))).hash,
  }
}
