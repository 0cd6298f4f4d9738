import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { JsonText, PIECE, SharedText } from '../primitives/jsonText.ts'
import { memoize } from '../primitives/memo.ts'
import { Rota } from './rota.ts'

/** This many times `maxBuffered` may be sent in one turn: one block can have many logs. */
const LONGEST_TURN = 4

/** Bytes of frames that are written together. */
const CHUNK = 1 << 18

/** The outboxes that can write. */
const rota = new Rota((outbox: Outbox) => outbox.writeChunk())

/** A message, text or binary, and the size that it counts with. */
interface Queued {
  readonly content: JsonText | Buffer
  readonly size: number
}

/**
 * Outgoing messages of one WebSocket client, written in order and as fast as the client reads. Many
 * short ones are written together: otherwise a tick with a thousand logs would cost a thousand
 * system calls. That is why their frames are made here and not by `ws`.
 */
export class Outbox {
  readonly #socket: WebSocket
  readonly #stream: Duplex
  readonly #maxBuffered: number
  /** Messages; the first {@link #taken} are written, the last of these maybe only in part. */
  #queue: Queued[] = []
  #taken = 0
  /** Sizes of the messages that are not written. */
  #unwritten = 0
  /** Total size of announced messages that are not made yet. */
  #announced = 0
  /** The text that the last message shares with others. */
  #shared: SharedText | undefined
  /** The rest of a long message, which is written in fragments. */
  #fragments: Iterator<Buffer, void> | undefined
  /** Size of what was sent in this turn of the event loop; `undefined` between turns. */
  #turn: number | undefined
  #largest = 0
  /** Size of the largest turn that may still be unread. */
  #longest = 0

  /**
   * @param stream - the stream that `socket` writes to
   * @param maxBuffered - maximum size of what is unread, besides one turn
   */
  constructor(socket: WebSocket, stream: Duplex, maxBuffered: number) {
    this.#socket = socket
    this.#stream = stream
    this.#maxBuffered = maxBuffered
    stream.on('drain', () => rota.add(this))
  }

  /** Sends a message if the connection is open. Returns false if the client reads too slowly. */
  send(message: string | JsonText | Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    const content = typeof message === 'string' ? new JsonText(message) : message
    const size = content instanceof JsonText ? this.#sizeOf(content) : content.length
    if (!this.#admit(size)) return false
    this.#add({ content, size })
    return true
  }

  /**
   * Counts a message as unread that is still to be made, and then sent by {@link sendAnnounced}.
   * Returns false if the client reads too slowly.
   *
   * @param size - bytes that the node keeps meanwhile
   */
  announce(size: number): boolean {
    if (!this.#admit(size)) return false
    this.#announced += size
    return true
  }

  /** Sends bytes that were announced with this size. */
  sendAnnounced(bytes: Buffer, size: number): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#announced -= size
    this.#add({ content: bytes, size: bytes.length })
  }

  /** Counts a message of this turn, unless the client reads too slowly for it. */
  #admit(size: number): boolean {
    if (this.#turn === undefined) {
      if (this.#isBehind()) return false
      this.#turn = 0
      this.#largest = 0
      process.nextTick(() => {
        if (this.#turn !== undefined && this.#turn > this.#longest) this.#longest = this.#turn
        this.#turn = undefined
      })
    }
    // The largest message does not count, so that an answer may have any size.
    if (this.#turn - this.#largest > LONGEST_TURN * this.#maxBuffered) return false
    this.#turn += size
    if (size > this.#largest) this.#largest = size
    return true
  }

  #add(message: Queued): void {
    this.#unwritten += message.size
    this.#queue.push(message)
    rota.add(this)
  }

  /** The characters in a message, without what it shares with the one before: that is kept once. */
  #sizeOf({ pieces, length }: JsonText): number {
    let size = length
    for (const piece of pieces) {
      if (typeof piece === 'string') continue
      if (piece === this.#shared) size -= piece.text.length
      this.#shared = piece
    }
    return size
  }

  /** True if more than the limit plus one turn is unread: one burst proves no slow reader. */
  #isBehind(): boolean {
    const unread = this.#unwritten + this.#announced + this.#socket.bufferedAmount
    if (unread === 0) this.#longest = 0
    return unread > this.#maxBuffered + this.#longest
  }

  /** Writes some messages, or part of a long one. Returns whether more can be written at once. */
  writeChunk(): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) this.clear()
    if (this.#isEmpty || this.#stream.writableNeedDrain) return false
    this.#stream.write(this.#nextChunk())
    return !this.#isEmpty && !this.#stream.writableNeedDrain
  }

  /** Writes all that is left, because the connection is about to be closed. */
  finish(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    while (!this.#isEmpty) this.#stream.write(this.#nextChunk())
  }

  /** Drops what is not written. */
  clear(): void {
    this.#queue = []
    this.#taken = 0
    this.#unwritten = 0
    this.#announced = 0
    this.#shared = undefined
    this.#fragments = undefined
  }

  get #isEmpty(): boolean {
    return this.#fragments === undefined && this.#taken === this.#queue.length
  }

  #nextChunk(): Buffer {
    const parts: Buffer[] = []
    for (let size = 0; size < CHUNK && !this.#isEmpty; ) {
      for (const part of this.#fragments === undefined
        ? this.#nextMessage()
        : this.#nextFragment()) {
        parts.push(part)
        size += part.length
      }
    }
    if (this.#taken === this.#queue.length) {
      this.#queue = []
      this.#taken = 0
      this.#shared = undefined
    }
    const [only] = parts
    // Not copied: all clients of a stream may share the frame.
    return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
  }

  /** The next message as a frame or, if it is long, its first fragment. */
  #nextMessage(): Buffer[] {
    const next = this.#queue[this.#taken++]
    if (next === undefined) return []
    const { content, size } = next
    this.#unwritten -= size
    if (!(content instanceof JsonText)) return [binaryFrame(content)]
    if (content.length > PIECE) {
      this.#fragments = content.encode()
      return this.#nextFragment(OPCODE_TEXT)
    }
    const [first] = content.pieces
    if (content.pieces.length === 1 && first instanceof SharedText) return [textFrame(first)]
    const parts: Buffer[] = []
    let own = ''
    for (const piece of content.pieces) {
      if (typeof piece === 'string') own += piece
      else {
        parts.push(Buffer.from(own), piece.bytes)
        own = ''
      }
    }
    parts.push(Buffer.from(own))
    return framed(OPCODE_TEXT | FINAL, parts)
  }

  #nextFragment(opcode = 0): Buffer[] {
    const { done, value } = this.#fragments?.next() ?? { done: true, value: undefined }
    if (done !== true && value !== undefined) return framed(opcode, [value])
    this.#fragments = undefined
    return framed(FINAL, [])
  }
}

/** Bits of a frame's first byte: the last fragment of a message; the first one of each kind. */
const [FINAL, OPCODE_TEXT, OPCODE_BINARY] = [0x80, 0x01, 0x02] as const

/** A frame as servers send them, without a mask (RFC 6455 §5.2). */
function framed(first: number, payload: Buffer[]): Buffer[] {
  let length = 0
  for (const part of payload) length += part.length
  let head: Buffer
  if (length < 126) head = Buffer.of(first, length)
  else if (length < 1 << 16) head = Buffer.of(first, 126, length >> 8, length & 0xff)
  else {
    head = Buffer.alloc(10)
    head[0] = first
    head[1] = 127
    head.writeUIntBE(length, 4, 6)
  }
  return [head, ...payload]
}

/** The frame of a message that is nothing but a text for many clients: made once for all. */
const textFrame = memoize((text: SharedText) =>
  Buffer.concat(framed(OPCODE_TEXT | FINAL, [text.bytes])),
)

/** The same for bytes. */
const binaryFrame = memoize((bytes: Buffer) =>
  Buffer.concat(framed(OPCODE_BINARY | FINAL, [bytes])),
)
