import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { AccessToken } from '../../../devnet/server/accessToken.ts'
import { MAX_STRANGERS, TOKEN_TIME, withDefaults } from '../../../devnet/server/limits.ts'
import { createTokenApi } from '../../../devnet/server/tokenApi.ts'
import { nextMessage, openWebSocket, requestText, startServer } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A server with an API that wants a token at /api, for at most two clients at a time. */
async function startApi() {
  const token = new AccessToken('NO_SUCH_VARIABLE')
  const node = await startServer({
    routes: [
      {
        path: '/api',
        load: async () => ({
          ...createTokenApi({
            token,
            handler: { handleText: (body) => body },
            limits: { ...withDefaults({}), maxSockets: 2 },
            onInternalError: (error) => node.serverErrors.push(error),
            onAdmit: () => undefined,
            sentences: { foreign: 'foreign', unauthorized: 'unauthorized', method: 'method' },
          }),
          router: (_request, response) => void response.end(),
        }),
      },
    ],
  })
  const admit = async (client: WebSocket) => {
    client.send(JSON.stringify({ token: token.text }))
    client.send(requestText('echo'))
    return await nextMessage(client)
  }
  return { url: `${node.url}/api`, admit }
}

test('a client that sends no token in time is disconnected, one that has sent it is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { url, admit } = await startApi()
  const admitted = await openWebSocket(url)
  await admit(admitted)
  const stranger = await openWebSocket(url)
  const closed = once(stranger, 'close')
  vi.advanceTimersByTime(TOKEN_TIME)
  expect((await closed)[0]).toBe(1008)
  admitted.send(requestText('echo'))
  expect(await nextMessage(admitted)).toMatchObject({ method: 'echo' })
})

test('however many strangers there are, a client with the token gets its place', async () => {
  const { url, admit } = await startApi()
  const strangers: WebSocket[] = []
  for (let count = 0; count < MAX_STRANGERS; count++) strangers.push(await openWebSocket(url))
  const oldest = strangers[0]
  if (oldest === undefined) throw new Error('No strangers')
  const cut = once(oldest, 'close')
  const client = await openWebSocket(url)
  expect((await cut)[0]).toBe(1006)
  expect(await admit(client)).toMatchObject({ method: 'echo' })
  expect(strangers.filter(({ readyState }) => readyState === 1).length).toBe(MAX_STRANGERS - 1)
})
