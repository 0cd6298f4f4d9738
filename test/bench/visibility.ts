import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpConnection } from './httpConnection.ts'
import { sendAll } from './load.ts'
import { batchBytes, call, requestBytes } from './rpc.ts'
import type { Sender } from './signing.ts'
import type { Signed } from './traffic.ts'

/** ms between two looks: more often, the looks would take the time of the node that executes. */
const LOOK_INTERVAL = 2

/** ms after which transactions that are still not visible are an error. */
const PATIENCE = 60_000

/** Transactions as requests of one each, in their order. */
export function singles(transactions: readonly Signed[]): readonly Buffer[] {
  return transactions.map(({ raw }) =>
    requestBytes({ method: 'eth_sendRawTransaction', params: [raw] }),
  )
}

/** Transactions as batches of `size`, each from one sender, so that batches on their way at once do not depend on each other. */
export function batches(transactions: readonly Signed[], size: number): readonly Buffer[] {
  const bySender = new Map<Sender, Signed[]>()
  for (const signed of transactions) {
    const list = bySender.get(signed.sender)
    if (list === undefined) bySender.set(signed.sender, [signed])
    else list.push(signed)
  }
  const result: Buffer[] = []
  for (const list of bySender.values()) {
    for (let from = 0; from < list.length; from += size) {
      const calls = list
        .slice(from, from + size)
        .map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] }))
      result.push(batchBytes(calls))
    }
  }
  return result
}

/**
 * Waits until eth_getTransactionCount at "pending" counts all of every sender's transactions.
 *
 * @returns the `performance.now()` of the last look that had to wait, or else of the first look: looks that only confirm
 * are not counted, because each costs hardhat node a rebuild of its pending block
 * @throws {Error} when it takes longer than a minute
 */
export async function untilVisible(
  connection: HttpConnection,
  nonces: ReadonlyMap<Sender, number>,
): Promise<number> {
  const end = performance.now() + PATIENCE
  let visible: number | undefined
  // The last sender sends last, so it is the likeliest to be late.
  for (const [{ address }, nonce] of [...nonces].reverse()) {
    const request = { method: 'eth_getTransactionCount', params: [address, 'pending'] }
    let waited = false
    for (;;) {
      const count = Number(await call(connection, request))
      if (count === nonce) break
      if (performance.now() > end) {
        throw new Error(`${address}: ${count} of ${nonce} transactions are visible after a minute`)
      }
      waited = true
      await sleep(LOOK_INTERVAL)
    }
    if (waited || visible === undefined) visible = performance.now()
  }
  return visible ?? performance.now()
}

/** Sends everything over the connections and waits until it is visible in "pending". */
export async function sendUntilVisible(
  connections: readonly HttpConnection[],
  requests: readonly Buffer[],
  nonces: ReadonlyMap<Sender, number>,
): Promise<{ readonly accepted: number; readonly visible: number }> {
  const [observer] = connections
  if (observer === undefined) throw new Error('No connections')
  const start = performance.now()
  await sendAll(connections, requests)
  const accepted = performance.now() - start
  return { accepted, visible: (await untilVisible(observer, nonces)) - start }
}
