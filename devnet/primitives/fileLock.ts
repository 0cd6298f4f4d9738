import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { OptionError } from './errors.ts'
import { isSystemError } from './files.ts'
import { readForeignFileNow, unwritable } from './foreign.ts'

/** Those that this process has. */
const locks = new Set<string>()

/**
 * Keeps other nodes from writing to a file until this process ends. The lock of a killed process
 * does not count. Makes the folder of the file.
 *
 * @param use - what its owner does with the file, such as `records to`
 * @param advice - what to do about its owner, such as `wait for it`
 * @returns unlocks the file before
 * @throws {OptionError} if a node of this process or of another one has it
 * @throws {ChainFileError} if there can be no lock beside the file
 */
export function lockFile(path: string, use: string, advice: string): () => void {
  const file = `${resolve(path)}.lock`
  try {
    mkdirSync(dirname(file), { recursive: true })
    while (!isCreated(file)) {
      const owner = Number(readForeignFileNow(file).toString())
      if (isOwned(file, owner)) {
        const isOwn = owner === process.pid
        const who = isOwn ? 'Another node of this process' : `Process ${owner}`
        const hint = isOwn ? '' : ` If that is another program, delete ${file}.`
        throw new OptionError(
          `${who} ${use} ${path} until it ends: ${advice}, or name another file.${hint}`,
        )
      }
      rmSync(file, { force: true })
    }
  } catch (error) {
    throw isSystemError(error) ? unwritable(path, error) : error
  }
  if (!process.listeners('exit').includes(unlockAll)) process.on('exit', unlockAll)
  locks.add(file)
  return () => {
    if (locks.delete(file)) rmSync(file, { force: true })
  }
}

function unlockAll(): void {
  for (const file of locks) rmSync(file, { force: true })
}

function isCreated(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

/** True if the process that made a lock still runs. */
function isOwned(file: string, owner: number): boolean {
  // In a container, each start may have the same process id.
  if (owner === process.pid) return statSync(file).mtimeMs >= performance.timeOrigin
  try {
    return process.kill(owner, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return isSystemError(error, 'EPERM')
  }
}
