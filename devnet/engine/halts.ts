import type { ExecResult } from '@ethereumjs/evm'
import type { TypedTransaction } from '@ethereumjs/tx'
import type { RunTxResult } from '@ethereumjs/vm'
import { COPY_WORD_GAS, memoryGas } from '../protocol/gas.ts'
import type { PrecompileChanges } from './callWatch.ts'
import type { Execution } from './executor.ts'
import type { Machine } from './machine.ts'

/** What a failed execution tells about its failure beyond the library's word for it; of its outermost frame. */
export interface Halt {
  /** The byte of code that it stands at; `undefined` where it ran to the end of its code, or had none. */
  readonly opcode: number | undefined
  /** It reads beyond what the last call returned (EIP-211), which the library takes for want of gas. */
  readonly outOfReturnData: boolean
  /** The precompile that was called. */
  readonly precompile: FailedPrecompile | undefined
}

/** A precompile that refused its input, or was not given enough gas. */
export interface FailedPrecompile {
  /** 1 is ECRECOVER; where it was moved to does not count. */
  readonly address: number
  readonly data: Uint8Array
}

/** `undefined` where nothing failed. */
export function haltOf(
  { exceptionError, runState }: ExecResult,
  { to, data }: Pick<TypedTransaction, 'to' | 'data'>,
  machine: Machine,
  changes?: PrecompileChanges,
): Halt | undefined {
  if (exceptionError === undefined) return undefined
  if (runState === undefined) {
    const called = to?.toString().slice(2)
    const address = called === undefined ? undefined : (changes?.moved.get(called) ?? called)
    const isPrecompile = address !== undefined && machine.vm.evm.precompiles.has(address)
    return {
      opcode: undefined,
      outOfReturnData: false,
      precompile: isPrecompile ? { address: Number(`0x${address}`), data } : undefined,
    }
  }
  return {
    // Not its `opCode`: the library takes every undefined one for INVALID.
    opcode: runState.code[runState.programCounter],
    outOfReturnData: isOutOfReturnData(runState),
    precompile: undefined,
  }
}

const RETURNDATACOPY = 0x3e
const RETURNDATACOPY_GAS = 3n

/** What a RETURNDATACOPY that did not run finds. */
export interface ReturnDataCopy {
  readonly memoryOffset: bigint
  readonly dataOffset: bigint
  readonly length: bigint
  /** Bytes that the last call returned. */
  readonly returned: number
  /** Words. */
  readonly memoryWords: bigint
}

/** Whether it reads beyond what was returned. */
export function readsBeyond({ dataOffset, length, returned }: ReturnDataCopy): boolean {
  return dataOffset + length > BigInt(returned)
}

/** The gas that it costs before its bounds are looked at. */
export function returnDataCopyGas({ memoryOffset, length, memoryWords }: ReturnDataCopy): bigint {
  const words = (length + 31n) / 32n
  const end = (memoryOffset + length + 31n) / 32n
  const after = length > 0n && end > memoryWords ? end : memoryWords
  const growth = memoryGas(Number(after)) - memoryGas(Number(memoryWords))
  return RETURNDATACOPY_GAS + words * BigInt(COPY_WORD_GAS) + BigInt(growth)
}

/** The library looks at the bounds first, geth at the gas. */
function isOutOfReturnData(state: NonNullable<ExecResult['runState']>): boolean {
  if (state.opCode !== RETURNDATACOPY || state.stack.length < 3) return false
  const [memoryOffset = 0n, dataOffset = 0n, length = 0n] = state.stack.peek(3)
  const { returnBytes, memoryWordCount: memoryWords, gasLeft } = state
  const copy = { memoryOffset, dataOffset, length, returned: returnBytes.length, memoryWords }
  return readsBeyond(copy) && returnDataCopyGas(copy) <= gasLeft
}

/** What the library found out about a transaction, in our form. */
export function toExecution(
  result: RunTxResult,
  tx: TypedTransaction,
  machine: Machine,
  changes?: PrecompileChanges,
): Execution {
  const { execResult } = result
  const spent = execResult.executionGasUsed + tx.getIntrinsicGas()
  return {
    success: execResult.exceptionError === undefined,
    gasUsed: result.totalGasSpent,
    gasBeforeRefund: spent > result.totalGasSpent ? spent : result.totalGasSpent,
    blobGasUsed: result.blobGasUsed,
    logs: execResult.logs ?? [],
    bloom: result.bloom.bitvector,
    returnData: execResult.returnValue,
    failure: failureOf(execResult),
    halt: haltOf(execResult, tx, machine, changes),
    createdAddress: result.createdAddress?.bytes,
    printed: machine.console.take(),
  }
}

/** Why the execution failed, in the library's words. */
export function failureOf({ exceptionError }: ExecResult): string | undefined {
  return exceptionError === undefined ? undefined : libraryReason(exceptionError.error)
}

/** What the library appends: a position in the code, or the transaction and block in parentheses. */
const CONTEXT = / (at 0x[\da-f]+\/0x|\((vm hf|tx type)=|\(safeSlice\)).*$/s

/** What the library says of an error, without the context that it appends. */
export function libraryReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(CONTEXT, '')
}
