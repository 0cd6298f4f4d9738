import { expect, onTestFinished } from 'vitest'
import type { WebSocket } from 'ws'
import type { Changed } from '../../../devnet/dashboard/feed.ts'
import type { DashboardApi } from '../../../devnet/dashboard/queryTable.ts'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { JSON_HEADERS, openWebSocket } from '../server/support.ts'

/** The first dev accounts. */
export const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** A node with its dashboard, which runs until the test is over. */
export interface TestDashboard {
  readonly devnet: Devnet
  readonly api: string
  readonly token: string
  /** Asks the API as its page does. @throws the error of the answer, with its code */
  ask<Name extends keyof DashboardApi>(
    method: Name,
    params: DashboardApi[Name]['params'],
  ): Promise<DashboardApi[Name]['answer']>
  /** Calls a method of the node. */
  rpc(method: string, ...params: unknown[]): Promise<unknown>
}

/** An answer of the API, which is of the type that it declares. */
interface Answer<Result> {
  readonly result: Result
  readonly error?: { readonly code: number; readonly message: string }
}

export async function startDashboard(options: OptionsInput = {}): Promise<TestDashboard> {
  const devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_900_000_000, ...options })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  const token = tokenOf(devnet)
  const api = `${devnet.url}/dashboard/api`
  return {
    devnet,
    api,
    token,
    async ask(method, params) {
      const response = await post(api, { method, params }, token)
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      const { result, error } = (await response.json()) as Answer<
        DashboardApi[typeof method]['answer']
      >
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
    rpc: (method, ...params) => devnet.provider.request({ method, params }),
  }
}

/** A page that notes what is pushed. */
export async function openPage({ api, token }: Pick<TestDashboard, 'api' | 'token'>) {
  const socket: WebSocket = await openWebSocket(api)
  const pushed: Changed[] = []
  const answers = new Map<number, unknown>()
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.method === 'changed') pushed.push(message.params)
    else answers.set(message.id, message.result)
  })
  socket.send(JSON.stringify({ token }))
  let id = 0
  const ask = async (method: string, params: object = {}) => {
    const own = ++id
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: own, method, params }))
    await expect.poll(() => answers.has(own)).toBe(true)
    return answers.get(own)
  }
  await ask('state')
  return { socket, pushed, ask }
}

/** The token in the address of the page. */
export function tokenOf({ dashboard }: Devnet): string {
  return new URL(dashboard.pageUrl).hash.replace('#token=', '')
}

export function post(
  url: string,
  request: { readonly method: string; readonly params?: unknown },
  token: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      ...JSON_HEADERS,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  })
}
