/** The global set-up cannot do its work; the message says what to do. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/** Errors of the node whose message is all that a user needs; classes would load the node. */
const NAMES = ['OptionError', 'ListenError', 'ChainFileError']

/** An error that the user can put right, without what vitest would print beside its message. */
export function forUser(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const known = NAMES.includes(error.name) ? new SetupError(error.message) : error
  // Places in this package and in vitest say nothing more.
  if (known instanceof SetupError) known.stack = String(known)
  return known
}

const WAY_OUT = 'leave compiling out with createGlobalSetup({ compile: false })'

/**
 * Compiles the contracts of the Hardhat project that the working directory is in.
 *
 * @throws {SetupError} when there is none, its configuration fails, or its contracts do not compile
 */
export async function compileProject(): Promise<void> {
  const { default: hre } = await loadHardhat()
  try {
    await hre.tasks.getTask('build').run({
      quiet: true,
      // As `hardhat test` does; where tests are no scope of their own, there is nothing to leave out.
      noTests: hre.config.solidity.splitTestsCompilation,
    })
  } catch (error) {
    if (hasNumber(error, 910)) {
      throw new SetupError(
        `The contracts do not compile: correct what is printed above, or ${WAY_OUT}.`,
      )
    }
    throw new SetupError(`The contracts cannot be compiled: correct the cause, or ${WAY_OUT}.`, {
      cause: error,
    })
  }
}

/** Loading Hardhat reads the project's configuration. */
async function loadHardhat(): Promise<typeof import('hardhat')> {
  try {
    return await import('hardhat')
  } catch (error) {
    if (hasNumber(error, 3)) {
      throw new SetupError(
        `There is no Hardhat configuration in ${process.cwd()} or above it: run vitest in a Hardhat project, or ${WAY_OUT}.`,
      )
    }
    throw new SetupError(
      `The Hardhat configuration for ${process.cwd()} does not load: correct the cause, or ${WAY_OUT}.`,
      { cause: error },
    )
  }
}

/** Hardhat's errors begin with their number. */
function hasNumber(error: unknown, number: number): boolean {
  return error instanceof Error && error.message.startsWith(`HHE${number}:`)
}
