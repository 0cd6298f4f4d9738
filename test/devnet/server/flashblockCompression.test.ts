import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CompressCallback } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import { createFlashblockRoutes } from '../../../devnet/server/flashblockRoutes.ts'
import { withDefaults } from '../../../devnet/server/limits.ts'
import { startServer } from '../../../devnet/server/server.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'
import { openWebSocket } from './support.ts'

/** The compressions that have not ended, oldest first. */
const underWay = vi.hoisted(() => [] as CompressCallback[])

vi.mock('node:zlib', async (original) => ({
  ...(await original<typeof import('node:zlib')>()),
  // The callback is the last argument.
  brotliCompress: (...args: readonly unknown[]) => underWay.push(args.at(-1) as CompressCallback),
}))

beforeEach(() => {
  underWay.length = 0
})

/** A chain whose stream has a server of its own, with clients of compressed messages. */
async function streamed(count: number, maxBuffered: number) {
  const node = await createRpcChain()
  const errors: unknown[] = []
  const onInternalError = (error: unknown) => errors.push(error)
  const limits = withDefaults({ ...node.options, maxBuffered })
  const routes = createFlashblockRoutes({
    chain: node.chain,
    faults: () => undefined,
    profile: profileOf('plain'),
    limits,
    maxClients: 10,
    onInternalError,
  })
  const server = await startServer({
    ...node.options,
    port: 0,
    dispatch: { handleText: () => undefined },
    routes: [{ path: '/flashblocks', load: () => Promise.resolve(routes) }],
    onInternalError,
  })
  const url = server.address.url.replace('http', 'ws')
  onTestFinished(() => server.stop())
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await openWebSocket(`${url}/flashblocks?compress=br`)
      const received: string[] = []
      socket.on('message', (data: Buffer) => received.push(String(data)))
      return { socket, received, closed: once(socket, 'close').then(([code]) => code) }
    }),
  )
  const tick = () => node.call('preconf_advance', { ticks: 1 })
  return { clients, errors, tick }
}

test('messages come in their order, whichever is compressed first', async () => {
  const { clients, errors, tick } = await streamed(2, 1 << 20)
  await tick()
  await tick()
  const [first, second] = underWay
  // Once for both clients.
  expect(underWay).toHaveLength(2)
  second?.(null, Buffer.from('second'))
  first?.(null, Buffer.from('first'))
  for (const { received } of clients) {
    await expect.poll(() => received).toEqual(['first', 'second'])
  }
  expect(errors).toEqual([])
})

test('what waits for its compression counts as unread', async () => {
  const { clients, tick } = await streamed(1, 3_000)
  for (let count = 0; count < 20; count++) await tick()
  expect(await clients[0]?.closed).toBe(1013)
})

test('a client that does not read is dropped, and nothing is compressed for it again', async () => {
  const { clients, tick } = await streamed(1, 1 << 20)
  const [slow] = clients
  slow?.socket.pause()
  let made: number
  do {
    made = underWay.length
    await tick()
    // More than the kernel keeps of it, after some.
    if (underWay.length > made) underWay.at(-1)?.(null, Buffer.alloc(1 << 20))
    await nextTurn()
  } while (underWay.length > made)
  slow?.socket.resume()
  expect(await slow?.closed).toBe(1013)
  expect(slow?.received.length).toBeLessThan(made)
})

test('a failure is reported once, and the clients are closed', async () => {
  const { clients, errors, tick } = await streamed(3, 1 << 20)
  await tick()
  await tick()
  const failure = new Error('out of memory')
  underWay[0]?.(failure, Buffer.of())
  underWay[1]?.(null, Buffer.from('second'))
  for (const { closed, received } of clients) {
    expect(await closed).toBe(1011)
    expect(received).toEqual([])
  }
  expect(errors).toEqual([failure])
})
