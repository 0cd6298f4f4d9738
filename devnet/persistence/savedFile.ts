import { accessSync, constants } from 'node:fs'
import { copyFile, open, readlink, realpath, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { lockFile } from '../primitives/fileLock.ts'
import { isSystemError, replaceFile } from '../primitives/files.ts'
import { isThere, unwritable } from '../primitives/foreign.ts'

export interface Save {
  /** Number of bytes. */
  readonly size: number
  /** Path of what another program had saved in between; `undefined` if none had. */
  readonly foreign: string | undefined
}

/**
 * A file that one node saves again and again, whole or not at all: wherever the process ends, there
 * is the old file or the new one. The content is written to `<file>.tmp` and synced, what another
 * program has saved meanwhile is copied to `<file>.other`, and the content is renamed to the file.
 *
 * Not with write-file-atomic, which knows of no other programs, wants the content in one piece,
 * follows no links to files that do not exist yet, and does not sync the folder.
 */
export class SavedFile {
  readonly path: string
  /** Lets other nodes save to it. */
  readonly close: () => void
  readonly #target: string
  /** The version that this process has last read or saved. */
  #known: string | undefined

  private constructor(path: string, target: string, known: string | undefined, close: () => void) {
    this.path = path
    this.#target = target
    this.#known = known
    this.close = close
  }

  /**
   * Locks the file and checks that it can be saved, so that a node fails at its start and not when
   * it stops. To be called before the file is read: what others save from then on is set aside.
   *
   * @throws {OptionError} if another node saves to it
   * @throws {ChainFileError} if it cannot be saved
   */
  static async open(path: string): Promise<SavedFile> {
    let folder = dirname(path)
    let unlock: (() => void) | undefined
    try {
      const target = await targetOf(path)
      folder = dirname(target)
      const found = await stat(folder)
      if (!found.isDirectory()) throw unwritable(path, `${folder} is a file, not a folder`)
      accessSync(folder, constants.W_OK)
      if (await isThere(path)) {
        if ((await stat(path)).isDirectory()) throw unwritable(path, 'it is a folder')
        accessSync(path, constants.W_OK)
      }
      unlock = lockFile(target, 'saves to', 'stop it')
      // What a killed process left.
      for (const ending of ['.tmp', '.other.tmp']) await rm(target + ending, { force: true })
      return new SavedFile(path, target, await versionOf(target), unlock)
    } catch (error) {
      unlock?.()
      if (!isSystemError(error)) throw error
      const isMissing = error.code === 'ENOENT'
      throw unwritable(path, isMissing ? `the folder ${folder} does not exist` : error)
    }
  }

  /** @throws {ChainFileError} if it cannot be saved */
  async save(chunks: AsyncIterable<Uint8Array>): Promise<Save> {
    const target = this.#target
    const temporary = `${target}.tmp`
    try {
      const size = await writeSynced(temporary, chunks)
      const version = await versionOf(temporary)
      const foreign = await this.#setAside()
      await replaceFile(temporary, target)
      this.#known = version
      await syncFolder(dirname(target))
      return { size, foreign }
    } catch (error) {
      throw isSystemError(error) ? unwritable(this.path, error) : error
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** Keeps what another program has saved since. @returns where; `undefined` if none has */
  async #setAside(): Promise<string | undefined> {
    const target = this.#target
    const present = await versionOf(target)
    if (present === undefined || present === this.#known) return undefined
    const aside = `${target}.other`
    const copy = `${aside}.tmp`
    try {
      await copyFile(target, copy)
      const file = await open(copy, 'r+')
      await file.sync().finally(() => file.close())
      await replaceFile(copy, aside)
    } finally {
      await rm(copy, { force: true })
    }
    await syncFolder(dirname(target))
    return aside
  }
}

/** Tells one version of a file from another; `undefined` if there is no file. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
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
      // EINVAL: no link, but a file that another process has just saved.
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EINVAL')) throw error
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

/** Syncs a folder: without this, a power loss could undo the renaming of a file in it. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and does not need to.
  if (process.platform === 'win32') return
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
