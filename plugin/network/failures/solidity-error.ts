import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../devnet/index.ts'
import { foldedRows } from '../../../devnet/pluginApi.ts'
import type { Explanation } from './replay.ts'

/** Reason why a request failed, as JSON-RPC has it. */
export interface Failure {
  readonly message: string
  readonly data: Hex
  /** Of the transaction that failed. Default: a call failed */
  readonly transactionHash?: Hex | undefined
}

/**
 * A failure with the Solidity frames that Hardhat's own network gives it. It stands for the
 * `SolidityError` of Hardhat, which does not export it: libraries know it by its name and its code.
 * Its stack has those frames, then the JavaScript frames of the caller without those of Hardhat and
 * of this plugin.
 */
export class SolidityError extends Error {
  override readonly name = 'SolidityError'
  readonly code = 3
  readonly data: Hex
  declare readonly transactionHash?: Hex
  /** The Solidity frames alone, one a line: reporters print them. */
  declare readonly solidityStack: string

  constructor(failure: Failure, explanation: Explanation) {
    super(explainedMessage(failure, explanation.message))
    this.data = failure.data
    if (failure.transactionHash !== undefined) this.transactionHash = failure.transactionHash
    // Not enumerable, as it is in the stack. Hardhat's own has a field `stackTrace` too, with the
    // source text of each frame, all of which vitest would print.
    Object.defineProperty(this, 'solidityStack', {
      value: folded(explanation.solidityStack.split('\n')).join('\n'),
    })
    const frames = solidityFrames(explanation)
    const caller: { stack?: string } = {}
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = STACK_LIMIT
    Error.captureStackTrace(caller)
    Error.stackTraceLimit = limit
    let stack: string | undefined
    Object.defineProperty(this, 'stack', {
      // Most failures are expected and nobody reads this. Node.js looks frames up in source maps
      // when they are written, which takes longer than all the rest.
      get: () => {
        stack ??= stackOf(this, frames, caller.stack ?? '')
        return stack
      },
      set(given) {
        stack = given
      },
      configurable: true,
    })
  }
}

/** Deep enough to reach the line of a test through Hardhat and a client. */
const STACK_LIMIT = 100

function stackOf(error: SolidityError, frames: readonly string[], callerStack: string): string {
  const callers = callerStack.split('\n').filter((line) => line.startsWith(FRAME) && !isInner(line))
  return [`${error.name}: ${error.message}`, ...frames, ...callers].join('\n')
}

const FRAME = '    at '

/**
 * The Solidity frames as they are written here: vitest knows a frame only with a column, which
 * Hardhat's command line leaves out.
 */
function solidityFrames({ message, stack, solidityStack }: Explanation): readonly string[] {
  const lines = stack.slice(stack.indexOf(message) + message.length).split('\n')
  const frames = lines.filter((line) => line.startsWith(FRAME))
  return folded(frames.slice(0, solidityStack.split('\n').length))
}

/** E.g. `at Counter.down × 40 (contracts/Counter.sol:5:9)`: a name that reporters can read. */
function folded(frames: readonly string[]): readonly string[] {
  return foldedRows(frames).map(({ row, times }) =>
    times === 1 ? row : row.replace(/ \(|$/, ` × ${times}$&`),
  )
}

/** This package's folder, with slashes. Not its name alone, which folders above may have, too. */
const packageRoot = slashed(fileURLToPath(import.meta.url)).replace(
  /^(.*)\/(?:dist|plugin)\/.*$/s,
  '$1',
)

/** True if a frame is one of Hardhat, of this package or of Node.js itself. */
function isInner(frame: string): boolean {
  const text = slashed(frame)
  if (/\/node_modules\/(?:hardhat|@nomicfoundation)\//.test(text)) return true
  const [, after] = text.split(packageRoot)
  return /^\/(?:dist|plugin|devnet)\//.test(after ?? '') || /\(?node:internal\//.test(text)
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

/** Words of geth and its like for a revert. */
const REVERTED = 'execution reverted'

const CUSTOM_ERROR = /reverted with (?:custom error '(.*)'|an (unrecognized custom error .*))$/s

/**
 * The node's message, with what Hardhat's own network knows besides: the arguments of a custom
 * error, or why a call failed that returned nothing.
 */
function explainedMessage({ message, data }: Failure, explanation: string): string {
  // A node of Hardhat's own explains it in its own words.
  if (!message.startsWith(REVERTED)) return message
  const [, known, custom = known] = CUSTOM_ERROR.exec(explanation) ?? []
  if (custom !== undefined) return `${REVERTED}: ${custom}`
  const isSilent = data === '0x' && explanation.startsWith('Transaction reverted')
  return isSilent ? explanation.replace('Transaction reverted', REVERTED) : message
}
