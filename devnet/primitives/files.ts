import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** ms between the attempts to replace a file. */
const PAUSES = [10, 20, 40, 80, 160, 320, 640]

/**
 * Renames a file over another one. On Windows this fails as long as some program, such as a virus
 * scanner, has either of them open: it is tried again, for 1.3 s at most.
 */
export async function replaceFile(from: string, to: string): Promise<void> {
  for (const pause of PAUSES) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (!isSystemError(error, 'EACCES', 'EBUSY', 'EPERM')) throw error
    }
    await setTimeout(pause)
  }
  await rename(from, to)
}

/** Names this process in those of its temporary files: process ids are used again. */
export const PROCESS = randomBytes(4).toString('hex')

/**
 * The temporary files of saves to a file that go on, or were killed.
 *
 * @param names - all in its folder
 */
export function leftoversOf(target: string, names: readonly string[]) {
  const [folder, own] = [dirname(target), basename(target)]
  return names.flatMap((name) => {
    if (!name.startsWith(own)) return []
    const [, pid, id, kind] =
      /^\.(\d+)(?:\.(\w+))?\.(tmp|whole)$/.exec(name.slice(own.length)) ?? []
    if (pid === undefined) return []
    const isAbandoned = !isAlive(Number(pid), id)
    return [{ path: join(folder, name), isWhole: kind === 'whole', isAbandoned }]
  })
}

/** True if a process runs. @param id - of its temporary files. Default: not known */
export function isAlive(pid: number, id?: string): boolean {
  // In a container, each start may have the same process id.
  if (pid === process.pid && id !== undefined) return id.startsWith(PROCESS)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return isSystemError(error, 'EPERM')
  }
}

/** @param codes - the error codes to accept; default: any */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return codes.length === 0 || codes.some((code) => code === error.code)
}
