import type { Engine } from '../engine/engine.ts'
import { authorizationSigner } from '../engine/fast/delegations.ts'
import { bytesToBigInt } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { AuthorizationFields, ChainTransaction } from '../protocol/transaction.ts'
import { addressHex } from '../state/keys.ts'
import type { Authorization, Blobs, TransactionDetails } from './apiTypes/transactionTypes.ts'

/** Number of authorizations that are listed. */
const MOST = 100

type TypedFields = Pick<
  TransactionDetails,
  'blobs' | 'authorizations' | 'omittedAuthorizations' | 'deposit'
>

/** Fields that only some types of transactions have. */
export function typedFields(
  transaction: ChainTransaction,
  executed: ExecutedTransaction | undefined,
  engine: Engine,
): TypedFields {
  const { authorizationList: list, deposit } = transaction
  return {
    blobs: transaction.type === 3 ? blobsOf(transaction, executed) : null,
    authorizations: list.slice(0, MOST).map((one) => authorizationOf(one, engine)),
    omittedAuthorizations: Math.max(0, list.length - MOST),
    deposit:
      deposit === undefined
        ? null
        : { sourceHash: toHex(deposit.sourceHash), mint: String(deposit.mint) },
  }
}

function blobsOf(transaction: ChainTransaction, executed?: ExecutedTransaction): Blobs {
  const { blobVersionedHashes: hashes, blobGas, maxFeePerBlobGas } = transaction
  const price = executed?.blobGasPrice
  return {
    hashes,
    gas: Number(blobGas),
    maxFeePerGas: String(maxFeePerBlobGas),
    gasPrice: price === undefined ? null : String(price),
    fee: price === undefined ? null : String(price * blobGas),
  }
}

function authorizationOf(given: AuthorizationFields, engine: Engine): Authorization {
  const [chainId, address, nonce] = given
  const signer = authorizationSigner(given, engine.crypto)
  const chain = bytesToBigInt(chainId)
  const isOther = chain !== 0n && chain !== BigInt(engine.chainId)
  const noSigner = signer === undefined ? 'its signature is not valid' : null
  return {
    authority: signer === undefined ? null : addressHex(signer),
    delegate: bytesToBigInt(address) === 0n ? null : toHex(address),
    chainId: String(chain),
    nonce: String(bytesToBigInt(nonce)),
    problem: isOther ? `it is for the chain ${chain}` : noSigner,
  }
}
