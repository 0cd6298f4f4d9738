import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { ChainFileError } from '../primitives/errors.ts'
import { isSystemError } from '../primitives/files.ts'

/** V8's maximum string length: what is longer cannot be parsed as JSON. */
export const LONGEST_TEXT = 536_870_888

/** The bytes of a file. @throws {ChainFileError} if it is too large, or no readable regular file */
export async function readChainFile(path: string): Promise<Buffer> {
  const size = await sizeOf(path)
  if (size > LONGEST_TEXT) {
    throw new ChainFileError(`${path} has ${size} bytes, more than can be read.`)
  }
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/**
 * Size in bytes of a file that is about to be read. A device or a pipe has no end that one could
 * wait for: `/dev/zero` would be read until the memory is used up.
 *
 * @throws {ChainFileError} if it is not a regular file
 */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  if (found.isDirectory()) throw unreadable(path, 'it is a folder')
  if (!found.isFile()) throw unreadable(path, 'it is a device, a pipe or a socket, not a file')
  return found.size
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
  return cause instanceof Error ? cause.message.replace(/, \w+(?: '.*')?$/, '') : String(cause)
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
