import { failureMessage } from '../../execution/failureMessage.ts'
import type { SimulatedBlock } from '../../execution/simulateBlock.ts'
import type { SimulatedCall } from '../../execution/simulateCall.ts'
import { type BlockRef, blockRefOf } from '../../json/blockRef.ts'
import { formatHeader, formatWithdrawal } from '../../json/formatBlock.ts'
import { formatLog } from '../../json/formatLog.ts'
import { ErrorCode } from '../../primitives/errors.ts'
import { quantity, toHex } from '../../primitives/hex.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'

/** Form of a simulation's results. */
export interface SimulationFormat {
  /**
   * Form of a call's error. `string`: the reason, with the revert bytes in `returnData`; `object`:
   * `{code, message, data}`, and logs that a revert took back count in `logIndex`, as in geth.
   */
  readonly errors: 'string' | 'object'
  /** Formats transactions; default: their hashes. */
  readonly transaction?:
    | ((executed: ExecutedTransaction, blockRef: BlockRef) => unknown)
    | undefined
}

/** A simulated block as `eth_simulateV1` answers it. */
export function formatSimulatedBlock(block: SimulatedBlock, format: SimulationFormat): object {
  const blockRef = blockRefOf(block)
  return {
    ...formatHeader(block),
    size: quantity(block.size),
    transactions: block.calls.map(({ executed }) =>
      format.transaction === undefined
        ? executed.transaction.hash
        : format.transaction(executed, blockRef),
    ),
    uncles: [],
    ...(block.withdrawals === undefined
      ? undefined
      : { withdrawals: block.withdrawals.map(formatWithdrawal) }),
    calls: block.calls.map((call) => formatCall(call, blockRef, format)),
  }
}

/** Error code in the result of a call that failed other than by a revert (execution-apis). */
const HALT_CODE = -32015

const CAPPED = "gas limit was capped by the RPC server's global gas cap"

function formatCall(
  { executed, execution, emittedBefore, capped }: SimulatedCall,
  blockRef: BlockRef,
  { errors }: SimulationFormat,
): object {
  const gas = {
    gasUsed: quantity(execution.gasUsed),
    maxUsedGas: quantity(execution.gasBeforeRefund),
  }
  const returnData = toHex(execution.returnData)
  if (execution.success) {
    const { tracedLogs, emission } = execution
    const positions = errors === 'object' ? emission?.positions : undefined
    const counted =
      positions === undefined ? executed : { ...executed, firstLogIndex: emittedBefore }
    const logs = tracedLogs.map((log, index) =>
      formatLog(log, positions?.[index] ?? index, counted, blockRef),
    )
    return { returnData, logs, ...gas, status: '0x1' }
  }
  const reverted = execution.failure === 'revert'
  const reason = failureMessage(execution)
  const message = capped && !reverted ? `${reason} (${CAPPED})` : reason
  if (errors === 'string') {
    return { returnData, logs: [], ...gas, status: '0x0', error: message }
  }
  const error = reverted
    ? { message, code: ErrorCode.executionReverted, data: returnData }
    : { message, code: HALT_CODE }
  return { returnData: '0x', logs: [], ...gas, status: '0x0', error }
}
