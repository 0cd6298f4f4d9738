import { InvalidParamsError, RefusedError, RejectedError } from '../primitives/errors.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { gasLimitCap } from '../protocol/blockGas.ts'
import { maxBlobsPerTransaction } from '../protocol/fees.ts'
import { type ForkRules, initCodeLimit } from '../protocol/forks.ts'
import { DEPOSIT_TYPE } from '../protocol/rollup/depositTransaction.ts'
import { MAX_NONCE, type TransactionFields } from '../protocol/transaction.ts'
import type { CallOptions } from './types.ts'

/** Highest number that a word can hold. */
const MAX_WORD = 2n ** 256n - 1n

/** True if blocks under these rules can hold transactions of this type (EIP-2718). */
export function hasType(type: TransactionFields['type'], rules: ForkRules): boolean {
  if (type === DEPOSIT_TYPE) return rules.opStack
  const since = [true, rules.accessLists, rules.baseFee, rules.blobs, rules.requests] as const
  return since[type]
}

/** The fees of the block that the sender pays, in wei. Code sees the block's own. */
export function waivedFees(
  block: BlockContext,
  { waiveBaseFee, waiveBlobFee }: Pick<CallOptions, 'waiveBaseFee' | 'waiveBlobFee'>,
): Pick<BlockContext, 'baseFeePerGas' | 'blobBaseFee'> {
  return {
    baseFeePerGas: waiveBaseFee === true ? 0n : block.baseFeePerGas,
    blobBaseFee: waiveBlobFee === true ? 0n : block.blobBaseFee,
  }
}

/**
 * Checks the fields of a transaction, whose state and block do not matter.
 *
 * @throws {RefusedError} if they break a rule that geth checks, with geth's message
 * @throws {InvalidParamsError} if they do not fit together
 */
export function checkFields(fields: Omit<TransactionFields, 'from'>, rules: ForkRules): void {
  const { type, to, nonce, gasLimit, data, maxFeePerGas: cap, maxPriorityFeePerGas: tip } = fields
  const gasCap = gasLimitCap(rules)
  if (gasCap !== undefined && gasLimit > gasCap) {
    throw new RefusedError(`transaction gas limit too high (cap: ${gasCap}, tx: ${gasLimit})`)
  }
  if (type >= 2 && tip > cap) {
    throw new RejectedError(
      `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
    )
  }
  const limit = initCodeLimit(rules)
  if (to === undefined && data.length > limit) {
    throw new RejectedError(`max initcode size exceeded: code size ${data.length}, limit ${limit}`)
  }
  if (nonce >= MAX_NONCE) throw invalid('nonce has max value')
  if (gasLimit * cap > MAX_WORD) throw invalid('gas limit times fee is above 2^256 - 1')
  if (type === 3) checkBlobs(fields, rules)
  if (type === 4) checkAuthorizations(fields)
}

function checkBlobs(
  { to, blobVersionedHashes: hashes }: Omit<TransactionFields, 'from'>,
  rules: ForkRules,
): void {
  if (to === undefined) throw invalid('blob transaction of type create')
  if (hashes.length === 0) throw invalid('blob transaction missing blob hashes')
  const most = maxBlobsPerTransaction(rules)
  if (hashes.length > most) throw invalid(`blob transaction has too many blobs, at most ${most}`)
  const wrong = hashes.findIndex((hash) => !hash.startsWith('0x01'))
  if (wrong >= 0) throw invalid(`blob ${wrong} has invalid hash version`)
}

function checkAuthorizations({ to, authorizationList }: Omit<TransactionFields, 'from'>): void {
  if (to === undefined) throw invalid('EIP-7702 transaction cannot be used to create contract')
  if (authorizationList.length === 0) throw invalid('EIP-7702 transaction with empty auth list')
}

function invalid(problem: string): InvalidParamsError {
  return new InvalidParamsError(`invalid transaction: ${problem}`)
}
