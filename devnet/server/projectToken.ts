import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../primitives/files.ts'
import { warn } from '../primitives/warn.ts'
import { isToken, newToken } from './accessToken.ts'

/**
 * The token of a project, which outlives the runs of its nodes, so that a page that is open goes
 * on after a restart. It is in a file that only the user may read. If there can be none, this run
 * has a token of its own, and the log says why.
 *
 * @param project - path of its folder
 * @param folder - of the files. Default: that of the user's caches
 */
export async function projectToken(project: string, folder?: string): Promise<string> {
  try {
    const name = createHash('sha256')
      .update(await realpath(project))
      .digest('hex')
    const tokens = folder ?? (await folderOfUser())
    await mkdir(tokens, { recursive: true, mode: 0o700 })
    const path = join(tokens, name.slice(0, 32))
    return (await read(path)) ?? (await create(path))
  } catch (error) {
    if (!(error instanceof NotOwnError || isSystemError(error))) throw error
    warn(`the dashboard has another token in each run: ${error.message}`)
    return newToken()
  }
}

async function folderOfUser(): Promise<string> {
  const { default: envPaths } = await import('env-paths')
  return join(envPaths('hardhat-pending-node', { suffix: '' }).cache, 'dashboard')
}

/** Bytes of a token at most. */
const LONGEST = 200

/** @returns `undefined` if there is no file */
async function read(path: string): Promise<string | undefined> {
  // Windows has neither flag, nor the modes below: there, the folder is the user's alone.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error
  })
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    const user = process.getuid?.()
    const isOwn = user === undefined || (found.uid === user && (found.mode & 0o077) === 0)
    const isGood = isOwn && found.isFile() && found.size <= LONGEST
    const text = isGood ? await file.readFile('utf8') : ''
    if (!isToken(text)) throw new NotOwnError(path)
    return text
  } finally {
    await file.close()
  }
}

/** Of nodes that start at the same time, the first one's token stays. */
async function create(path: string): Promise<string> {
  const token = newToken()
  const whole = `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`
  try {
    await writeFile(whole, token, { flag: 'wx', mode: 0o600 })
    // Unlike a new name, another link replaces no file.
    await link(whole, path)
    return token
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
    return (await read(path)) ?? token
  } finally {
    await rm(whole, { force: true })
  }
}

class NotOwnError extends Error {
  constructor(path: string) {
    super(`${path} must be a file of yours that nobody else may read, with a token: remove it`)
  }
}
