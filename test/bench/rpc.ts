import type { HttpConnection } from './httpConnection.ts'

/** A method and its parameters. */
export interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** The bytes of an HTTP request for one call, ready to be sent any number of times, to any port. */
export function requestBytes({ method, params = [] }: Call): Buffer {
  return framed(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

/** The bytes of an HTTP request for a batch. */
export function batchBytes(calls: readonly Call[]): Buffer {
  return framed(
    JSON.stringify(
      calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params })),
    ),
  )
}

function framed(body: string): Buffer {
  const length = Buffer.byteLength(body)
  return Buffer.from(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  )
}

/** Sends ready-made bytes whose result nobody reads. @throws {Error} when an answer in it is an error */
export async function send(connection: HttpConnection, bytes: Uint8Array): Promise<void> {
  const body = await connection.request(bytes)
  // No answer to the benchmark's requests has this text in its result.
  if (body.includes('"error"')) throw new Error(`The node refused: ${excerpt(body)}`)
}

/** The result of one call. @throws {Error} when it is an error */
export async function call(connection: HttpConnection, request: Call): Promise<unknown> {
  const body = await connection.request(requestBytes(request))
  const answer: unknown = JSON.parse(body.toString())
  if (typeof answer === 'object' && answer !== null && 'result' in answer) return answer.result
  throw new Error(`${request.method}: ${excerpt(body)}`)
}

function excerpt(body: Buffer): string {
  const at = Math.max(0, body.indexOf('"error"'))
  return body.toString('utf8', at, at + 300)
}
