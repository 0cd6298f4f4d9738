import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDevnet } from '../../../devnet/index.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { sendAll, sendAtRate } from '../load.ts'
import { requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { TickWatch, timesOf } from '../tickWatch.ts'
import { senders } from '../traffic.ts'

/** ms that each answer of a slow upstream takes. */
const ROUND_TRIP = 500

/** Transactions a second. */
const RATE = 50

/** s */
const WINDOW = 8

/** One in so many transactions reads what only the upstream knows. */
const READS_UPSTREAM = 10

/** The ticks of a fork, and its end, while the upstream is slow or silent. */
export const forkTicks: Scenario = {
  name: 'forkTicks',
  about: `a fork under ${RATE} transactions a second, one in ${READS_UPSTREAM} of which reads an unknown account of the upstream, for ${WINDOW} s: time from one tick to the next; then the end of a node that waits for an upstream that hangs`,
  rounds: 1,
  async measure(peer) {
    await using stack = new AsyncDisposableStack()
    const devnet = createDevnet({ instant: true, port: 0 })
    stack.defer(() => devnet.stop())
    await devnet.start()
    const proxy = await UpstreamProxy.start(devnet.url)
    stack.defer(() => proxy.stop())
    const folder = mkdtempSync(join(tmpdir(), 'pending-node-fork-'))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    const cache = (name: string) => join(folder, name)
    const rows: Measurement[] = []
    if (peer.name === 'ours') {
      rows.push(...(await gaps('a round trip of 500 ms', proxy, cache('slow'))))
      rows.push(...(await gaps('an upstream that hangs', proxy, cache('silent'))))
    }
    const url =
      peer.name === 'anvil'
        ? ['--fork-url', proxy.url]
        : ['--fork', proxy.url, ...(peer.name === 'ours' ? ['--fork-cache', cache('end')] : [])]
    const node = await startPeer(peer, { mode: 'running', args: url })
    const silent = silence(proxy)
    const [connection] = node.connect(1)
    const params = [unknown(1), 'latest']
    // Never answered: the end of the node closes the connection.
    const asked = connection?.request(requestBytes({ method: 'eth_getBalance', params }))
    const unanswered = asked?.catch(() => undefined)
    await silent
    const begin = performance.now()
    await node[Symbol.asyncDispose]()
    const value = performance.now() - begin
    await unanswered
    proxy.play()
    const metric = 'end while the upstream hangs: time'
    return [...rows, { metric, unit: 'ms', better: 'lower', value }]
  },
}

/** The times between the ticks of a fork. */
async function gaps(
  upstream: string,
  proxy: UpstreamProxy,
  forkCache: string,
): Promise<readonly Measurement[]> {
  await using watch = await TickWatch.start({ fork: proxy.url, forkCache })
  const connections = watch.connect(4)
  // From now on, the node knows the senders.
  const known = senders
    .slice(0, 2)
    .map(({ address }) =>
      requestBytes({ method: 'eth_getTransactionCount', params: [address, 'pending'] }),
    )
  await sendAll(connections, known)
  proxy.roundTrip = ROUND_TRIP
  if (upstream === 'an upstream that hangs') silence(proxy)
  const request = (index: number) => {
    const reads = index % READS_UPSTREAM === 0
    const transaction = {
      from: senders[reads ? 1 : 0]?.address,
      to: reads ? unknown(index) : senders[0]?.address,
      data: reads ? '0x12345678' : '0x',
      gas: '0x15f90',
    }
    return requestBytes({ method: 'eth_sendTransaction', params: [transaction] })
  }
  watch.begin()
  await sendAtRate(
    connections,
    (index) => (index < RATE * WINDOW ? request(index) : undefined),
    1000 / RATE,
  )
  const times = await watch.end()
  proxy.play()
  proxy.roundTrip = 0
  return timesOf(`from tick to tick with ${upstream}`, times.gaps)
}

/** Answers nothing any more. Resolves with the first request that is not answered. */
function silence(proxy: UpstreamProxy): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  proxy.play(() => {
    resolve()
    return { kind: 'hang' }
  })
  return promise
}

/** An address that no node has asked for before. */
function unknown(index: number): string {
  return `0xab${index.toString(16).padStart(38, '0')}`
}
