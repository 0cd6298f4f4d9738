import type { Chain, ChainParameters } from '../../devnet/chain/chain.ts'
import { createForkedBase } from '../../devnet/chain/forkedBase.ts'
import type { Clocks } from '../../devnet/clock/clocks.ts'
import { openChain } from '../../devnet/clock/openChain.ts'
import { Engine } from '../../devnet/engine/engine.ts'
import { takeTurn } from '../../devnet/engine/scheduler.ts'
import { type LoadedChain, loadChain, resumeLoaded } from '../../devnet/node/loadChain.ts'
import { type Options, type OptionsInput, resolveOptions } from '../../devnet/options/options.ts'
import { fromHex, type Hex } from '../../devnet/primitives/hex.ts'
import { ForkSchedule } from '../../devnet/protocol/forkSchedule.ts'
import { Codes } from '../../devnet/state/codes.ts'
import { addressKey } from '../../devnet/state/keys.ts'
import { RemoteLayer } from '../../devnet/state/remote/remoteLayer.ts'
import type { Keccak256 } from '../../devnet/state/types.ts'
import type { DevAccount } from '../../devnet/types.ts'
import type { Upstream } from '../../devnet/upstream/types.ts'
import type { MemorySource } from './memorySource.ts'

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

const COINBASE = fromHex('0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e')

/**
 * Lets the work end that faked timers have begun. A tick waits a turn of the event loop if another
 * chain of this process has one, and takes slices of it: `setImmediate` is not faked.
 */
export async function untilWorked({ chain }: Pick<TestChain, 'chain'>): Promise<void> {
  await new Promise<void>((resolve) => takeTurn(resolve))
  await chain.write(() => undefined)
}

/** A chain in this process whose clocks stand still, unless `options` say otherwise; nothing listens. */
export async function createTestChain(
  input: OptionsInput = {},
  parameters: Partial<ChainParameters> = {},
): Promise<TestChain> {
  const options = resolveOptions({ frozenTicks: true, timestamp: START, ...input })
  return assemble(await loadChain(options, new AbortController().signal), options, parameters)
}

/** A chain in this process that stands on the newest block of another one. */
export async function forkTestChain(
  upstream: TestChain,
  source: MemorySource,
  input: OptionsInput = {},
  parameters: Partial<ChainParameters> = {},
): Promise<TestChain & { readonly remote: RemoteLayer }> {
  const { accounts, chain } = upstream
  const { chainId, schedule } = upstream.engine
  const options = resolveOptions({ ...upstream.options, ...input })
  const codes = (keccak256: Keccak256) => new Codes(keccak256)
  const engine = await Engine.create({ chainId, schedule, engine: options.engine, codes })
  const remote = new RemoteLayer(source, engine.codes)
  const { hashBytes: hash, header, number } = chain.head
  const origin = { chainId, number, hash, header, remote }
  const base = await createForkedBase(origin, engine, { accounts: [addressKey(COINBASE)] })
  const time = Number(header.timestamp)
  return { ...(await assemble({ engine, base, accounts, time }, options, parameters)), remote }
}

/** A chain in this process that stands on the fork block of an upstream. */
export async function forkUpstream(
  upstream: Upstream,
  input: OptionsInput = {},
): Promise<TestChain & { readonly remote: RemoteLayer }> {
  const chainId = Number(upstream.chainId)
  const { number, hash, header } = upstream.block
  const time = Number(header.timestamp)
  const options = resolveOptions({ frozenTicks: true, timestamp: time, chainId, ...input })
  const codes = (keccak256: Keccak256) => new Codes(keccak256)
  const schedule = ForkSchedule.constant(upstream.hardfork)
  const engine = await Engine.create({ chainId, schedule, engine: options.engine, codes })
  const remote = new RemoteLayer(upstream.source, engine.codes)
  remote.learn(upstream.initial.keys, upstream.initial.values)
  const block = { number: Number(number), hash: fromHex(hash), header }
  const base = await createForkedBase({ chainId, ...block, remote }, engine)
  const accounts: readonly DevAccount[] = []
  return { ...(await assemble({ engine, base, accounts, time }, options, {})), remote }
}

async function assemble(
  loaded: LoadedChain,
  options: Options,
  parameters: Partial<ChainParameters>,
): Promise<TestChain> {
  const { engine, accounts } = loaded
  const { chain, clocks } = openChain(
    loaded,
    options,
    (error) => {
      throw error
    },
    parameters,
  )
  await resumeLoaded(loaded, chain, clocks, new AbortController().signal)
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
