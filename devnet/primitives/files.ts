import { rename } from 'node:fs/promises'
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

/** @param codes - the error codes to accept; default: any */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return codes.length === 0 || codes.some((code) => code === error.code)
}
