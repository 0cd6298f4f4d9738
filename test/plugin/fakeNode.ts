import { createServer, type IncomingHttpHeaders } from 'node:http'

/** What a fake node answers to a JSON-RPC request: fields of the response, or a whole HTTP answer. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly http: number; readonly body: string }

export interface FakeNode extends AsyncDisposable {
  readonly url: string
  /** Method and parameters of each request. */
  readonly requests: { readonly method: string; readonly params: unknown }[]
  /** Of each request. */
  readonly requestHeaders: IncomingHttpHeaders[]
}

/** Serves JSON-RPC on a free port of the loopback address. */
export async function fakeNode(answer: (method: string) => Answer): Promise<FakeNode> {
  const requests: { method: string; params: unknown }[] = []
  const requestHeaders: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method, params } = JSON.parse(body)
    requests.push({ method, params })
    requestHeaders.push(request.headers)
    const fields = answer(method)
    if ('http' in fields) response.writeHead(fields.http).end(fields.body)
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, ...fields }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    requestHeaders,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
