import type { Devnet } from '../../devnet/index.ts'
import { isObject, quantity, tell } from '../../devnet/pluginApi.ts'
import { STATE_METHODS } from './preconfirmed-as-latest.ts'

/** Methods with which tests look for what they have just sent. */
const READS: ReadonlySet<string> = new Set([
  ...STATE_METHODS,
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getLogs',
])

const HINT =
  'hardhat-pending-node: a test read `latest` while the pending block held transactions, and `latest` lags until the seal. If that is why it failed, read `pending`, `await networkHelpers.mine()` first, or use the network `instant`: see "My suite fails on `pending`" in plugin/TROUBLESHOOTING.md.'

/**
 * The notes of this process. vitest may load this file for its set-up, and Hardhat once more with
 * the configuration.
 */
const KEY = Symbol.for('hardhat-pending-node.latestReads')
const shared: typeof globalThis & { [KEY]?: { noted?: string; isSaid: boolean } } = globalThis
shared[KEY] ??= { isSaid: false }
const state = shared[KEY]

/**
 * Notes a request that misses what is pre-confirmed: it names `latest` or the number of that block,
 * or asks for the number, or for the pending block by its own. If the process then fails, as one
 * that runs tests does, its last line says so; once a process.
 */
export function noteLatestRead(
  { method, params }: { readonly method: string; readonly params?: unknown },
  { clock, options }: Pick<Devnet, 'clock' | 'options'>,
): Promise<void> | undefined {
  if (state.noted !== undefined || options.instant || !READS.has(method)) return undefined
  const list: readonly unknown[] = Array.isArray(params) ? params : []
  // Logs and blocks stay sealed then.
  const isTicks = options.latest === 'ticks' && STATE_METHODS.has(method)
  return isTicks || names('pending', list) ? undefined : noteIfMissed(method, list, clock)
}

async function noteIfMissed(method: string, params: readonly unknown[], clock: Devnet['clock']) {
  const { latest, pending } = await clock.status()
  if (pending.transactions.length === 0 || state.noted !== undefined) return
  const { number } = STATE_METHODS.has(method) ? latest : pending
  const isNamed = names('latest', params) || params.includes(quantity(number))
  if (!isNamed && method !== 'eth_blockNumber') return
  state.noted = method
  process.once('exit', (code) => {
    if (code !== 0) sayAfterFailure()
  })
}

/** For runners whose workers end well although tests have failed. */
export function sayAfterFailure(): void {
  if (state.noted === undefined || state.isSaid) return
  state.isSaid = true
  tell(`${HINT} The request was ${state.noted}.`)
}

function names(tag: string, params: readonly unknown[]): boolean {
  return params.some((one) => one === tag || (isObject(one) && one.toBlock === tag))
}
