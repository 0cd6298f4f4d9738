import { afterwards } from '../primitives/afterwards.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { RpcContext } from './context.ts'
import type { Caller, RpcMethod } from './method.ts'
import { afterSubmissions, waitForTick } from './queries/findAfterTick.ts'

/** A request whose parameters have been read. */
export interface Request<Params extends readonly unknown[]> {
  readonly method: RpcMethod<Params>
  readonly context: RpcContext
  readonly params: Params
  readonly caller: Caller
}

/**
 * Handles a request so that it finds the transactions sent before it: with the option
 * `readOwnWrites` after a tick by command, otherwise after the next tick of the clock if
 * transactions of its own sender wait for that. While transactions wait for a block, as on
 * Hardhat's network without automine, `pending` is the block that would be sealed now.
 */
export function handleAfterWrites<Params extends readonly unknown[]>(
  request: Request<Params>,
): unknown {
  const { method, context, params } = request
  const { chain, clocks } = context
  // Checked first: most requests end here, at the cost of two comparisons.
  if (method.reads === undefined && method.params?.namesPending(params) !== true) {
    if (method.browser !== false) return handle(request)
    // A command comes after what was sent, even if its gas is still estimated.
    return afterSubmissions(chain, () => handle(request))
  }
  // A listener runs within the change that it hears of, so it cannot wait for the next one.
  const refreshed = chain.notifying ? undefined : clocks.refresh()
  return afterwards(refreshed, () => handleOnPresent(request))
}

/** As {@link handleAfterWrites}, for a read of a pending block that is up to date. */
function handleOnPresent<Params extends readonly unknown[]>(request: Request<Params>): unknown {
  const { method, context, params, caller } = request
  const { chain, clocks, options } = context
  if (!clocks.collecting && !options.readOwnWrites) {
    return afterwards(untilSendersTick(request), () => handle(request))
  }
  const sent = chain.sent()
  const isBehind = clocks.collecting ? chain.mempool.runnableCount > 0 : clocks.canTake
  if (sent === undefined && !isBehind) return handle(request)
  const reads = method.reads === undefined ? 'pending block' : method.reads(context, params)
  if (reads === undefined || chain.notifying) return handle(request)
  if (!clocks.collecting) {
    return takeOwnWrites(context, sent, caller).then(() => handle(request))
  }
  return reads === 'pending block' ? handleOnPreview(request, sent) : handle(request)
}

function handle<Params extends readonly unknown[]>({
  method,
  context,
  params,
  caller,
}: Request<Params>): unknown {
  return method.handle(context, params, caller)
}

/**
 * Waits for the tick that takes the last waiting transaction of the request's sender, at most for
 * one tick interval; `undefined` if there is none.
 */
function untilSendersTick<Params extends readonly unknown[]>({
  method,
  context,
  params,
  caller,
}: Request<Params>): Promise<void> | undefined {
  const { chain, clocks, options, sight } = context
  const { mempool } = chain
  if (method.sender === undefined || mempool.runnableCount === 0) return undefined
  if (!clocks.ticks.running || options.revealMempool || sight !== undefined) return undefined
  if (method.reads !== undefined && method.reads(context, params) === undefined) return undefined
  const sender = method.sender(context, params)
  if (sender === undefined) return undefined
  const key = addressKeyFromHex(sender)
  const last = mempool.at(key, mempool.nextNonce(key) - 1n)
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

async function handleOnPreview<Params extends readonly unknown[]>(
  request: Request<Params>,
  sent: Promise<void> | undefined,
): Promise<unknown> {
  await sent
  const preview = await request.context.clocks.preview()
  try {
    return await handle({ ...request, context: { ...request.context, preview } })
  } finally {
    preview.state.release()
  }
}
