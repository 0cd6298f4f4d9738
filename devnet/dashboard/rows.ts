import { failureMessage } from '../execution/failureMessage.ts'
import { shorten } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { wallTime } from '../primitives/moment.ts'
import { type FailedExecution, KEPT_RETURN_DATA } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { CallNames } from '../rpc/naming/contractNames.ts'
import type { Positioned } from './chainIndex.ts'
import type { Naming } from './naming.ts'

/** Longest reason of a revert in one line, in characters. */
const MAX_REASON = 200

export type ExecutedRow = Awaited<ReturnType<typeof executedRow>>

/** A pre-confirmed or sealed transaction in one line. */
export async function executedRow({ position, block, executed }: Positioned, naming: Naming) {
  const { transaction, contractAddress, success, failed } = executed
  const { number, timestamp } = 'environment' in block ? block.environment : block.header
  const created = contractAddress === undefined ? null : toHex(contractAddress)
  // Before the fields, so that what is created has the name of its contract.
  if (created !== null && success) await naming.name(created)
  const { names, ...sent } = await rowFields(transaction, naming)
  return {
    ...sent,
    state: 'environment' in block ? ('preconfirmed' as const) : ('sealed' as const),
    /** Among all executed transactions of the chain, from 0. */
    position,
    block: Number(number),
    /** Of the block, s since the epoch. */
    timestamp: Number(timestamp),
    tick: executed.tick,
    /** Index in its block. */
    index: executed.index,
    /** The contract that it creates, even if it failed. */
    created,
    gasUsed: Number(executed.gasUsed),
    reverted: !success,
    /**
     * Reason of a revert in one line, e.g. `InsufficientShares(wanted: 5, has: 3)`; `null` if there
     * is none, or it is not known: of transactions of an earlier run, and of another node.
     */
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

export type WaitingRow = Awaited<ReturnType<typeof waitingRow>>

/** A transaction of the mempool in one line. */
export async function waitingRow(transaction: ChainTransaction, runnable: boolean, naming: Naming) {
  const { names: _names, ...sent } = await rowFields(transaction, naming)
  return {
    ...sent,
    state: 'queued' as const,
    /** True if the next tick can take it; if not, it is behind a nonce gap. */
    runnable,
    /** Wall time in ms since the epoch; `null` if another process accepted it. */
    accepted: wallTime(transaction.acceptedAt),
    /** The gas price of types 0 and 1. */
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
    /** `null` for a creation. */
    to,
    nonce: Number(nonce),
    /** The callee, e.g. `Token.transfer(to: 0x7099…79c8, amount: 5)`; `null` if unknown. */
    call: text,
    /** True unless its input is empty. */
    hasData: transaction.data.length > 0,
    value: String(value),
    gasLimit: Number(gasLimit),
  }
}

/** `null` for a creation. */
export function recipientOf({ to }: Pick<ChainTransaction, 'to'>): Hex | null {
  return to === undefined ? null : toHex(to)
}
