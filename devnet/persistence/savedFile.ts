import { accessSync, constants } from 'node:fs'
import { copyFile, link, open, readdir, readlink, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ChainFileError } from '../primitives/errors.ts'
import { isSystemError, leftoversOf, PROCESS, replaceFile } from '../primitives/files.ts'
import { isThere, unreadable, unwritable } from '../primitives/foreign.ts'

let opened = 0

export interface Save {
  /** Number of bytes. */
  readonly size: number
  /** Path of what another program had saved in between; `undefined` if none had. */
  readonly foreign: string | undefined
  /** Another path of this save, if one that went on at the same time may have replaced it. */
  readonly own: string | undefined
}

/**
 * A file that is saved again and again, whole or not at all, and that other programs may save too.
 * At no moment is there no file, and nothing that was whole is lost, wherever a process ends:
 *
 * 1. The content is written to `<file>.<process>.tmp` and synced. `<file>.<process>.whole` then
 *    says that it is.
 * 2. What another program has saved meanwhile gets a second name, `other-<number>-<file>`.
 * 3. The content gets a second name, which replaces the file.
 * 4. `.whole` is removed. It becomes an `other-` file if the file is another one by now, or if
 *    there is another `.whole`: that save may have done its step 2 before this one's step 3.
 *
 * Not with write-file-atomic, which knows of no other programs, wants the content in one piece,
 * follows no links to files that do not exist yet, and does not sync the folder.
 */
export class SavedFile {
  readonly path: string
  readonly #id = `${process.pid}.${PROCESS}${opened++}`
  /** The version that this process has last read or saved. */
  #known: string | undefined
  /** The version that this process has last saved. */
  #saved: string | undefined

  /** @param known - the present version, see {@link versionOf}. Default: there is no file */
  constructor(path: string, known?: string) {
    this.path = path
    this.#known = known
  }

  /**
   * Checks that a file can be saved to `path`, so that a node fails at its start and not when it
   * stops. Removes what processes left that were killed while saving; what they had not put in
   * place yet becomes the file, or an `other-` file if there is one.
   *
   * @returns `found`: the paths of these `other-` files
   * @throws {ChainFileError} if it cannot be saved
   */
  static async open(path: string): Promise<{ readonly file: SavedFile; readonly found: string[] }> {
    let folder = dirname(path)
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
      const asides = await sweep(target)
      return { file: new SavedFile(path, await versionOf(path)), found: asides }
    } catch (error) {
      if (!isSystemError(error)) throw error
      const isMissing = error.code === 'ENOENT'
      throw unwritable(path, isMissing ? `the folder ${folder} does not exist` : error)
    }
  }

  /** @throws {ChainFileError} if it cannot be saved */
  async save(chunks: AsyncIterable<Uint8Array>): Promise<Save> {
    try {
      const target = await targetOf(this.path)
      const [temporary, whole] = [`${target}.${this.#id}.tmp`, `${target}.${this.#id}.whole`]
      try {
        const size = await writeSynced(temporary, chunks)
        await replaceFile(temporary, whole)
        const present = await versionOf(target)
        const isForeign = present !== undefined && present !== this.#known
        const foreign = isForeign ? await nameAside(target, target) : undefined
        await secondName(whole, temporary)
        const version = await versionOf(temporary)
        if (foreign !== undefined) await syncFolder(dirname(target))
        await replaceFile(temporary, target)
        this.#known = version
        await syncFolder(dirname(target))
        const own = await settle(target, whole, version)
        await this.#supersede(target, version)
        return { size, foreign, own }
      } finally {
        await rm(temporary, { force: true })
      }
    } catch (error) {
      throw isSystemError(error) ? unwritable(this.path, error) : error
    }
  }

  /** Removes the last save where others have set it aside: two nodes would fill the disk. */
  async #supersede(target: string, version: string | undefined): Promise<void> {
    const superseded = this.#saved
    this.#saved = version
    if (superseded === undefined) return
    for (const aside of await asidesOf(target)) {
      if ((await versionOf(aside)) === superseded) await rm(aside, { force: true })
    }
  }
}

/**
 * Checks that a chain which is to be kept in a file may begin anew, as there is no such file.
 *
 * @throws {ChainFileError} if there are only versions of it that were set aside
 */
export async function checkNoneAside(path: string): Promise<void> {
  const target = await targetOf(path)
  const asides = await asidesOf(target)
  if (asides.length === 0) return
  throw new ChainFileError(
    `${path} does not exist, but what was set aside for it does: ${asides.join(', ')}. Rename the one to continue with to ${basename(target)}, or move all of them away to begin anew.`,
  )
}

/**
 * Tells one version of a file from another; `undefined` if there is no file.
 *
 * @throws {ChainFileError} if it cannot be looked up
 */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw isSystemError(error) ? unreadable(path, error) : error
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

/** Ends step 4 of a save. @returns where it lies besides, if it had to be kept */
async function settle(
  target: string,
  whole: string,
  version: string | undefined,
): Promise<string | undefined> {
  const others = leftoversOf(target, await readdir(dirname(target)))
  const isContended = others.some(
    ({ path, isWhole, isAbandoned }) => isWhole && !isAbandoned && path !== whole,
  )
  // Looked up last: a save that was no longer found has replaced the file before.
  const isPlaced = (await versionOf(target)) === version
  const aside = isPlaced && !isContended ? undefined : await nameAside(target, whole)
  await rm(whole, { force: true })
  return aside
}

/** Gives a file the next free `other-` name. @returns `undefined` if there is no such file */
async function nameAside(target: string, from: string): Promise<string | undefined> {
  for (let number = 1; ; number++) {
    const aside = join(dirname(target), `other-${number}-${basename(target)}`)
    try {
      await secondName(from, aside)
      return aside
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return undefined
      if (!isSystemError(error, 'EEXIST')) throw error
    }
  }
}

async function asidesOf(target: string): Promise<string[]> {
  const [folder, name] = [dirname(target), basename(target)]
  const isAside = (other: string) =>
    other.endsWith(`-${name}`) && /^other-\d+$/.test(other.slice(0, -name.length - 1))
  return (await readdir(folder)).filter(isAside).map((aside) => join(folder, aside))
}

/** Gives a file another name, by a copy where the file system has no hard links. */
async function secondName(from: string, to: string): Promise<void> {
  try {
    return await link(from, to)
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EEXIST', 'ENOSPC')) throw error
  }
  await copyFile(from, to, constants.COPYFILE_EXCL)
  const copy = await open(to, 'r+')
  await copy.sync().finally(() => copy.close())
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

/** @returns paths of what was set aside */
async function sweep(target: string): Promise<string[]> {
  const asides: string[] = []
  const leftovers = leftoversOf(target, await readdir(dirname(target)))
  for (const { path, isWhole } of leftovers.filter(({ isAbandoned }) => isAbandoned)) {
    const present = await versionOf(target)
    if (isWhole && present === undefined) await replaceFile(path, target)
    else {
      const isLost = isWhole && present !== (await versionOf(path))
      const aside = isLost ? await nameAside(target, path) : undefined
      if (aside !== undefined) asides.push(aside)
      await rm(path, { force: true })
    }
  }
  return asides
}
