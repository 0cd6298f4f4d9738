import { failureMessage } from '../execution/failureMessage.ts'
import { shorten } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { wallTime } from '../primitives/moment.ts'
import { type FailedExecution, KEPT_RETURN_DATA } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { CallNames } from '../rpc/naming/contractNames.ts'
import type { ExecutedRow, WaitingRow } from './apiTypes/transactionTypes.ts'
import type { Positioned } from './chainIndex.ts'
import type { Naming } from './naming.ts'

/** Longest reason of a revert in one line, in characters. */
const MAX_REASON = 200

/** A pre-confirmed or sealed transaction in one line. */
export async function executedRow(
  { position, block, executed }: Positioned,
  naming: Naming,
): Promise<ExecutedRow> {
  const { transaction, contractAddress, success, failed } = executed
  const { number, timestamp } = 'environment' in block ? block.environment : block.header
  const created = contractAddress === undefined ? null : toHex(contractAddress)
  // Before the fields, so that what is created has the name of its contract.
  if (created !== null && success) await naming.name(created)
  const { names, ...sent } = await rowFields(transaction, naming)
  return {
    ...sent,
    state: 'environment' in block ? 'preconfirmed' : 'sealed',
    position,
    block: Number(number),
    timestamp: Number(timestamp),
    tick: executed.tick,
    index: executed.index,
    created,
    gasUsed: Number(executed.gasUsed),
    reverted: !success,
    reason: failed === undefined ? null : await reasonOf(failed, names.abi, naming),
  }
}

/** `null` if it failed without saying why. */
async function reasonOf(failed: FailedExecution, abi: CallNames['abi'], naming: Naming) {
  const bytes = failed.returnData
  const data = toHex(bytes)
  const message = failureMessage(failed)
  // Of a long message only the beginning is kept, so that it cannot be decoded.
  const isCut = data.startsWith('0x08c379a0') && bytes.length === KEPT_RETURN_DATA
  if (isCut) return shorten(new TextDecoder().decode(bytes.subarray(68)), MAX_REASON)
  const whole = await naming.failureText(message, data, abi)
  const text = whole.replace(/^execution reverted(?:: )?/, '')
  return text === '' ? null : shorten(text, MAX_REASON)
}

/** A transaction of the mempool in one line. */
export async function waitingRow(
  transaction: ChainTransaction,
  runnable: boolean,
  naming: Naming,
): Promise<WaitingRow> {
  const { names: _names, ...sent } = await rowFields(transaction, naming)
  return {
    ...sent,
    state: 'queued',
    runnable,
    accepted: wallTime(transaction.acceptedAt),
    maxFeePerGas: String(transaction.maxFeePerGas),
  }
}

async function rowFields(transaction: ChainTransaction, naming: Naming) {
  const { hash, sender, nonce, value, gasLimit } = transaction
  const to = recipientOf(transaction)
  await naming.nameAll([sender, to])
  const { text, names } = await naming.call(to, toHex(transaction.data))
  return {
    names,
    hash,
    from: sender,
    to,
    nonce: Number(nonce),
    call: text,
    hasData: transaction.data.length > 0,
    value: String(value),
    gasLimit: Number(gasLimit),
  }
}

/** `null` for a creation. */
export function recipientOf({ to }: Pick<ChainTransaction, 'to'>): Hex | null {
  return to === undefined ? null : toHex(to)
}
