import type { Engine } from '../engine/engine.ts'
import { encodeUnsigned } from '../engine/signing.ts'
import type { ForkRules } from '../protocol/forks.ts'
import {
  type ChainTransaction,
  type TransactionFields,
  toChainTransaction,
} from '../protocol/transaction.ts'

/**
 * The shown form of a transaction that nobody signed: with a zero signature, so that it has an
 * encoding and a hash.
 */
export function unsignedTransaction(
  fields: TransactionFields,
  { chainId, crypto }: Pick<Engine, 'chainId' | 'crypto'>,
  rules: ForkRules,
): ChainTransaction {
  const id = BigInt(chainId)
  const raw = encodeUnsigned(fields, id)
  const hash = crypto.keccak256(raw)
  const boundTo = fields.type === 0 ? undefined : id
  return toChainTransaction({ fields, raw, hash, chainId: boundTo, rules })
}
