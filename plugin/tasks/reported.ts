import type { Result } from 'hardhat/types/utils'
import { ChainFileError, DevnetError, OptionError, tell } from '../../devnet/pluginApi.ts'

/**
 * Runs the work of a task. An error that the user can fix becomes one sentence on stderr and a
 * failed result, for which Hardhat sets the exit code 1; if it were thrown, Hardhat would add
 * advice and, in CI, its stack. Any other error is a bug and is thrown to Hardhat.
 */
export async function reported<T>(work: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return { success: true, value: await work() }
  } catch (error) {
    if (!isForUser(error)) throw error
    tell(error.message)
    return { success: false, error: error.message }
  }
}

/** A ListenError is recognised by its name, because importing its class would load the server. */
function isForUser(error: unknown): error is Error {
  if (error instanceof OptionError || error instanceof DevnetError) return true
  if (error instanceof ChainFileError) return true
  return error instanceof Error && error.name === 'ListenError'
}
