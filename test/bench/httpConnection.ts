import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

interface Waiter {
  readonly resolve: (body: Buffer) => void
  readonly reject: (error: Error) => void
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /^content-length: *(\d+)/im

/**
 * One keep-alive HTTP/1.1 connection with one request at a time. It takes ready-made bytes and looks at nothing but the
 * framing, so that the load client costs little beside the node that it measures.
 */
export class HttpConnection {
  readonly #port: number
  #socket: Socket | undefined
  #waiter: Waiter | undefined
  #received: Buffer[] = []
  #length = 0
  /** Bytes of the whole response, once its head has come. */
  #expected = Number.POSITIVE_INFINITY
  #bodyStart = 0

  /** @param port - of 127.0.0.1; connects at the first request, and again where the server hung up in between */
  constructor(port: number) {
    this.#port = port
  }

  /** The body of the answer. @throws {Error} when the connection fails or the status is not 200 */
  async request(bytes: Uint8Array): Promise<Buffer> {
    if (this.#waiter !== undefined) throw new Error('One request at a time')
    const socket = this.#socket ?? (await this.#connect())
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
      socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #connect(): Promise<Socket> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#fail(new Error('The node closed the connection before it answered'))
    })
    this.#socket = socket
    return socket
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#length += chunk.length
    if (this.#expected === Number.POSITIVE_INFINITY) this.#readHead()
    if (this.#length < this.#expected) return
    const body = this.#whole().subarray(this.#bodyStart)
    const waiter = this.#waiter
    this.#reset()
    waiter?.resolve(body)
  }

  #readHead(): void {
    const whole = this.#whole()
    const end = whole.indexOf(HEAD_END)
    if (end < 0) return
    const head = whole.toString('latin1', 0, end)
    const length = CONTENT_LENGTH.exec(head)?.[1]
    if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
      this.#fail(
        new Error(`Not an answer that this client reads: ${whole.toString('latin1', 0, 500)}`),
      )
      this.close()
      return
    }
    this.#bodyStart = end + HEAD_END.length
    this.#expected = this.#bodyStart + Number(length)
  }

  #whole(): Buffer {
    const [first] = this.#received
    if (first === undefined) return Buffer.alloc(0)
    if (this.#received.length === 1) return first
    const whole = Buffer.concat(this.#received)
    this.#received = [whole]
    return whole
  }

  #fail(error: Error): void {
    const waiter = this.#waiter
    this.#reset()
    waiter?.reject(error)
  }

  #reset(): void {
    this.#waiter = undefined
    this.#received = []
    this.#length = 0
    this.#expected = Number.POSITIVE_INFINITY
  }
}
