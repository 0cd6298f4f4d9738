import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Log } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { SOON, startTelling } from './tellingDevnet.ts'

interface Client {
  readonly socket: WebSocket
  /** Kind and result of each message, in the order in which they came. */
  readonly messages: [string, unknown][]
  subscribe(kind: string, extra?: unknown): Promise<Hex>
}

async function connectClient(socketUrl: string): Promise<Client> {
  const socket = new WebSocket(socketUrl)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const messages: Client['messages'] = []
  const kinds = new Map<Hex, string>()
  const answers = new Map<number, (result: Hex) => void>()
  socket.on('message', (data) => {
    const { id, result, params } = JSON.parse(String(data))
    if (id === undefined) messages.push([kinds.get(params.subscription) ?? '?', params.result])
    else answers.get(id)?.(result)
  })
  let lastId = 0
  return {
    socket,
    messages,
    async subscribe(kind, extra) {
      const id = ++lastId
      const params = extra === undefined ? [kind] : [kind, extra]
      const answer = new Promise<Hex>((resolve) => answers.set(id, resolve))
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
      const subscription = await answer
      kinds.set(subscription, kind)
      return subscription
    },
  }
}

describe('sockets', () => {
  test('order under load: nothing is missing, nothing comes twice, each kind in the order of the chain', async () => {
    const { socketUrl, tell } = await startTelling({
      frozenTicks: false,
      tickInterval: 20,
      sealInterval: 100,
    })
    const client = await connectClient(socketUrl)
    const kinds = [
      'newPendingTransactions',
      'newFlashblockTransactions',
      'pendingLogs',
      'logs',
      'newHeads',
    ]
    for (const kind of kinds) await client.subscribe(kind)
    const sent: Hex[] = []
    for (let batch = 0; batch < 20; batch++) {
      sent.push(
        ...(await Promise.all(Array.from({ length: 25 }, (_, index) => tell(batch * 25 + index)))),
      )
    }
    const of = <Result>(kind: string) =>
      client.messages.filter(([name]) => name === kind).map(([, result]) => result as Result)
    await expect.poll(() => of('logs').length, SOON).toBe(500)
    expect(of('newPendingTransactions')).toEqual(sent)
    expect(of('newFlashblockTransactions')).toEqual(sent)
    for (const kind of ['pendingLogs', 'logs']) {
      expect(of<Log>(kind).map(({ transactionHash }) => transactionHash)).toEqual(sent)
    }
    const heads = of<{ number: Hex; parentHash: Hex; hash: Hex }>('newHeads')
    for (const [index, { number, parentHash }] of heads.entries()) {
      expect(Number(number)).toBe(Number(heads[0]?.number) + index)
      if (index > 0) expect(parentHash).toBe(heads[index - 1]?.hash)
    }
    // Each log was pre-confirmed before it was sealed.
    const places = client.messages.map(([kind, result]) =>
      kind === 'pendingLogs' || kind === 'logs'
        ? `${kind} ${(result as Log).transactionHash}`
        : kind,
    )
    for (const hash of [sent[0], sent[499]]) {
      const place = places.indexOf(`pendingLogs ${hash}`)
      expect(place).toBeGreaterThan(-1)
      expect(places.indexOf(`logs ${hash}`)).toBeGreaterThan(place)
    }
  })

  test('a socket that does not read loses only itself, and no tick waits for it', async () => {
    const { clock, from, request, socketUrl } = await startTelling()
    const slow = await connectClient(socketUrl)
    const good = await connectClient(socketUrl)
    await slow.subscribe('newFlashblocks')
    await good.subscribe('newFlashblockTransactions')
    slow.socket.pause()
    const data = `0x${'11'.repeat(100_000)}`
    // Each tick sends the whole block so far, up to four transactions of 100 kB: 40 MB in all.
    for (let count = 0; count < 80; count++) {
      await request('eth_sendTransaction', { from, to: from, data, gas: '0xe4e1c0' })
      await clock.advance({ ticks: 1 })
      if (count % 4 === 3) await clock.seal()
    }
    await expect.poll(() => good.messages.length, SOON).toBe(80)
    const closed = once(slow.socket, 'close')
    slow.socket.resume()
    const [code, reason] = await closed
    expect([code, String(reason)]).toEqual([
      1013,
      'read too slowly: more than 16777216 bytes are unread; connect again',
    ])
  })

  test('a socket that is gone without a word harms nobody', async () => {
    const { clock, socketUrl, url } = await startTelling()
    const good = await connectClient(socketUrl)
    await good.subscribe('newHeads')
    const { hostname, port } = new URL(url)
    const sockets: Socket[] = []
    for (let count = 0; count < 3; count++) {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      await once(socket, 'connect')
      socket.write(
        `GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      )
      await once(socket, 'data')
      const body = Buffer.from(
        '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}',
      )
      // A frame of text with a mask of zeros.
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]))
      await once(socket, 'data')
    }
    for (const socket of sockets) socket.resetAndDestroy()
    await clock.advance({ blocks: 3 })
    await expect.poll(() => good.messages.length, SOON).toBe(3)
  })

  test('1,024 subscriptions on one socket', async () => {
    const { clock, from, socketUrl } = await startTelling()
    const client = await connectClient(socketUrl)
    for (let count = 0; count < 1023; count++) await client.subscribe('logs', { address: from })
    await client.subscribe('newHeads')
    expect(await client.subscribe('newHeads')).toBe(undefined)
    await clock.seal()
    await expect.poll(() => client.messages.length, SOON).toBe(1)
  })
})
