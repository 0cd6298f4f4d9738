import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** How many times the buffer a client may get in one turn, when one block brings more logs than the buffer holds. */
const LONGEST_TURN = 4

/**
 * What goes out to one WebSocket client. The messages of one turn of the event loop are handed to the system together:
 * a tick with a thousand logs would else cost a thousand system calls.
 */
export class Outbox {
  readonly #socket: WebSocket
  readonly #stream: Duplex
  readonly #maxBuffered: number
  /** Length of what was sent in this turn; `undefined` between turns. */
  #turn: number | undefined
  /** Length of the largest message of this turn. */
  #largest = 0
  /** Length of the longest turn that the client may still be reading. */
  #longest = 0

  /**
   * @param stream - what `socket` writes to
   * @param maxBuffered - bytes that may wait to be read
   */
  constructor(socket: WebSocket, stream: Duplex, maxBuffered: number) {
    this.#socket = socket
    this.#stream = stream
    this.#maxBuffered = maxBuffered
  }

  /** Sends a message, unless the client is leaving; answers false where it reads too slowly. */
  send(text: string): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    if (this.#turn === undefined) {
      if (this.#isBehind()) return false
      this.#turn = 0
      this.#largest = 0
      this.#stream.cork()
      process.nextTick(() => this.#endTurn())
    }
    // One large answer is no sign of anything.
    if (this.#turn - this.#largest > LONGEST_TURN * this.#maxBuffered) return false
    this.#turn += text.length
    if (text.length > this.#largest) this.#largest = text.length
    this.#socket.send(text)
    return true
  }

  /** What one turn brought is no sign of a slow reader, however much it was, so it does not count until it has been read. */
  #isBehind(): boolean {
    const { bufferedAmount } = this.#socket
    if (bufferedAmount === 0) this.#longest = 0
    return bufferedAmount > this.#maxBuffered + this.#longest
  }

  #endTurn(): void {
    if (this.#turn !== undefined && this.#turn > this.#longest) this.#longest = this.#turn
    this.#turn = undefined
    this.#stream.uncork()
  }
}
