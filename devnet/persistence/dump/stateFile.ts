import { constants } from 'node:fs'
import {
  access,
  type FileHandle,
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
import { ChainFileError } from '../../primitives/errors.ts'
import { unreadable } from '../import/genesisFile.ts'

/**
 * Writes a file whole or not at all: into another one in the same folder, which takes its place once it is on disk.
 *
 * @returns bytes
 * @throws {ChainFileError} where that cannot be done; the file is then as it was before
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

/** Where `path` leads, as a link would become a file if it were renamed over; also a link to what is not there yet. */
async function targetOf(path: string): Promise<string> {
  for (const follow of [realpath, readlink]) {
    try {
      const next = await follow(path)
      return follow === realpath ? next : await targetOf(resolve(dirname(path), next))
    } catch (error) {
      if (!isSystemError(error) || (error.code !== 'ENOENT' && error.code !== 'ENOTDIR'))
        throw error
    }
  }
  return path
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

/** Without that, a loss of power could undo the renaming. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and needs none of this.
  if (process.platform === 'win32') return
  let folder: FileHandle | undefined
  try {
    folder = await open(path)
    await folder.sync()
  } finally {
    await folder?.close()
  }
}

/** Of this process: two that save to one file do not write into each other's. */
function temporaryName(path: string): string {
  return `${path}.${process.pid}.tmp`
}

/**
 * Looks whether a state can be saved to `path`, so that a node does not find out when it ends, and removes what a process
 * that was killed while it saved has left there.
 *
 * @throws {ChainFileError}
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
    const [, pid] = name.startsWith(`${own}.`)
      ? (/^\.(\d+)\.tmp$/.exec(name.slice(own.length)) ?? [])
      : []
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It is there, and somebody else's.
    return isSystemError(error) && error.code === 'EPERM'
  }
}

/** The bytes of a state file. @throws {ChainFileError} */
export async function readStateFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Whether there is anything at `path`. @throws {Error} where that cannot be told */
export async function isThere(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK)
    return true
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false
    throw error
  }
}

function unwritable(path: string, cause: Error | string): ChainFileError {
  const reason = typeof cause === 'string' ? cause : cause.message.replace(/, \w+(?: '.*')?$/, '')
  return new ChainFileError(`${path} cannot be saved: ${reason}.`, { cause })
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
