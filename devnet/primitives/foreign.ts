import { constants, readFileSync, statSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { ChainFileError, reasonOf } from './errors.ts'
import { isSystemError } from './files.ts'

/** V8's maximum string length: what is longer cannot be parsed as JSON. */
export const LONGEST_TEXT = 536_870_888

/**
 * The bytes of a file that somebody else may have written.
 *
 * @param most - bytes
 * @throws {ChainFileError} if it is too large, or no readable regular file
 */
export async function readForeignFile(path: string, most = LONGEST_TEXT): Promise<Buffer> {
  checkFile(path, most)
  return await readFile(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
}

/** As {@link readForeignFile}, for what runs when the process exits. */
export function readForeignFileNow(path: string): Buffer {
  checkFile(path, LONGEST_TEXT)
  return tried(path, () => readFileSync(path))
}

/**
 * A device or a pipe has no end that one could wait for: `/dev/zero` would be read until the memory
 * is used up.
 *
 * @throws {ChainFileError} if it is not a regular file, or larger than `most` bytes
 */
export function checkFile(path: string, most = Number.POSITIVE_INFINITY): void {
  const found = tried(path, () => statSync(path))
  if (found.isDirectory()) throw unreadable(path, 'it is a folder')
  if (!found.isFile()) throw unreadable(path, 'it is a device, a pipe or a socket, not a file')
  if (found.size <= most) return
  throw new ChainFileError(`${path} has ${found.size} bytes, more than can be read.`)
}

function tried<Value>(path: string, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** The error that says why a file cannot be read, in the words of the system. */
export function unreadable(path: string, cause: unknown): ChainFileError {
  return new ChainFileError(`${path} cannot be read: ${systemReason(cause)}.`, { cause })
}

/** The error that says why a file cannot be saved, in the words of the system. */
export function unwritable(path: string, cause: unknown): ChainFileError {
  return new ChainFileError(`${path} cannot be saved: ${systemReason(cause)}.`, { cause })
}

/** The reason without the system call and the path that Node.js adds. */
function systemReason(cause: unknown): string {
  return reasonOf(cause).replace(/, \w+(?: '.*')?$/, '')
}

/** True if anything exists at `path`. @throws {Error} if that cannot be determined */
export async function isThere(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK)
    return true
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false
    throw error
  }
}

/** A body has more bytes than its reader takes. */
export class LongBodyError extends Error {
  override name = 'LongBodyError'
}

/**
 * The text of a body of a stranger.
 *
 * @param most - bytes
 * @throws {LongBodyError} as soon as there are more; the rest is not read
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  most: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most) throw new LongBodyError(`an answer of more than ${most >> 20} MiB`)
  }
  return Buffer.concat(chunks).toString('utf8')
}
