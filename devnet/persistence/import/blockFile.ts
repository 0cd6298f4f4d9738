import { type FileHandle, open } from 'node:fs/promises'
import { concatBytes } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { unreadable } from './genesisFile.ts'

/** The encoding of one block, and where it is in its file. */
export interface FileBlock {
  /** In bytes from the beginning of the file. */
  readonly offset: number
  readonly bytes: Uint8Array
}

/** Bytes that are read at once: files of blocks may be larger than the memory. */
const CHUNK = 1 << 20

/** A longer block is none: at the highest gas limits so far one has some 10 MB. */
const LONGEST_BLOCK = 1 << 30

/** First byte of an RLP list of up to 55 bytes, and of one whose length follows. */
const SHORT_LIST = 0xc0
const LONG_LIST = 0xf8

/**
 * The RLP lists of a file, one after the other, without a look into them.
 *
 * @throws {ChainFileError} where the file cannot be read, ends in the midst of a list, or holds something else
 */
export async function* readBlocks(path: string): AsyncGenerator<FileBlock> {
  const file = await openFile(path)
  try {
    const reader = new Reader(file, path)
    while (await reader.has(1)) {
      const { offset } = reader
      yield { offset, bytes: await reader.take(await nextLength(reader)) }
    }
  } finally {
    await file.close()
  }
}

/** Bytes of the list that is next, its head included. */
async function nextLength(reader: Reader): Promise<number> {
  const first = reader.peek(0)
  if (first < SHORT_LIST) {
    throw reader.error(`0x${first.toString(16).padStart(2, '0')} does not begin a block`)
  }
  if (first < LONG_LIST) return 1 + first - SHORT_LIST
  const digits = first - LONG_LIST + 1
  await reader.require(1 + digits)
  let length = 0
  for (let index = 1; index <= digits; index++) length = length * 256 + reader.peek(index)
  if (length > LONGEST_BLOCK) throw reader.error(`a block cannot be ${length} bytes long`)
  return 1 + digits + length
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Reads a file from its beginning. */
class Reader {
  /** Of the next byte. */
  offset = 0
  readonly #file: FileHandle
  readonly #path: string
  #buffer: Uint8Array = new Uint8Array(0)
  /** Where the next byte is in the buffer. */
  #start = 0

  constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  error(problem: string): ChainFileError {
    return new ChainFileError(`${this.#path}, byte ${this.offset}: ${problem}.`)
  }

  /** The byte at `index` from the next one on; {@link has} must have been true for it. */
  peek(index: number): number {
    return this.#buffer[this.#start + index] ?? 0
  }

  /** Whether the file has `count` bytes more. */
  async has(count: number): Promise<boolean> {
    while (this.#buffer.length - this.#start < count) {
      const missing = count - (this.#buffer.length - this.#start)
      const chunk = await this.#read(Math.max(CHUNK, missing))
      if (chunk.length === 0) return false
      const rest = this.#buffer.subarray(this.#start)
      this.#buffer = rest.length === 0 ? chunk : concatBytes(rest, chunk)
      this.#start = 0
    }
    return true
  }

  async require(count: number): Promise<void> {
    if (await this.has(count)) return
    const missing = count - (this.#buffer.length - this.#start)
    const bytes = missing === 1 ? '1 byte' : `${missing} bytes`
    throw this.error(`the file ends in the midst of a block, ${bytes} too early`)
  }

  async take(count: number): Promise<Uint8Array> {
    await this.require(count)
    const bytes = this.#buffer.subarray(this.#start, this.#start + count)
    this.#start += count
    this.offset += count
    return bytes
  }

  async #read(length: number): Promise<Uint8Array> {
    try {
      const { buffer, bytesRead } = await this.#file.read(new Uint8Array(length), 0, length)
      return buffer.subarray(0, bytesRead)
    } catch (error) {
      throw unreadable(this.#path, error)
    }
  }
}
