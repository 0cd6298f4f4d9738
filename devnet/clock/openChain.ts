import { Chain, type ChainParameters } from '../chain/chain.ts'
import type { ChainBase } from '../chain/chainBase.ts'
import type { Engine } from '../engine/engine.ts'
import type { Options } from '../options/options.ts'
import { profileOf } from '../options/profileTable.ts'
import { HeldBytes } from '../primitives/heldBytes.ts'
import { fromHex } from '../primitives/hex.ts'
import { Clocks } from './clocks.ts'

interface ChainStart {
  readonly engine: Engine
  readonly base: ChainBase
  /** Virtual time at which the clocks start, in s since the epoch. */
  readonly time: number
}

/** A chain as the options describe it, with its clocks, which do not run yet. */
export function openChain(
  { engine, base, time }: ChainStart,
  options: Options,
  onInternalError: (error: unknown) => void,
  others: Partial<ChainParameters> = {},
): { readonly chain: Chain; readonly clocks: Clocks } {
  const timestamp = base.origin === undefined ? options.timestamp : time
  const clocks = new Clocks({ ...options, timestamp, start: time * 1000 }, onInternalError)
  const chain = new Chain(engine, clocks, {
    ...options,
    base,
    coinbase: fromHex(options.coinbase),
    held: HeldBytes.ofNode(options.maxHeldSize),
    easyReplacement: options.anvil,
    pendingHash: profileOf(options.profile).pendingHash,
    onInternalError,
    ...others,
  })
  return { chain, clocks }
}
