import { constants } from 'node:fs'
import {
  access,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ChainFileError } from '../primitives/errors.ts'

/**
 * Writes a file whole or not at all: to a temporary file beside it, which replaces it at the end.
 *
 * Not with write-file-atomic, which wants the content in one piece, follows no links to files that
 * do not exist yet, does not sync the folder, and leaves temporary files behind when killed.
 *
 * @returns size in bytes
 * @throws {ChainFileError} if that fails; the file is unchanged then
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  try {
    const target = await targetOf(path)
    const temporary = temporaryName(target)
    try {
      const size = await writeSynced(temporary, chunks)
      await rename(temporary, target)
      await syncFolder(dirname(target))
      return size
    } finally {
      await rm(temporary, { force: true })
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw unwritable(path, error)
  }
}

/**
 * The file that `path` links to, even if it does not exist yet: renaming a file to `path` would
 * replace the link itself.
 */
async function targetOf(path: string): Promise<string> {
  for (const follow of [realpath, readlink]) {
    try {
      const next = await follow(path)
      return follow === realpath ? next : await targetOf(resolve(dirname(path), next))
    } catch (error) {
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error
    }
  }
  return path
}

/**
 * What tells one version of a file from another; `undefined` if there is no file.
 *
 * @throws {ChainFileError} if it cannot be looked up
 */
export async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw isSystemError(error) ? unreadable(path, error) : error
  }
}

/**
 * Moves a file out of the way of another one.
 *
 * @returns its new path, beside the old one
 * @throws {ChainFileError} if it cannot be moved
 */
export async function setAside(path: string): Promise<string> {
  try {
    const target = await targetOf(path)
    const aside = join(dirname(target), `other-${basename(target)}`)
    await rename(target, aside)
    return aside
  } catch (error) {
    throw isSystemError(error) ? unwritable(path, error) : error
  }
}

async function writeSynced(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'w')
  let size = 0
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      size += chunk.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return size
}

/** Syncs a folder: without this, a power loss could undo the renaming of a file in it. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and does not need to.
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Contains the process id, so that two processes can save to one file without mixing content. */
function temporaryName(path: string): string {
  return `${path}.${process.pid}.tmp`
}

/**
 * Checks that a state can be saved to `path`, so that a node fails at its start and not when it
 * stops. Removes temporary files of processes that were killed while saving.
 *
 * @throws {ChainFileError} if it cannot be saved
 */
export async function prepareStateFile(path: string): Promise<void> {
  let folder = dirname(path)
  try {
    const target = await targetOf(path)
    folder = dirname(target)
    const found = await stat(folder)
    if (!found.isDirectory()) throw unwritable(path, `${folder} is a file, not a folder`)
    await access(folder, constants.W_OK)
    if (await isThere(path)) {
      if ((await stat(path)).isDirectory()) throw unwritable(path, 'it is a folder')
      await access(path, constants.W_OK)
    }
    await sweep(target, folder)
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw unwritable(path, error.code === 'ENOENT' ? `the folder ${folder} does not exist` : error)
  }
}

async function sweep(path: string, folder: string): Promise<void> {
  const own = basename(path)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(own)) continue
    const [, pid] = /^\.(\d+)\.tmp$/.exec(name.slice(own.length)) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return isSystemError(error, 'EPERM')
  }
}

/** V8's maximum string length: what is longer cannot be parsed as JSON. */
export const LONGEST_TEXT = 536_870_888

/**
 * The bytes of a file.
 *
 * @throws {ChainFileError} if it cannot be read, is too large to be parsed, or is no regular file
 */
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
  return new ChainFileError(`${path} cannot be read: ${reasonOf(cause)}.`, { cause })
}

function unwritable(path: string, cause: unknown): ChainFileError {
  return new ChainFileError(`${path} cannot be saved: ${reasonOf(cause)}.`, { cause })
}

/** The message of an error without the system call and the path that Node.js adds. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/, \w+(?: '.*')?$/, '') : String(cause)
}

/** Whether anything exists at `path`. @throws {Error} if that cannot be determined */
export async function isThere(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK)
    return true
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false
    throw error
  }
}

/** @param codes - the error codes to accept; default: any */
function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return codes.length === 0 || codes.includes(String(error.code))
}
