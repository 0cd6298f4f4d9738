import type { ExecResult } from '@ethereumjs/evm'
import type { TypedTransaction } from '@ethereumjs/tx'
import type { RunTxResult } from '@ethereumjs/vm'
import type { PrecompileChanges } from './callWatch.ts'
import type { Execution } from './executor.ts'
import { haltOf } from './halt.ts'
import type { Machine } from './machine.ts'

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

/** Why it failed. The library appends where it happened: "invalid JUMP at 0x…/…". */
export function failureOf({ exceptionError }: ExecResult): string | undefined {
  return exceptionError?.error.replace(/ at .*$/s, '')
}
