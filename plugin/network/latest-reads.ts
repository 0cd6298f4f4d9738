import type { Devnet } from '../../devnet/index.ts'
import { isObject, tell } from '../../devnet/pluginApi.ts'
import { STATE_METHODS } from './preconfirmed-as-latest.ts'

/** Methods with which tests look for what they have just sent. */
const READS: ReadonlySet<string> = new Set([...STATE_METHODS, 'eth_getLogs'])

const HINT =
  'hardhat-pending-node: a test read `latest` while the pending block held transactions, and `latest` lags until the seal. If that is why it failed, read `pending`, seal first, or use the network `instant`: see "My suite fails on `pending`" in plugin/TROUBLESHOOTING.md.'

/**
 * The notes of this process. vitest may load this file for its set-up, and Hardhat once more with
 * the configuration.
 */
const KEY = Symbol.for('hardhat-pending-node.latestReads')
const shared: typeof globalThis & { [KEY]?: { isNoted: boolean; isSaid: boolean } } = globalThis
shared[KEY] ??= { isNoted: false, isSaid: false }
const state = shared[KEY]

/**
 * Notes a request that names `latest` although transactions are pre-confirmed. If the process then
 * fails, as one that runs tests does, its last line says what such a read misses; once a process.
 */
export function noteLatestRead(
  { method, params }: { readonly method: string; readonly params?: unknown },
  { clock, options }: Pick<Devnet, 'clock' | 'options'>,
): Promise<void> | undefined {
  if (state.isNoted || options.instant || !READS.has(method) || !namesLatest(params)) return
  // Logs stay sealed then.
  if (options.latest === 'ticks' && method !== 'eth_getLogs') return
  return noteIfPending(clock)
}

async function noteIfPending(clock: Devnet['clock']): Promise<void> {
  const { pending } = await clock.status()
  if (pending.transactions.length === 0 || state.isNoted) return
  state.isNoted = true
  process.once('exit', (code) => {
    if (code !== 0) sayAfterFailure()
  })
}

/** For runners whose workers end well although tests have failed. */
export function sayAfterFailure(): void {
  if (!state.isNoted || state.isSaid) return
  state.isSaid = true
  tell(HINT)
}

function namesLatest(params: unknown): boolean {
  if (!Array.isArray(params)) return false
  return params.some((one) => one === 'latest' || (isObject(one) && one.toBlock === 'latest'))
}
