/** Maximum ms to wait for the chain and the artifacts. */
export const TIMEOUT = 1000

/** Rejects once `signal` aborts: the node may not notice at once. */
export function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

/** `undefined` if `until` aborts first. */
export async function unlessAborted<Value>(
  task: Promise<Value>,
  until: AbortSignal,
): Promise<Value | undefined> {
  try {
    return await Promise.race([task, aborted(until)])
  } catch (error) {
    if (until.aborted) return undefined
    throw error
  }
}
