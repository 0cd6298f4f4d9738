import { ProviderRpcError, toRecord } from './providerRpcError.ts'

type Request = (method: string, params?: unknown) => Promise<unknown>
/** Error first, as in Node.js. */
type Callback = (error: unknown, answer: unknown) => void

/** Functions from before EIP-1193, which old versions of web3.js and ethers still call. */
export interface Legacy {
  enable(): Promise<unknown>
  send(methodOrPayload: unknown, paramsOrCallback?: unknown): unknown
  sendAsync(payload: unknown, callback: Callback): void
}

/** @param known - returns results that need no request; `undefined` for other methods */
export function createLegacy(request: Request, known: (method: string) => unknown): Legacy {
  async function answer(payload: unknown): Promise<Record<string, unknown>> {
    const { id, method, params } = toRecord(payload)
    const result = await request(String(method), params)
    return { id, jsonrpc: '2.0', result }
  }

  /** Answers one request of a batch; a failure becomes an error in its place. */
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
      // The page's callback may have any signature.
      if (typeof rest === 'function') return sendAsync(payload, rest as Callback)
      const { id, method } = toRecord(payload)
      const result = known(String(method))
      if (result === undefined) {
        const message = `send() cannot answer ${String(method)} synchronously: call request() instead.`
        throw new ProviderRpcError(4200, message)
      }
      return { id, jsonrpc: '2.0', result }
    },
  }
}
