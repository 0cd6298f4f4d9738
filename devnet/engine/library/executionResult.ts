import type { ExecResult } from '@ethereumjs/evm'
import type { RunTxResult } from '@ethereumjs/vm'
import { bitsOfBloom } from '../../protocol/bloom.ts'
import { COPY_WORD_GAS, memoryGas } from '../../protocol/gas.ts'
import type { Halt } from '../../protocol/halt.ts'
import { hasImmediate, Op } from '../../protocol/opcodes.ts'
import type { Machine } from '../machine.ts'
import type { Execution, PrecompileChanges } from '../types.ts'
import { takeAccesses } from './libraryAccesses.ts'
import type { LibraryTransaction } from './libraryTransaction.ts'
import { type CalledPrecompile, toHalt, toPrecompileHalt } from './libraryWords.ts'

export function toExecution(
  result: RunTxResult,
  { tx, intrinsic }: LibraryTransaction,
  machine: Machine,
  changes?: PrecompileChanges,
): Execution {
  const { execResult } = result
  const blockGas = blockGasOf(result)
  const spent =
    (blockGas && result.blockGasSpent) ?? execResult.executionGasUsed + BigInt(intrinsic)
  return {
    success: execResult.exceptionError === undefined,
    gasUsed: result.totalGasSpent,
    gasBeforeRefund: spent > result.totalGasSpent ? spent : result.totalGasSpent,
    blockGas,
    accesses: takeAccesses(machine.vm.evm, machine.overlay),
    blobGasUsed: result.blobGasUsed,
    logs: execResult.logs ?? [],
    bloomBits: bitsOfBloom(result.bloom.bitvector),
    returnData: execResult.returnValue,
    failure: executionHalt(execResult, () => calledPrecompile(tx, machine, changes)),
    invalidOpcode: invalidOpcodeOf(execResult),
    createdAddress: result.createdAddress?.bytes,
    printed: machine.console.take(),
    innerFrames: undefined,
  }
}

function blockGasOf({ txRegularGas, txStateGas }: RunTxResult): Execution['blockGas'] {
  if (txRegularGas === undefined || txStateGas === undefined) return undefined
  return { execution: txRegularGas, state: txStateGas }
}

/**
 * Reason why the execution failed; `undefined` on success.
 *
 * @param precompile - finds the precompile that was called; default: none
 */
export function executionHalt(
  { exceptionError, runState }: ExecResult,
  precompile?: () => CalledPrecompile | undefined,
): Halt | undefined {
  if (exceptionError === undefined) return undefined
  if (runState !== undefined) {
    return isOutOfReturnData(runState) ? 'outOfReturnData' : toHalt(exceptionError)
  }
  const called = precompile?.()
  if (called === undefined) return toHalt(exceptionError)
  return toPrecompileHalt(exceptionError, called)
}

function calledPrecompile(
  { to, data }: Pick<LibraryTransaction['tx'], 'to' | 'data'>,
  machine: Machine,
  changes?: PrecompileChanges,
): CalledPrecompile | undefined {
  const called = to?.toString().slice(2)
  const address = called === undefined ? undefined : (changes?.moved.get(called) ?? called)
  const isPrecompile = address !== undefined && machine.vm.evm.precompiles.has(address)
  return isPrecompile ? { address: Number(`0x${address}`), data } : undefined
}

/** The opcode if it is one that the hardfork lacks, or whose immediate is excluded. */
function invalidOpcodeOf({ exceptionError, runState }: ExecResult): number | undefined {
  if (exceptionError === undefined || toHalt(exceptionError) !== 'invalidOpcode') return undefined
  if (runState === undefined) return undefined
  // The library has gone on beyond an immediate that it refuses. It reports all other opcodes that
  // it refuses as INVALID.
  const { opCode, code, programCounter } = runState
  return hasImmediate(opCode) ? opCode : code[programCounter]
}

/** True if RETURNDATACOPY read out of bounds. Only geth charges the gas before this check. */
function isOutOfReturnData(state: NonNullable<ExecResult['runState']>): boolean {
  if (state.opCode !== Op.returnDataCopy || state.stack.length < 3) return false
  const [memoryOffset = 0n, dataOffset = 0n, length = 0n] = state.stack.peek(3)
  const { returnBytes, memoryWordCount: memoryWords, gasLeft } = state
  const copy = { memoryOffset, dataOffset, length, returned: returnBytes.length, memoryWords }
  return readsBeyond(copy) && returnDataCopyGas(copy) <= gasLeft
}

/** Operands and context of a RETURNDATACOPY that failed. */
export interface ReturnDataCopy {
  readonly memoryOffset: bigint
  readonly dataOffset: bigint
  readonly length: bigint
  /** Length of the return data, in bytes. */
  readonly returned: number
  /** Memory before the opcode, in words. */
  readonly memoryWords: bigint
}

export function readsBeyond({ dataOffset, length, returned }: ReturnDataCopy): boolean {
  return dataOffset + length > BigInt(returned)
}

const RETURNDATACOPY_GAS = 3n

/** Gas that geth charges before it checks the bounds. */
export function returnDataCopyGas({ memoryOffset, length, memoryWords }: ReturnDataCopy): bigint {
  const words = (length + 31n) / 32n
  const end = (memoryOffset + length + 31n) / 32n
  const after = length > 0n && end > memoryWords ? end : memoryWords
  const growth = memoryGas(Number(after)) - memoryGas(Number(memoryWords))
  return RETURNDATACOPY_GAS + words * BigInt(COPY_WORD_GAS) + BigInt(growth)
}
