import { type Hex, toHex } from '../primitives/hex.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { ExecutedRow, WaitingRow } from './apiTypes/transactionTypes.ts'
import type { Positioned } from './chainIndex.ts'
import type { Naming } from './naming.ts'

/** A pre-confirmed or sealed transaction in one line. */
export async function executedRow(
  { position, block, executed }: Positioned,
  naming: Naming,
): Promise<ExecutedRow> {
  const { transaction, contractAddress, success } = executed
  const { number, timestamp } = 'environment' in block ? block.environment : block.header
  const created = contractAddress === undefined ? null : toHex(contractAddress)
  // Before the fields, so that what is created has the name of its contract.
  if (created !== null && success) await naming.name(created)
  return {
    ...(await rowFields(transaction, naming)),
    state: 'environment' in block ? 'preconfirmed' : 'sealed',
    position,
    block: Number(number),
    timestamp: Number(timestamp),
    tick: executed.tick,
    index: executed.index,
    created,
    gasUsed: Number(executed.gasUsed),
    reverted: !success,
  }
}

/** A transaction of the mempool in one line. */
export async function waitingRow(
  transaction: ChainTransaction,
  runnable: boolean,
  naming: Naming,
): Promise<WaitingRow> {
  return { ...(await rowFields(transaction, naming)), state: 'queued', runnable }
}

async function rowFields(transaction: ChainTransaction, naming: Naming) {
  const { hash, sender, nonce, value, gasLimit } = transaction
  const to = recipientOf(transaction)
  await naming.nameAll([sender, to])
  const { text } = await naming.call(to, toHex(transaction.data))
  return {
    hash,
    from: sender,
    to,
    nonce: Number(nonce),
    call: text,
    value: String(value),
    gasLimit: Number(gasLimit),
  }
}

/** `null` for a creation. */
export function recipientOf({ to }: Pick<ChainTransaction, 'to'>): Hex | null {
  return to === undefined ? null : toHex(to)
}
