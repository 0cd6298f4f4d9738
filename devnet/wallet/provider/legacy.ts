import { ProviderRpcError, toRecord } from './providerRpcError.ts'

type Request = (method: string, params?: unknown) => Promise<unknown>
/** Of Node's form: the error first. */
type Callback = (error: unknown, answer: unknown) => void

/** What dApps called before EIP-1193, and old versions of web3.js and ethers still do. */
export interface Legacy {
  enable(): Promise<unknown>
  send(methodOrPayload: unknown, paramsOrCallback?: unknown): unknown
  sendAsync(payload: unknown, callback: Callback): void
}

/** @param now - what the provider knows without asking, by method; `undefined` for the other methods */
export function createLegacy(request: Request, now: (method: string) => unknown): Legacy {
  async function answer(payload: unknown): Promise<Record<string, unknown>> {
    const { id, method, params } = toRecord(payload)
    const result = await request(String(method), params)
    return { id, jsonrpc: '2.0', result }
  }

  /** In a batch, one that fails has an error in its place; alone, the callback gets it. */
  async function answerEach(payload: unknown): Promise<unknown> {
    const { id } = toRecord(payload)
    return answer(payload).catch(({ code, message, data }: ProviderRpcError) => {
      return { id, jsonrpc: '2.0', error: { code, message, data } }
    })
  }

  function sendAsync(payload: unknown, callback: Callback): void {
    const answered = Array.isArray(payload) ? Promise.all(payload.map(answerEach)) : answer(payload)
    answered.then(
      (value) => callback(null, value),
      (error) => callback(error, undefined),
    )
  }

  return {
    enable: () => request('eth_requestAccounts'),
    sendAsync,
    send(payload, rest) {
      if (typeof payload === 'string') return answer({ method: payload, params: rest })
      // A callback of any signature: it is the page's own.
      if (typeof rest === 'function') return sendAsync(payload, rest as Callback)
      const { id, method } = toRecord(payload)
      const result = now(String(method))
      if (result === undefined) {
        throw new ProviderRpcError(
          4200,
          `send() cannot answer ${String(method)} without waiting: call request() instead.`,
        )
      }
      return { id, jsonrpc: '2.0', result }
    },
  }
}
