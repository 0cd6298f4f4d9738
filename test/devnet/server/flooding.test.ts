import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { AccessToken } from '../../../devnet/server/accessToken.ts'
import { withDefaults } from '../../../devnet/server/limits.ts'
import { createTokenApi } from '../../../devnet/server/tokenApi.ts'
import { head, JSON_HEADERS, openSocket, openWebSocket, startServer } from './support.ts'

/** Messages that a client sends at once. */
const MANY = 400

/** Holds the event loop for about 1 ms, as a request for a block does. */
function work(): void {
  for (const end = performance.now() + 1; performance.now() < end; );
}

/** A server that notes what it is asked for, in order, over all of its ways in. */
async function startTelling() {
  const asked: string[] = []
  const handler = {
    handleText(body: string) {
      asked.push(body)
      work()
      return body
    },
  }
  const token = new AccessToken('NO_SUCH_VARIABLE')
  const limits = withDefaults({})
  const server = await startServer({
    dispatch: handler,
    health: () => {
      handler.handleText('flood')
      return {}
    },
    routes: [
      {
        path: '/api',
        load: async () => ({
          ...createTokenApi({
            token,
            handler,
            limits,
            onInternalError: (error) => server.serverErrors.push(error),
            onAdmit: () => undefined,
            sentences: { foreign: 'foreign', unauthorized: 'unauthorized', method: 'method' },
          }),
          router: (_request, response) => void response.end(),
        }),
      },
    ],
  })
  return { ...server, asked, token: token.text }
}

/** Sends so many messages in one write. */
function sendAtOnce(client: WebSocket, text: string, count: number): void {
  // The stream below is no part of its types.
  const { _socket: stream } = client as unknown as { _socket: import('node:net').Socket }
  stream.cork()
  for (let sent = 0; sent < count; sent++) client.send(text)
  stream.uncork()
}

function post(body: string): string {
  const headers = { Host: 'localhost', ...JSON_HEADERS, 'Content-Length': body.length }
  return head('POST /', headers) + body
}

/** How many messages of the flood are answered before a request that was sent behind it. */
async function aheadOf(
  { asked, port }: Awaited<ReturnType<typeof startTelling>>,
  flood: () => void,
): Promise<number> {
  const other = await openSocket(port)
  // Loads what the first answer needs.
  other.write(post('first'))
  await once(other, 'data')
  asked.length = 0
  flood()
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  other.write(post('other'))
  await once(other, 'data')
  other.destroy()
  await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(MANY + 1)
  return asked.indexOf('other')
}

describe('others are answered in the middle of a flood', () => {
  test('over WebSocket', async () => {
    const server = await startTelling()
    const client = await openWebSocket(server.url)
    const ahead = await aheadOf(server, () => sendAtOnce(client, 'flood', MANY))
    expect(ahead).toBeLessThan(MANY)
  })

  test('over a WebSocket that needs a token', async () => {
    const server = await startTelling()
    const client = await openWebSocket(`${server.url}/api`)
    client.send(JSON.stringify({ token: server.token }))
    client.send('admitted')
    await once(client, 'message')
    const ahead = await aheadOf(server, () => sendAtOnce(client, 'flood', MANY))
    expect(ahead).toBeLessThan(MANY)
  })

  test.each([
    ['JSON-RPC', post('flood')],
    ['a page', head('GET /health', { Host: 'localhost' })],
  ])('over HTTP pipelining, with requests for %s', async (_, request) => {
    const server = await startTelling()
    const client = await openSocket(server.port)
    client.resume()
    const ahead = await aheadOf(server, () => client.write(request.repeat(MANY)))
    client.destroy()
    expect(ahead).toBeLessThan(MANY)
  })
})

test('many connections share the time of each turn', async () => {
  let turns = 0
  const begun = new Map<number, number>()
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  onTestFinished(() => clearImmediate(counting))
  const { port } = await startServer({
    dispatch: {
      handleText(body) {
        begun.set(turns, (begun.get(turns) ?? 0) + 1)
        work()
        return body
      },
    },
  })
  const clients = await Promise.all(Array.from({ length: 100 }, () => openSocket(port)))
  const askAll = async () => {
    const answered = Promise.all(clients.map((client) => once(client, 'data')))
    for (const client of clients) client.write(post('one'))
    await answered
  }
  // Node.js accepts one connection in each turn.
  await askAll()
  begun.clear()
  await askAll()
  for (const client of clients) client.destroy()
  // Each takes a millisecond or more, of the five before and the five after the counter's call.
  expect(Math.max(...begun.values())).toBeLessThanOrEqual(12)
})

describe('order', () => {
  test('each message of a flood is answered, in its order', async () => {
    const { url } = await startServer({ dispatch: { handleText: (body) => body } })
    const client = await openWebSocket(url)
    const answers: string[] = []
    const all = new Promise<void>((resolve) => {
      client.on('message', (data) => {
        if (answers.push(String(data)) === 20_000) resolve()
      })
    })
    for (let index = 0; index < 20_000; index++) client.send(`message ${index}`)
    await all
    expect(answers).toEqual(Array.from({ length: 20_000 }, (_, index) => `message ${index}`))
  })

  test('pipelined requests are begun one after the other, whatever their answers wait for', async () => {
    const { port, started, gate } = await startServer()
    const client = await openSocket(port)
    const request = (text: string) =>
      post(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: text.startsWith('later') ? 'test_later' : 'test_log',
          params: [text],
        }),
      )
    // More than Node.js reads at a time.
    const padding = 'x'.repeat(70_000)
    client.write(request('later') + request(padding) + request('last'))
    await expect.poll(() => started).toEqual(['later'])
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect(started).toEqual(['later'])
    gate.open()
    await expect.poll(() => started).toEqual(['later', padding, 'last'])
    client.destroy()
  })
})

describe('bounds', () => {
  test('no more is begun than the limit of unread bytes, until something is answered', async () => {
    const { opened, open } = (() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      return { opened: promise, open: resolve }
    })()
    let begun = 0
    const { url } = await startServer({
      maxBuffered: 100_000,
      dispatch: {
        async handleText() {
          begun++
          await opened
          return undefined
        },
      },
    })
    const client = await openWebSocket(url)
    for (let index = 0; index < 1000; index++) client.send('message')
    await expect.poll(() => begun).toBeGreaterThan(50)
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    expect(begun).toBeLessThan(100)
    open()
    await expect.poll(() => begun).toBe(1000)
  })

  test.each([
    ['the client hangs up', (client: WebSocket) => client.terminate(), () => undefined],
    ['the node stops', () => undefined, (stop: () => Promise<void>) => void stop()],
  ])('when %s, nothing more is begun', async (_, hangUp, stopNode) => {
    let begun = 0
    const server = await startServer({
      dispatch: {
        handleText() {
          begun++
          work()
          if (begun === 10) {
            hangUp(client)
            stopNode(server.stop)
          }
          return undefined
        },
      },
    })
    const client = await openWebSocket(server.url)
    sendAtOnce(client, 'message', MANY)
    await once(client, 'close')
    await server.stop()
    expect(begun).toBeLessThan(MANY / 2)
  })

  test('a pipeline whose client has hung up is given up', async () => {
    let begun = 0
    const { port } = await startServer({
      dispatch: {
        handleText() {
          begun++
          work()
          if (begun === 10) client.resetAndDestroy()
          return 'x'.repeat(100_000)
        },
      },
    })
    const client = await openSocket(port)
    client.resume()
    client.write(post('flood').repeat(MANY))
    await once(client, 'close')
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    expect(begun).toBeLessThan(MANY / 2)
  })
})
