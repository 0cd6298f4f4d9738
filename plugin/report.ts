import type { Result } from 'hardhat/types/utils'
import { ChainFileError, DevnetError, OptionError } from '../devnet/errors.ts'

/**
 * Runs the work of a task. An error that the user can put right is one sentence on stderr and a failed result,
 * for which Hardhat sets the exit code 1; thrown, it would be printed with advice and, in CI, with its stack.
 * Any other error is a defect and goes on to Hardhat.
 */
export async function reported<T>(work: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return { success: true, value: await work() }
  } catch (error) {
    if (!isForUser(error)) throw error
    console.error(error.message)
    return { success: false, error: error.message }
  }
}

/** A ListenError is known by its name, because its class comes with the server, which most tasks do not load. */
function isForUser(error: unknown): error is Error {
  if (error instanceof OptionError || error instanceof DevnetError) return true
  if (error instanceof ChainFileError) return true
  return error instanceof Error && error.name === 'ListenError'
}
