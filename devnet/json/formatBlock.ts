import { type PendingView, pendingHeader } from '../chain/building/pendingView.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { blockSize, EMPTY_BODY, type SealedBlock } from '../protocol/block.ts'
import type { Withdrawal } from '../protocol/withdrawals.ts'
import { blockRefOf, isPending, PENDING_HASH } from './blockRef.ts'
import { formatTransaction } from './formatTransaction.ts'

/** A block as `eth_getBlockByNumber` answers it. */
export type FormattedBlock = ReturnType<typeof formatBlock>

/** A sealed block, or the pending one with zero hash and state root. */
export function formatBlock(block: ShownBlock | PendingView, fullTransactions = false) {
  const sealed = !isPending(block)
  const header = sealed ? block.header : pendingHeader(block)
  const body = sealed ? block : EMPTY_BODY
  const ref = blockRefOf(block)
  return sortedByName({
    ...formatHeader({ header, hash: block.hash ?? PENDING_HASH }),
    // Bytes of the block's RLP.
    size: quantity(blockSize({ ...body, header, executed: block.executed })),
    transactions: fullTransactions
      ? block.executed.map((executed) => formatTransaction(executed, ref))
      : block.executed.map(({ transaction }) => transaction.hash),
    uncles: body.uncles.map((uncle) => uncle.hash),
    ...(header.withdrawalsRoot === undefined
      ? undefined
      : { withdrawals: body.withdrawals.map(formatWithdrawal) }),
  })
}

export function formatUncleCount(block: SealedBlock | PendingView): Hex {
  return quantity(unclesOf(block).length)
}

export function formatTransactionCount({ executed }: SealedBlock | PendingView): Hex {
  return quantity(executed.length)
}

/** The uncle at `index` of a block, in geth's fields; `null` if there is none. */
export function formatUncleAt(
  block: SealedBlock | PendingView,
  index: bigint,
): Omit<FormattedBlock, 'transactions'> | null {
  const uncle = unclesOf(block)[Number(index)]
  if (uncle === undefined) return null
  const shown = { ...EMPTY_BODY, ...uncle, executed: [] }
  const { transactions: _, ...formatted } = formatBlock(shown, false)
  return formatted
}

/** The uncles of a block; only imported blocks have any. */
function unclesOf(block: SealedBlock | PendingView): SealedBlock['uncles'] {
  return isPending(block) ? EMPTY_BODY.uncles : block.uncles
}

export function formatWithdrawal(withdrawal: Withdrawal) {
  return {
    index: quantity(withdrawal.index),
    validatorIndex: quantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    // gwei.
    amount: quantity(withdrawal.amount),
  }
}

/**
 * The header of a sealed block, as `newHeads` sends it: geth's fields in geth's order, without
 * those that its hardfork lacks.
 */
export function formatHeader({ header, hash }: Pick<SealedBlock, 'header' | 'hash'>) {
  return {
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(header.sha3Uncles),
    miner: toHex(header.coinbase),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    difficulty: quantity(header.difficulty),
    number: quantity(header.number),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: toHex(header.extraData),
    mixHash: toHex(header.mixHash),
    nonce: toHex(header.nonce),
    ...optional('baseFeePerGas', header.baseFeePerGas),
    ...optional('withdrawalsRoot', header.withdrawalsRoot),
    ...optional('blobGasUsed', header.blobGasUsed),
    ...optional('excessBlobGas', header.excessBlobGas),
    ...optional('parentBeaconBlockRoot', header.parentBeaconBlockRoot),
    ...optional('requestsHash', header.requestsHash),
    ...optional('blockAccessListHash', header.blockAccessListHash),
    ...optional('slotNumber', header.slotNumber),
    hash,
  }
}

type ShownBlock = Pick<SealedBlock, 'header' | 'hash' | 'executed' | 'uncles' | 'withdrawals'>

/** geth builds a block as a map, so its JSON fields are sorted, unlike those of `newHeads`. */
function sortedByName<Fields extends object>(fields: Fields): Fields {
  // Filled below with the same fields in another order.
  const sorted = {} as Fields
  const names = Object.keys(fields).sort() as (keyof Fields)[]
  for (const name of names) sorted[name] = fields[name]
  return sorted
}

/** A header as in `eth_getHeaderByNumber`: a block without its body, as in geth. */
export function formatBlockHeader(block: SealedBlock | PendingView) {
  const { size: _, transactions, uncles, withdrawals, ...header } = formatBlock(block, false)
  return header
}

function optional<Name extends string>(
  name: Name,
  value: bigint | Uint8Array | undefined,
): { readonly [Key in Name]?: Hex } {
  if (value === undefined) return {}
  const hex = typeof value === 'bigint' ? quantity(value) : toHex(value)
  // The cast is needed because TypeScript infers an index signature for a computed key.
  return { [name]: hex } as { readonly [Key in Name]?: Hex }
}
