import type { Execution } from '../engine/executor.ts'
import { precompileWords } from './precompileWords.ts'
import { revertMessage } from './revertReason.ts'

/** The library's words for a halt of code, and geth's. */
const REASONS: Readonly<Record<string, string>> = {
  'code store out of gas': 'contract creation code storage out of gas',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'stack overflow': 'stack limit reached 1024 (1023)',
  'invalid JUMP': 'invalid jump destination',
  'static state change': 'write protection',
  'create collision': 'contract address collision',
  'insufficient balance': 'insufficient balance for transfer',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
}

/** Opcodes that geth knows by name in hardforks that lack them. */
const OPCODES: Readonly<Record<number, string>> = {
  30: 'CLZ',
  73: 'BLOBHASH',
  74: 'BLOBBASEFEE',
  92: 'TLOAD',
  93: 'TSTORE',
  94: 'MCOPY',
  95: 'PUSH0',
  254: 'INVALID',
}

/** What of an execution says why it failed. */
export type Failure = Pick<Execution, 'failure' | 'halt' | 'returnData'>

/** The library's word for a revert. */
const REVERT = 'revert'

/** Whether the code gave up on purpose, and may have said why. The library has that word for precompiles, too, which never do. */
export function isRevert({ failure, halt }: Failure): boolean {
  return failure === REVERT && halt?.precompile === undefined
}

/** Whether the call failed for want of gas. */
export function isOutOfGas({ failure, halt }: Failure): boolean {
  return failure === 'out of gas' && halt?.outOfReturnData !== true
}

/** Why a failed call failed, in geth's words. */
export function failureMessage({ failure = 'unknown', halt, returnData }: Failure): string {
  if (halt?.precompile !== undefined) return precompileWords(halt.precompile, failure)
  if (failure === REVERT) return revertMessage(returnData)
  if (halt?.outOfReturnData === true) return 'return data out of bounds'
  if (failure !== 'invalid opcode' || halt?.opcode === undefined) return haltReason(failure)
  const { opcode } = halt
  const name = OPCODES[opcode] ?? `opcode 0x${opcode.toString(16)} not defined`
  return `invalid opcode: ${name}`
}

function haltReason(failure: string): string {
  return REASONS[failure] ?? failure
}
