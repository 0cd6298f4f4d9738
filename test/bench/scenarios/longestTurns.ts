import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { WebSocket } from 'ws'
import { call, requestBytes, send } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { TickWatch } from '../tickWatch.ts'
import { senders } from '../traffic.ts'

const CALLEE = '0x00000000000000000000000000000000000c0de0'

/** Counts down from a number: a trace of 600 bytes a time. */
const loop = (times: number) => `0x62${times.toString(16).padStart(6, '0')}5b600190038060045700`

/** PUSH1 behind a STOP. */
const pushes = (count: number) => `0x00${'60'.repeat(count)}`

const CONNECTIONS = 10
const SUBSCRIPTIONS = 1000

/** Whether one request of much work, or messages to many clients, hold up everybody else. */
export const longestTurns: Scenario = {
  name: 'longestTurns',
  about:
    'the longest turn of the event loop while a state of 100,000 accounts is loaded, a trace of 60 MB is made, a code of 256 KiB runs once, and 10,000 subscribers get the pending block',
  peers: ['ours'],
  async measure() {
    await using devnet = await TickWatch.start()
    const [connection] = devnet.connect(1)
    if (connection === undefined) throw new Error('No connection')
    const longest = async (what: string, work: () => Promise<unknown>): Promise<Measurement> => {
      devnet.begin()
      await work()
      const { longestTurn: value } = await devnet.end()
      return { metric: what, unit: 'ms', better: 'lower', value }
    }
    const overriding = (code: string) => ({ [CALLEE]: { code } })
    const traceOf = (times: number) =>
      requestBytes({
        method: 'debug_traceCall',
        params: [
          { to: CALLEE },
          'latest',
          { stateOverrides: overriding(loop(times)), timeout: '60s' },
        ],
      })
    const runOf = (count: number) =>
      requestBytes({
        method: 'eth_call',
        params: [{ to: CALLEE }, 'latest', overriding(pushes(count))],
      })
    const loadOf = (accounts: number) =>
      requestBytes({ method: 'anvil_loadState', params: [stateOf(accounts)] })
    const requests: readonly (readonly [string, (size: number) => Buffer, number])[] = [
      ['trace', traceOf, 100_000],
      ['code', runOf, 262_143],
      ['load', loadOf, 100_000],
    ]
    // Loads what they need.
    for (const [, make] of requests) await send(connection, make(1000))
    const [from] = senders
    const pay = async () => {
      await call(connection, {
        method: 'eth_sendTransaction',
        params: [{ from: from?.address, to: CALLEE, value: '0x1', gas: '0xffff' }],
      })
      // The next tick.
      await sleep(250)
    }
    await pay()
    const sockets = await subscribers(devnet.socketUrl)
    const fanOut = await longest('10,000 subscribers', async () => {
      for (let tick = 0; tick < 10; tick++) await pay()
    })
    for (const socket of sockets) socket.terminate()
    const measured = [fanOut]
    for (const [what, make, size] of requests) {
      const bytes = make(size)
      measured.push(await longest(what, () => send(connection, bytes)))
    }
    return measured
  },
}

async function subscribers(url: string): Promise<readonly WebSocket[]> {
  const request = Array.from({ length: SUBSCRIPTIONS }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_subscribe',
    params: ['newFlashblocks'],
  }))
  const sockets: WebSocket[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const socket = new WebSocket(url, { skipUTF8Validation: true })
    sockets.push(socket)
    await once(socket, 'open')
    socket.send(JSON.stringify(request))
    const [answer] = await once(socket, 'message')
    if (String(answer).includes('"error"')) throw new Error(`${answer}`.slice(0, 300))
  }
  return sockets
}

/** A state of anvil with so many accounts, as anvil_dumpState answers it. */
function stateOf(count: number): string {
  const accounts = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `0x${(index * 7919 + 1).toString(16).padStart(40, '0')}`,
      {
        nonce: index % 5,
        balance: `0x${(10 ** 12 + index).toString(16)}`,
        code: '0x',
        storage: {},
      },
    ]),
  )
  const state = { accounts, best_block_number: 1, blocks: [], transactions: [] }
  return `0x${gzipSync(JSON.stringify(state)).toString('hex')}`
}
