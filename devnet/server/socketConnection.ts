import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { JsonText } from '../primitives/jsonText.ts'
import type { Answer, TextHandler } from '../rpc/jsonRpc.ts'
import type { PushConnection } from '../stream/subscriptions.ts'
import { CLOSE_GRACE } from './limits.ts'
import { Outbox } from './outbox.ts'
import { RequestCaller, requestGivenUp } from './requestCaller.ts'
import { requestTurns } from './requestTurns.ts'

/** Bytes that Node.js reads from a socket at a time. */
const READ_SIZE = 1 << 16

/** Bytes that a request takes besides its text, until it is answered. */
const REQUEST_SIZE = 1 << 10

export class SocketConnection implements PushConnection {
  /** The Origin header; `undefined` for clients other than browsers. */
  readonly origin: string | undefined
  readonly #socket: WebSocket
  readonly #outbox: Outbox
  readonly #maxBuffered: number
  /** Messages whose turn has not come; meanwhile nothing more is read. */
  #waiting: { readonly text: string; readonly dispatch: TextHandler }[] = []
  readonly #underWay = new Set<SocketCaller>()
  /** Bytes of the requests under way. */
  #size = 0
  readonly #closeListeners = new Set<() => void>()
  /** Requests under way that have subscribed; notifications wait for their answers. */
  readonly #subscribing = new Set<SocketCaller>()
  #held: JsonText[] = []
  #heldLength = 0
  /** Resolves when what {@link sendLater} was given last is sent. */
  #later: Promise<void> = Promise.resolve()
  /** True if sending has stopped, though the client may still be reading. */
  #isClosed = false
  #isAlive = true

  /** @param stream - the stream that `socket` writes to */
  constructor(socket: WebSocket, stream: Duplex, origin: string | undefined, maxBuffered: number) {
    this.#socket = socket
    this.#outbox = new Outbox(socket, stream, maxBuffered)
    this.origin = origin
    this.#maxBuffered = maxBuffered
    socket.on('pong', () => {
      this.#isAlive = true
    })
    socket.once('close', () => this.#onClosed())
    // Otherwise, Node.js would read 32 times in one turn of the event loop.
    stream.on('data', ({ length }: Buffer) => {
      if (length < READ_SIZE) return
      socket.pause()
      setImmediate(() => this.#readOn())
    })
  }

  /** Answers one message, in its turn; answers are sent in the order in which they are ready. */
  receive(text: string, dispatch: TextHandler): void {
    if (this.#isClosed) return
    this.#waiting.push({ text, dispatch })
    if (this.#waiting.length === 1) requestTurns.begin(this)
    if (this.#waiting.length > 0) this.#socket.pause()
  }

  /** Answers the first message that waits. Returns whether the next one can be answered. */
  takeNext(): boolean {
    if (this.#isFull) return false
    const next = this.#waiting.shift()
    if (next !== undefined) this.#take(next.text, next.dispatch)
    this.#readOn()
    return this.#waiting.length > 0 && !this.#isFull
  }

  #take(text: string, dispatch: TextHandler): void {
    const caller = new SocketCaller(this.origin, this)
    const answer = dispatch.handleText(text, caller)
    if (!(answer instanceof Promise)) {
      this.#answered(caller, answer)
      return
    }
    const size = text.length + REQUEST_SIZE
    this.#underWay.add(caller)
    this.#size += size
    answer.then((later) => {
      const wasFull = this.#isFull
      this.#size -= size
      this.#answered(caller, later)
      if (wasFull && this.#waiting.length > 0) requestTurns.begin(this)
    })
  }

  /** True if so much is under way that the next message waits. */
  get #isFull(): boolean {
    return this.#size > this.#maxBuffered
  }

  #readOn(): void {
    if (this.#waiting.length === 0) this.#socket.resume()
  }

  notify(method: string, params: JsonText): void {
    const head = `{"jsonrpc":"2.0","method":"${method}","params":`
    const message = new JsonText([head, ...params.pieces, '}'])
    if (this.#subscribing.size === 0) {
      this.send(message)
      return
    }
    if (this.#isClosed) return
    this.#held.push(message)
    this.#heldLength += message.length
    if (this.#heldLength > this.#maxBuffered) this.#dropSlow()
  }

  /** Sends text, or bytes in a binary message. Drops a client that reads too slowly. */
  send(message: string | JsonText | Buffer): void {
    if (!this.#isClosed && !this.#outbox.send(message)) this.#dropSlow()
  }

  /**
   * Sends bytes once they are there, in the order of the calls. They count as unread until then.
   *
   * @param bytes - `undefined` closes the connection with code 1011: they could not be made
   * @param size - bytes that the node keeps meanwhile
   */
  sendLater(bytes: Promise<Buffer | undefined>, size: number): void {
    if (this.#isClosed) return
    if (!this.#outbox.announce(size)) {
      this.#dropSlow()
      return
    }
    this.#later = this.#later.then(async () => {
      const message = await bytes
      if (this.#isClosed) return
      if (message !== undefined) this.#outbox.sendAnnounced(message, size)
      else this.refuse('the node could not create a message', 1011)
    })
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#closeListeners.add(listener)
  }

  /** Holds notifications back until `caller` has been answered. */
  holdFor(caller: SocketCaller): void {
    this.#subscribing.add(caller)
  }

  /** Sends a ping; disconnects a client that has not answered the last one, with code 1002. */
  ping(): void {
    if (this.#isClosed) return
    // No answer is read while messages wait.
    if (!this.#isAlive && !this.#socket.isPaused) {
      this.refuse('no answer to a ping', 1002)
      return
    }
    this.#isAlive = false
    this.#socket.ping()
  }

  /**
   * Cancels the client's requests and subscriptions, and gives it time to read the reason.
   *
   * @param code - default: that of a client that is not admitted
   */
  refuse(reason: string, code = 1008): void {
    this.#onClosed()
    this.#outbox.clear()
    this.#socket.close(code, reason)
    const cut = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE).unref()
    this.#socket.once('close', () => clearTimeout(cut))
  }

  /** Breaks the connection off, without a closing handshake. */
  cut(): void {
    this.#socket.terminate()
  }

  /** Closes the connection because the node stops (code 1001); cancels the requests under way. */
  close(): void {
    this.#onClosed('the node is stopping')
    this.#outbox.finish()
    this.#socket.close(1001, 'the node is stopping')
  }

  /** Disconnects a client that reads too slowly: code 1013, after which it may reconnect. */
  #dropSlow(): void {
    const unread = `more than ${this.#maxBuffered} bytes are unread`
    this.refuse(`read too slowly: ${unread}; connect again`, 1013)
  }

  #answered(caller: SocketCaller, answer: Answer): void {
    caller.isAnswered = true
    this.#underWay.delete(caller)
    if (answer !== undefined) this.send(answer)
    if (!this.#subscribing.delete(caller) || this.#subscribing.size > 0) return
    const held = this.#held
    this.#held = []
    this.#heldLength = 0
    for (const message of held) this.send(message)
  }

  #onClosed(reason: Parameters<typeof requestGivenUp>[0] = 'the client hung up'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#held = []
    this.#waiting = []
    this.#readOn()
    for (const caller of this.#underWay) caller.giveUp(requestGivenUp(reason))
    this.#underWay.clear()
    for (const listener of this.#closeListeners) listener()
    this.#closeListeners.clear()
  }
}

class SocketCaller extends RequestCaller {
  readonly #connection: SocketConnection
  isAnswered = false

  constructor(origin: string | undefined, connection: SocketConnection) {
    super(origin)
    this.#connection = connection
  }

  override subscribe(): PushConnection {
    if (!this.isAnswered) this.#connection.holdFor(this)
    return this.#connection
  }
}
