import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createDevnet } from '../../../devnet/index.ts'

const SUBSCRIPTIONS = 400
const TICKS = 6

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly params?: {
    readonly subscription: string
    readonly result: { readonly transactions: readonly unknown[] }
  }
}

/** For thousands of messages, which a loaded machine sends in more than the default second. */
const soon = (value: () => unknown) => expect.poll(value, { timeout: 20_000 })

/** A client with {@link SUBSCRIPTIONS} subscriptions to `newFlashblocks`. */
async function subscribe(url: string) {
  const socket = new WebSocket(url)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const messages: Message[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const ask = (id: number, method: string, ...params: unknown[]) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  for (let id = 0; id < SUBSCRIPTIONS; id++) ask(id, 'eth_subscribe', 'newFlashblocks')
  await soon(() => messages.length).toBe(SUBSCRIPTIONS)
  const ids = messages.splice(0).map(({ result }) => String(result))
  expect(new Set(ids).size).toBe(SUBSCRIPTIONS)
  return { ask, ids, messages }
}

/** By subscription, how many transactions each of its blocks holds. */
function blocksOf(messages: readonly Message[]): Map<string, number[]> {
  const blocks = new Map<string, number[]>()
  for (const { params } of messages) {
    if (params === undefined) continue
    const known = blocks.get(params.subscription) ?? []
    known.push(params.result.transactions.length)
    blocks.set(params.subscription, known)
  }
  return blocks
}

test('each subscription gets every tick once and in order, until it ends', async () => {
  const devnet = createDevnet({ port: 0, frozenTicks: true, frozen: true })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const { provider } = devnet
  const [from] = (await provider.request({ method: 'eth_accounts' })) as string[]
  const tick = async () => {
    const transaction = { from, to: from, gas: '0x5208' }
    await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
    await provider.request({ method: 'preconf_advance', params: [{ ticks: 1 }] })
  }
  const url = devnet.url.replace('http', 'ws')
  const [staying, leaving, other] = [
    await subscribe(url),
    await subscribe(url),
    await subscribe(url),
  ]
  for (let count = 0; count < TICKS; count++) {
    await tick()
    // In the middle of what goes out, when two ticks have arrived.
    if (count !== 2) continue
    await soon(() => leaving.messages.length).toBeGreaterThanOrEqual(SUBSCRIPTIONS * 2)
    for (const [index, id] of leaving.ids.entries()) {
      if (index % 2 === 0) leaving.ask(index, 'eth_unsubscribe', id)
    }
  }
  const all = Array.from({ length: TICKS }, (_, index) => index + 1)
  await soon(() => staying.messages.length).toBe(SUBSCRIPTIONS * TICKS)
  await soon(() => other.messages.length).toBe(SUBSCRIPTIONS * TICKS)
  for (const client of [staying, other]) {
    const blocks = blocksOf(client.messages)
    expect([...blocks.keys()].toSorted()).toEqual(client.ids.toSorted())
    for (const each of blocks.values()) expect(each).toEqual(all)
  }
  await soon(() => leaving.messages.filter(({ id }) => id !== undefined).length).toBe(200)
  leaving.ask(-1, 'eth_chainId')
  await soon(() => leaving.messages.at(-1)?.id).toBe(-1)
  const blocks = blocksOf(leaving.messages)
  for (const [index, id] of leaving.ids.entries()) {
    const got = blocks.get(id) ?? []
    if (index % 2 === 1) {
      expect(got).toEqual(all)
      continue
    }
    expect(got).toEqual(all.slice(0, got.length))
    expect(got.length).toBeGreaterThanOrEqual(2)
    const ended = leaving.messages.findIndex((message) => message.id === index)
    expect(leaving.messages[ended]?.result).toBe(true)
    const last = leaving.messages.findLastIndex(({ params }) => params?.subscription === id)
    expect(last).toBeLessThan(ended)
  }
})
