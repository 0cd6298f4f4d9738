import { keccak256 } from 'viem'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import {
  createDevnet,
  type Devnet,
  type Hex,
  type OptionsInput,
  type RequestSummary,
  type WalletControl,
  type WalletOptions,
} from '../../../devnet/index.ts'
import { DevnetError, ErrorCode } from '../../../devnet/primitives/errors.ts'
import { HeldBytes } from '../../../devnet/primitives/heldBytes.ts'
import type { WalletClock } from '../../../devnet/wallet/core/requestQueue.ts'
import type { WalletNode } from '../../../devnet/wallet/core/types.ts'

/** The first dev accounts. */
export const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** The origin of a page that may use the wallet. */
export const DAPP = 'http://localhost:3000'

/** For a wallet without a node, which answers nothing that needs one. */
export const NO_NODE: WalletNode = {
  chainId: '0x7a69',
  held: HeldBytes.ofNode(),
  accounts: [ALICE],
  keccak256: (data) => keccak256(data, 'bytes'),
  instanceId: '0x1d',
  savedBatches: [],
  knows: () => true,
  onAnew: () => undefined,
  hasDelegations: true,
  authorize: () => Promise.reject(new Error('There is no node')),
  isWaiting: () => false,
  nextNonce: () => 0n,
  request: () => Promise.reject(new DevnetError(ErrorCode.internal, 'There is no node')),
  sign: () => Promise.reject(new Error('There is no node')),
}

/** An answer of the wallet, without the envelope. */
export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A node with its wallet, which runs until the test is over. */
export interface TestWallet {
  readonly devnet: Devnet
  readonly wallet: WalletControl
  /** Asks over HTTP. @param origin - of a page; without, the client is no browser */
  ask(method: string, params?: unknown, origin?: string): Promise<Answer>
}

export async function startWallet(
  options: WalletOptions = {},
  node: OptionsInput = {},
): Promise<TestWallet> {
  const devnet = createDevnet({ port: 0, frozenTicks: true, ...node, wallet: options })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  const { wallet } = devnet
  return {
    devnet,
    wallet,
    ask: (method, params, origin) => askAt(wallet.url, method, params, origin),
  }
}

/** A wallet that asks a person, and is connected. */
export async function startAsking(options: WalletOptions = {}, node: OptionsInput = {}) {
  const started = await startWallet(options, node)
  const { wallet, ask } = started
  await ask('eth_requestAccounts')
  await wallet.policy({ default: 'hold' })
  return {
    ...started,
    /** What a person sees of a request that was looked into, which is then rejected. */
    async summaryOf(method: string, params: unknown): Promise<RequestSummary> {
      const asked = ask(method, params)
      const { id } = await wallet.waitFor({ method })
      const seen = async () => (await wallet.pending())[0]?.summary
      const labels = async () => (await seen())?.fields.map(({ label }) => label)
      await expect.poll(labels, { timeout: 15_000 }).toContain('Asset changes')
      const summary = await seen()
      await wallet.reject(id)
      await asked
      if (summary === undefined) throw new Error('Nothing waits')
      return summary
    },
  }
}

export async function askAt(
  url: string,
  method: string,
  params: unknown = [],
  origin?: string,
): Promise<Answer> {
  const response = await post(url, { jsonrpc: '2.0', id: 1, method, params }, origin)
  // Every wallet endpoint answers so.
  const { result, error } = (await response.json()) as Answer
  return error === undefined ? { result } : { error }
}

export function post(
  url: string,
  body: unknown,
  origin?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(origin === undefined ? {} : { Origin: origin }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** A WebSocket to the wallet that keeps what it hears. */
export interface TestSocket {
  /** Answers and events in the order in which they came: `#<id>` and names of events. */
  readonly order: readonly string[]
  readonly events: readonly { readonly name: string; readonly data: unknown }[]
  ask(method: string, params?: unknown): Promise<Answer>
  close(): void
}

export async function openSocket(url: string, origin?: string): Promise<TestSocket> {
  const client = new WebSocket(url.replace('http', 'ws'), origin === undefined ? {} : { origin })
  onTestFinished(() => client.terminate())
  const order: string[] = []
  const events: { name: string; data: unknown }[] = []
  const waiting = new Map<number, (answer: Answer) => void>()
  client.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.method === 'wallet_event') {
      order.push(message.params.name)
      events.push(message.params)
      return
    }
    order.push(`#${message.id}`)
    waiting.get(message.id)?.(message.error === undefined ? { result: message.result } : message)
  })
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject))
  let lastId = 0
  return {
    order,
    events,
    ask(method, params = []) {
      const id = ++lastId
      client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return new Promise((resolve) => waiting.set(id, resolve))
    },
    close: () => client.close(),
  }
}

/** A chain to add, as the wallet likes it. */
export function chainOf(chainId: Hex, fields: Readonly<Record<string, unknown>> = {}): object {
  return {
    chainId,
    chainName: 'Test Chain',
    nativeCurrency: { name: 'Test Coin', symbol: 'TEST', decimals: 18 },
    rpcUrls: ['https://rpc.test'],
    ...fields,
  }
}

/** Time that a test moves. */
export interface TestClock extends WalletClock {
  advance(ms: number): void
}

export function testClock(): TestClock {
  let now = 1_000
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    advance(ms) {
      now += ms
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { run } of due) run()
    },
  }
}
