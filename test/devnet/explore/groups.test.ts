import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  type ExploreContext,
  ExploreError,
  explore,
  type FaultGroup,
} from '../../../plugin/explore.ts'
import { sleep } from './apps.ts'

/** The schedules under which an app fails, each with one fault of a group, in words. */
async function finds(
  group: FaultGroup,
  app: (run: ExploreContext) => unknown,
): Promise<string | undefined> {
  const error = await explore(app, { faults: [group], depth: 1 }).catch((reason: unknown) => reason)
  if (!(error instanceof ExploreError)) return undefined
  if (error.schedule === undefined) throw error
  return error.schedule
}

async function send({ devnet, provider }: ExploreContext): Promise<void> {
  const from = devnet.accounts[0]?.address
  await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
}

test('answers: those to the app are refused, late and wrong, those to the test are not', async () => {
  const number = { method: 'eth_blockNumber' }
  const outcomes = new Set<string>()
  const summary = await explore(
    async ({ devnet, provider }) => {
      const start = Date.now()
      expect(await devnet.provider.request(number)).toBe('0x0')
      const answer = await provider.request(number).catch(({ message }: Error) => message)
      outcomes.add(`${answer} after ${Date.now() - start} ms`)
      expect(await devnet.provider.request(number)).toMatch(/^0x[01]$/)
    },
    { faults: ['answers'] },
  )
  expect(summary).toMatchObject({ places: 1, tried: 3, complete: true })
  expect(outcomes.size).toBe(4)
  expect(outcomes).toContain('0x0 after 0 ms')
  expect(outcomes).toContain('0x0 after 2000 ms')
  expect(outcomes).toContain('eth_blockNumber refused by fault 0 after 0 ms')
})

test('answers: finds an app that does not ask again', async () => {
  const words = await finds('answers', (run) => send(run))
  expect(words).toBe('eth_sendTransaction was refused in tick 0 of block 1')
})

test('stream: finds an app that counts messages', async () => {
  const words = await finds('stream', async (run) => {
    const socket = new WebSocket(run.devnet.flashblocksUrl)
    let count = 0
    socket.on('message', (data) => {
      const { diff } = JSON.parse(String(data))
      count += diff.transactions.length
    })
    await new Promise((resolve) => socket.once('open', resolve))
    await send(run)
    await sleep(300)
    await send(run)
    await sleep(1000)
    socket.terminate()
    expect(count).toBe(2)
  })
  expect(words).toBe('message 1 of block 1 in the flashblock stream came twice')
})

test('sockets: finds an app that does not connect again', async () => {
  const words = await finds('sockets', async (run) => {
    const socket = new WebSocket(run.devnet.url.replace('http', 'ws'))
    await new Promise((resolve) => socket.once('open', resolve))
    await send(run)
    await sleep(1000)
    const answered = new Promise((resolve) => socket.once('message', resolve))
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')
    await answered
    socket.terminate()
  })
  expect(words).toBe('all WebSockets broke off after tick 0 of block 1')
})

test('stream and sockets have no places if nobody listens', async () => {
  const summary = await explore(
    async (run) => {
      await send(run)
      await sleep(1000)
    },
    { faults: ['stream', 'sockets'] },
  )
  expect(summary).toMatchObject({ places: 0, runs: 1, known: 0, complete: true })
})
