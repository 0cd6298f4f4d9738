import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpConnection } from './httpConnection.ts'
import { send } from './rpc.ts'

/** What {@link sustain} saw. */
export interface Sustained {
  /** Answers a second, over all connections. */
  readonly rate: number
  /** ms from request to answer, one for each answer. */
  readonly latencies: readonly number[]
  /** Part of the time that this process was busy: near 1, the client is the limit and not the node. */
  readonly clientLoad: number
}

/**
 * Keeps one request under way on each connection for `ms`, going round `requests`.
 *
 * @param ms - for which new requests are sent
 */
export async function sustain(
  connections: readonly HttpConnection[],
  requests: readonly Uint8Array[],
  ms: number,
): Promise<Sustained> {
  const latencies: number[] = []
  let next = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  const end = start + ms
  const drive = async (connection: HttpConnection) => {
    let sent = performance.now()
    while (sent < end) {
      await send(connection, pick(requests, next++ % requests.length))
      const answered = performance.now()
      latencies.push(answered - sent)
      sent = answered
    }
  }
  await Promise.all(connections.map(drive))
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return {
    rate: (latencies.length * 1000) / elapsed,
    latencies,
    clientLoad: (user + system) / 1000 / elapsed,
  }
}

/** Sends every request once, in order: each connection takes the next as soon as it is free. */
export async function sendAll(
  connections: readonly HttpConnection[],
  requests: readonly Uint8Array[],
): Promise<void> {
  let next = 0
  const drive = async (connection: HttpConnection) => {
    while (next < requests.length) await send(connection, pick(requests, next++))
  }
  await Promise.all(connections.map(drive))
}

/**
 * Sends requests at a constant rate, whatever the answers take.
 *
 * @param request - the bytes of the n-th request, which is due at `due` (of `performance.now()`); `undefined` ends
 * @param interval - ms between two requests
 * @returns ms from when each request was due until it was answered: a node that stands still for a while is charged with
 * every request that came due meanwhile
 */
export async function sendAtRate(
  connections: readonly HttpConnection[],
  request: (index: number, due: number) => Uint8Array | undefined,
  interval: number,
): Promise<readonly number[]> {
  const latencies: number[] = []
  const start = performance.now()
  let next = 0
  const drive = async (connection: HttpConnection) => {
    for (;;) {
      const index = next++
      const due = start + index * interval
      const wait = due - performance.now()
      if (wait > 0) await sleep(wait)
      const bytes = request(index, due)
      if (bytes === undefined) return
      await send(connection, bytes)
      latencies.push(performance.now() - due)
    }
  }
  await Promise.all(connections.map(drive))
  return latencies
}

function pick(requests: readonly Uint8Array[], index: number): Uint8Array {
  const bytes = requests[index]
  if (bytes === undefined) throw new Error('No requests to send')
  return bytes
}
