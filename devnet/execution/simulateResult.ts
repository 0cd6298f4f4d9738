import type { RawLog } from '../engine/types.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type { BlockHeader } from '../protocol/header.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { Withdrawal } from '../protocol/withdrawals.ts'
import { failureMessage, isRevert } from './failureMessage.ts'
import type { SimulatedBlock, SimulatedCall } from './simulateTypes.ts'

/** Code of a halt other than a revert, inside a call result (execution-apis). */
const HALT_CODE = -32015

/** What transactions and logs of a simulated block say about it. */
export interface SimulatedPlace {
  readonly hash: Hex
  readonly number: Hex
  /** s since the epoch. */
  readonly timestamp: Hex
}

/** How results are shown. */
export interface SimulationFormat {
  /** `string`: the reason, with the revert bytes in `returnData`; `object`: `{code, message, data}`. */
  readonly errors: 'string' | 'object'
  /** Makes transaction objects; absent, transactions are hashes. */
  readonly transaction?:
    | ((executed: ExecutedTransaction, place: SimulatedPlace) => unknown)
    | undefined
}

/** A simulated block as `eth_simulateV1` answers it. */
export function formatSimulatedBlock(block: SimulatedBlock, format: SimulationFormat): object {
  const { header, hash } = block
  const place = { hash, number: quantity(header.number), timestamp: quantity(header.timestamp) }
  const transactions = block.calls.map(({ executed }) =>
    format.transaction === undefined
      ? executed.transaction.hash
      : format.transaction(executed, place),
  )
  return {
    ...formatHeader(header),
    hash,
    size: quantity(block.size),
    transactions,
    uncles: [],
    ...(block.withdrawals === undefined
      ? {}
      : { withdrawals: block.withdrawals.map(formatWithdrawal) }),
    calls: block.calls.map((call) => formatCall(call, place, format)),
  }
}

function formatHeader(header: BlockHeader): object {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas } = header
  const { parentBeaconBlockRoot, requestsHash } = header
  return {
    number: quantity(header.number),
    parentHash: toHex(header.parentHash),
    nonce: toHex(header.nonce),
    mixHash: toHex(header.mixHash),
    sha3Uncles: toHex(header.sha3Uncles),
    logsBloom: toHex(header.logsBloom),
    stateRoot: toHex(header.stateRoot),
    miner: toHex(header.coinbase),
    difficulty: quantity(header.difficulty),
    extraData: toHex(header.extraData),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    // Fields that the hardfork lacks are left out.
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas: quantity(baseFeePerGas) }),
    ...(withdrawalsRoot === undefined ? {} : { withdrawalsRoot: toHex(withdrawalsRoot) }),
    ...(blobGasUsed === undefined ? {} : { blobGasUsed: quantity(blobGasUsed) }),
    ...(excessBlobGas === undefined ? {} : { excessBlobGas: quantity(excessBlobGas) }),
    ...(parentBeaconBlockRoot === undefined
      ? {}
      : { parentBeaconBlockRoot: toHex(parentBeaconBlockRoot) }),
    ...(requestsHash === undefined ? {} : { requestsHash: toHex(requestsHash) }),
  }
}

function formatCall(
  { executed, execution, capped }: SimulatedCall,
  place: SimulatedPlace,
  { errors }: SimulationFormat,
): object {
  const gas = {
    gasUsed: quantity(execution.gasUsed),
    maxUsedGas: quantity(execution.gasBeforeRefund),
  }
  const returnData = toHex(execution.returnData)
  if (execution.success) {
    const logs = execution.tracedLogs.map((log, index) => formatLog(log, index, executed, place))
    return { returnData, logs, ...gas, status: '0x1' }
  }
  const reverted = isRevert(execution)
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

const CAPPED = "gas limit was capped by the RPC server's global gas cap"

function formatLog(
  [address, topics, data]: RawLog,
  index: number,
  executed: ExecutedTransaction,
  place: SimulatedPlace,
): object {
  return {
    address: toHex(address),
    topics: topics.map(toHex),
    data: toHex(data),
    blockNumber: place.number,
    transactionHash: executed.transaction.hash,
    transactionIndex: quantity(executed.index),
    blockHash: place.hash,
    blockTimestamp: place.timestamp,
    logIndex: quantity(executed.firstLogIndex + index),
    removed: false,
  }
}

function formatWithdrawal(withdrawal: Withdrawal): object {
  return {
    index: quantity(withdrawal.index),
    validatorIndex: quantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: quantity(withdrawal.amount),
  }
}
