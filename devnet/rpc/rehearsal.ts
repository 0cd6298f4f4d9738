import { setImmediate } from 'node:timers/promises'
import { createChainBase } from '../chain/chainBase.ts'
import { openChain } from '../clock/openChain.ts'
import { Engine } from '../engine/engine.ts'
import { profileOf } from '../options/profileTable.ts'
import type { Hex } from '../primitives/hex.ts'
import { ProviderError } from '../primitives/providerError.ts'
import { Codes } from '../state/codes.ts'
import type { Keccak256 } from '../state/types.ts'
import type { DevAccount } from '../types.ts'
import type { RpcContext } from './context.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { HeavyCalls } from './heavy/heavyCalls.ts'
import { methodTable } from './methodTable.ts'

/** The first requests of clients, by their libraries and tests. */
const FIRST_METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_sendRawTransaction',
  'eth_sendTransaction',
  'eth_simulateV1',
]

const PLAYER: DevAccount = {
  address: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1',
  privateKey: `0x${'01'.repeat(32)}`,
}

const RECIPIENT: Hex = `0x${'99'.repeat(20)}`

const ETHER = 10n ** 18n

/** Init code that reads a slot, hashes 32 bytes of memory, calls address 4 and returns 32 bytes. */
const PROGRAM = '0x600154600052602060002060206000602060006000600462ffffff5af150601f60206000f3'

/** True if a node of this process has played: the code is warm for all of them. */
let hasPlayed = false

/**
 * Loads the EVM and the usual methods ahead of use. The first node of a process also goes through
 * the life of two transactions, because code that runs for the first time takes several ms. They
 * live on a chain of their own: nobody notices, and the upstream of a forked chain is asked for
 * nothing. If a request was quicker, nothing is left to do.
 *
 * @param signal - ends it when aborted
 * @throws {Error} if something does not load
 */
export async function rehearse(
  context: RpcContext,
  dispatch: Pick<Dispatch, 'load'>,
  signal: AbortSignal,
): Promise<void> {
  const { chain } = context
  const { rules, timestamp } = chain.pending.environment
  const isQuicker = chain.engine.loaded(rules) !== undefined
  await chain.warmUp()
  if (isQuicker || signal.aborted) return
  await dispatch.load(FIRST_METHODS)
  // If block 0 has other rules, the rehearsal would have to load a second engine.
  if (hasPlayed || signal.aborted || chain.engine.schedule.at(0n, timestamp) !== rules) return
  hasPlayed = true
  const stage = await openStage(context)
  try {
    await play(stage, signal)
  } catch (error) {
    // The node is stopping, or its options leave no room, such as a low limit for the gas of calls.
    if (!signal.aborted && !(error instanceof ProviderError)) throw error
  } finally {
    await stage.chain.close()
  }
}

/**
 * A chain with the node's rules and options, whose clocks stand still. Its engine is its own: the
 * chain id of that one follows the chain's.
 */
async function openStage(context: RpcContext): Promise<RpcContext> {
  const { chain, options } = context
  const { onInternalError } = chain
  const { chainId, crypto, schedule, choice } = chain.engine
  const codes = (keccak256: Keccak256) => new Codes(keccak256)
  const engine = await Engine.create({ chainId, schedule, engine: choice, crypto, codes })
  const { timestamp, gasLimit, baseFeePerGas, coinbase } = chain.pending.environment
  const genesis = {
    timestamp: Number(timestamp),
    gasLimit,
    baseFee: baseFeePerGas,
    accounts: [PLAYER.address],
    balance: 1_000_000n * ETHER,
  }
  const own = { ...options, profile: 'plain', instant: false, readOwnWrites: false } as const
  const { chain: stage, clocks } = openChain(
    { engine, base: createChainBase(genesis, engine), time: genesis.timestamp },
    { ...own, frozenTicks: true, timestamp: undefined, keepBlocks: 0 },
    onInternalError,
    { coinbase },
  )
  clocks.start(stage)
  return {
    ...context,
    // The node's own profile could send requests to the upstream.
    profile: profileOf(own.profile),
    chain: stage,
    clocks,
    heavy: new HeavyCalls(engine, { workers: 0, onInternalError }),
    options: own,
    accounts: new Map([[PLAYER.address, PLAYER]]),
    lag: undefined,
    observer: { printed: () => undefined, setLogging: () => undefined },
  }
}

/** Creates a contract and transfers wei, and reads what a client reads before and after. */
async function play(stage: RpcContext, signal: AbortSignal): Promise<void> {
  const dispatch = createDispatch({ context: stage, methods: methodTable, maxBatch: 1 })
  const caller = { signal, origin: undefined, subscribe: () => undefined }
  // Requests of clients go first.
  const pause = () => setImmediate(undefined, { signal })
  const ask = async (method: string, ...params: readonly unknown[]) => {
    await pause()
    return await dispatch.request({ method, params }, caller)
  }
  const from = PLAYER.address
  await ask('eth_call', { data: PROGRAM }, 'latest')
  await ask('eth_estimateGas', { from, data: PROGRAM })
  await ask('eth_simulateV1', { blockStateCalls: [{ calls: [{ from, data: PROGRAM }] }] })
  await ask('eth_sendTransaction', { from, data: PROGRAM })
  const raw = await ask('eth_signTransaction', { from, to: RECIPIENT, gas: '0x5208', nonce: '0x1' })
  const hash = await ask('eth_sendRawTransaction', raw)
  await pause()
  await stage.clocks.advanceTicks(1)
  await ask('eth_getTransactionCount', from, 'pending')
  await ask('eth_getBalance', from, 'pending')
  await pause()
  await stage.clocks.seal()
  await ask('eth_getTransactionReceipt', hash)
  await ask('eth_getBlockByNumber', 'latest', false)
}
