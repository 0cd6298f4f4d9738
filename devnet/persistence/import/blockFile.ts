import { createReadStream } from 'node:fs'
import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { checkFile, unreadable } from '../../primitives/foreign.ts'
import { RLP_LIST } from '../../primitives/rlp.ts'
import { LONG_LIST } from '../../primitives/rlpReader.ts'

/** Number of bytes to read at a time: a file of blocks may be larger than the memory. */
const CHUNK = 1 << 20

/** Maximum size of a block in bytes. At the highest gas limits so far, a block has about 10 MB. */
const LONGEST_BLOCK = 1 << 30

/**
 * The RLP lists of a file, one after the other, not decoded.
 *
 * @returns each with its place, in bytes from the beginning of the file
 * @throws {ChainFileError} if the file cannot be read, ends inside a list, or holds anything else
 */
export async function* readBlocks(
  path: string,
): AsyncGenerator<{ offset: number; bytes: Uint8Array }> {
  let [buffer, offset, missing] = [EMPTY_BYTES, 0, 1]
  const failure = (problem: string) => new ChainFileError(`${path}, byte ${offset}: ${problem}.`)
  let read: Uint8Array[] = []
  for await (const chunk of chunksOf(path)) {
    read.push(chunk)
    missing -= chunk.length
    if (missing > 0) continue
    buffer = concatBytes(buffer, ...read)
    read = []
    for (;;) {
      const length = listLength(buffer, failure)
      missing = length - buffer.length
      if (missing > 0) break
      yield { offset, bytes: buffer.subarray(0, length) }
      buffer = buffer.subarray(length)
      offset += length
    }
  }
  if (buffer.length === 0 && read.length === 0) return
  const bytes = missing === 1 ? '1 byte' : `${missing} bytes`
  throw failure(`the file ends inside a block, ${bytes} too early`)
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  checkFile(path)
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK })
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Length of the list at the start of `bytes`, or a lower bound if its prefix is cut off. */
function listLength(bytes: Uint8Array, failure: (problem: string) => ChainFileError): number {
  const [first] = bytes
  if (first === undefined) return 1
  if (first < RLP_LIST) {
    throw failure(`0x${first.toString(16).padStart(2, '0')} does not begin a block`)
  }
  if (first < LONG_LIST) return 1 + first - RLP_LIST
  const head = 2 + first - LONG_LIST
  if (bytes.length < head) return head
  let length = 0
  for (const byte of bytes.subarray(1, head)) length = length * 256 + byte
  if (length > LONGEST_BLOCK) throw failure(`a block cannot be ${length} bytes long`)
  return head + length
}
