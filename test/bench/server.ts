/**
 * Requests per second of a method that answers at once, over 8 keep-alive connections from a second process, beside
 * a bare node:http server that reads the body and answers a constant. By hand: `node test/bench/server.ts`.
 */

import { fork } from 'node:child_process'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { profileOf } from '../../devnet/options/profileTable.ts'
import type { RpcContext } from '../../devnet/rpc/context.ts'
import { createDispatch } from '../../devnet/rpc/dispatch.ts'
import { defineMethod } from '../../devnet/rpc/method.ts'
import { startServer } from '../../devnet/server/server.ts'

const CONNECTIONS = 8
const SECONDS = 2
const ROUNDS = 5
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'

if (process.argv[2] === 'load') {
  process.on('message', async (port: number) => process.send?.(await load(port)))
} else {
  await measure()
}

async function measure(): Promise<void> {
  const bare = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      Buffer.concat(chunks).toString()
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(ANSWER),
      })
      response.end(ANSWER)
    })
  })
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  // `listen` has resolved for a TCP port.
  const barePort = (bare.address() as AddressInfo).port
  const dispatch = createDispatch({
    // The method never looks at it; the dispatch asks whether the chain is forked, and for faults.
    context: {
      options: {},
      chain: {},
      clocks: {},
      fork: {},
      profile: profileOf('plain'),
    } as RpcContext,
    methods: { eth_chainId: async () => ({ default: defineMethod({ handle: () => '0x7a69' }) }) },
    maxBatch: 1000,
  })
  const ours = await startServer({ hostname: '127.0.0.1', port: 0, dispatch })
  const { port } = ours.address
  const client = fork(fileURLToPath(import.meta.url), ['load'])
  const run = (target: number): Promise<number> =>
    new Promise((resolve) => {
      client.once('message', resolve)
      client.send(target)
    })
  await run(barePort)
  await run(port)
  const results = { bare: [] as number[], ours: [] as number[] }
  const spent = { bare: [] as number[], ours: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, target] of [
      ['bare', barePort],
      ['ours', port],
    ] as const) {
      const before = process.cpuUsage()
      const rate = await run(target)
      const { user, system } = process.cpuUsage(before)
      results[name].push(rate)
      spent[name].push((user + system) / (rate * SECONDS))
    }
  }
  client.disconnect()
  await ours.stop()
  bare.close()
  bare.closeAllConnections()
  for (const name of ['bare', 'ours'] as const) {
    const rate = Math.round(median(results[name]))
    console.log(`${name}: ${rate} requests/s, ${median(spent[name]).toFixed(1)} µs of CPU each`)
  }
}

/** Requests answered in a second, each sent when the last one of its connection was answered. */
async function load(port: number): Promise<number> {
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
  let answered = 0
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    socket.on('data', (data) => {
      // One answer fits one packet; anything else would spoil the figures.
      if (!data.toString('latin1').endsWith(ANSWER)) throw new Error(`unexpected: ${data}`)
      answered++
      socket.write(request)
    })
    socket.write(request)
    return socket
  })
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
  for (const socket of sockets) socket.destroy()
  return answered / SECONDS
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}
