import type { Engine } from '../engine/engine.ts'
import { authorizationSigner } from '../engine/fast/delegations.ts'
import { bytesToBigInt } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { AuthorizationFields, ChainTransaction } from '../protocol/transaction.ts'
import { addressHex } from '../state/keys.ts'

/** Number of authorizations that are listed. */
const MOST = 100

/** Fields that only some types of transactions have. */
export function typedFields(
  transaction: ChainTransaction,
  executed: ExecutedTransaction | undefined,
  engine: Engine,
) {
  const { authorizationList: list, deposit } = transaction
  return {
    /** Of type 3; otherwise `null`. */
    blobs: transaction.type === 3 ? blobsOf(transaction, executed) : null,
    /** Of type 4, at most 100; otherwise empty. */
    authorizations: list.slice(0, MOST).map((one) => authorizationOf(one, engine)),
    omittedAuthorizations: Math.max(0, list.length - MOST),
    /** Of a deposit of the OP Stack, whose fee L1 was paid; otherwise `null`. */
    deposit:
      deposit === undefined
        ? null
        : { sourceHash: toHex(deposit.sourceHash), mint: String(deposit.mint) },
  }
}

function blobsOf(transaction: ChainTransaction, executed?: ExecutedTransaction) {
  const { blobVersionedHashes: hashes, blobGas, maxFeePerBlobGas } = transaction
  const price = executed?.blobGasPrice
  return {
    /** Versioned hashes. */
    hashes,
    gas: Number(blobGas),
    maxFeePerGas: String(maxFeePerBlobGas),
    /** `null` while it waits. */
    gasPrice: price === undefined ? null : String(price),
    fee: price === undefined ? null : String(price * blobGas),
  }
}

/** An authorization of EIP-7702. */
function authorizationOf(given: AuthorizationFields, engine: Engine) {
  const [chainId, address, nonce] = given
  const signer = authorizationSigner(given, engine.crypto)
  const chain = bytesToBigInt(chainId)
  const isOther = chain !== 0n && chain !== BigInt(engine.chainId)
  const noSigner = signer === undefined ? 'its signature is not valid' : null
  return {
    /** Account that signed it; `null` if the signature belongs to none. */
    authority: signer === undefined ? null : addressHex(signer),
    /** `null` if it ends a delegation. */
    delegate: bytesToBigInt(address) === 0n ? null : toHex(address),
    /** `0`: any chain. */
    chainId: String(chain),
    nonce: String(bytesToBigInt(nonce)),
    /** Reason why it cannot apply, whatever its nonce; `null` if there is none. */
    problem: isOther ? `it is for the chain ${chain}` : noSigner,
  }
}
