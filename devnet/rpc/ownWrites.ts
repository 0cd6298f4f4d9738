import { addressKeyFromHex } from '../state/keys.ts'
import type { RpcContext } from './context.ts'
import type { Caller, RpcMethod } from './method.ts'
import { waitForTick } from './queries/findAfterTick.ts'
import { sentBefore } from './sending/send.ts'

/**
 * What a request waits for, so that it finds the transactions sent before it: with the option
 * `readOwnWrites` for a tick by command, otherwise at most for the next tick of the clock, if its
 * sender has a transaction that waits for that.
 *
 * @param values - the parameters, as the method's schema has read them
 * @returns `undefined` if the request reads the present view
 */
export function untilOwnWrites<Params extends readonly unknown[]>(
  method: RpcMethod<Params>,
  context: RpcContext,
  values: Params,
  caller: Caller,
): Promise<void> | undefined {
  // Checked first: most requests end here, at the cost of one comparison.
  if (method.readsPending === undefined && method.params?.namesPending(values) !== true) {
    return undefined
  }
  const { chain, clocks, options } = context
  if (options.readOwnWrites) {
    const sent = sentBefore(chain)
    if (sent === undefined && !clocks.canTake) return undefined
    if (method.readsPending?.(context, values) === false) return undefined
    // A listener runs within the change that it hears of, so it cannot wait for the next one.
    if (chain.notifying) return undefined
    return takeOwnWrites(context, sent, caller)
  }
  if (method.sender === undefined || chain.mempool.size === 0) return undefined
  if (!clocks.ticks.running || options.revealMempool) return undefined
  if (method.readsPending?.(context, values) === false) return undefined
  const sender = method.sender(context, values)
  if (sender === undefined) return undefined
  const key = addressKeyFromHex(sender)
  const last = chain.mempool.at(key, chain.mempool.nextNonce(key) - 1n)
  if (last === undefined) return undefined
  return waitForTick(context, caller, last.hash, clocks.ticks.interval)
}

/** Ticks until what was sent is pre-confirmed or cannot run, or until `syncTimeout` has passed. */
function takeOwnWrites(
  { clocks, options }: Pick<RpcContext, 'clocks' | 'options'>,
  sent: Promise<void> | undefined,
  { signal }: Caller,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController()
    const end = () => {
      ended.abort()
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const fail = (error: unknown) => {
      reject(error)
      end()
    }
    const timer = setTimeout(end, options.syncTimeout)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const take = () => clocks.takeWaiting(ended.signal)
    const taken = sent === undefined ? take() : sent.then(take)
    taken.then(end, fail)
  })
}
