import { HALF_CURVE_ORDER } from '../engine/decodeTransaction.ts'
import { bytesToBigInt } from '../primitives/bytes.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import { addressKey } from '../state/keys.ts'
import type { AddressKey, StateReader } from '../state/types.ts'

/** Gas refunded for an authorization if its account already exists (EIP-7702). */
const EXISTING_REFUND = 12_500n

/**
 * The signers of a transaction's authorizations, in order (EIP-7702). Authorizations with invalid
 * signatures are left out; those that do not apply for other reasons are kept.
 */
export async function authorizationSigners({
  authorizationList,
}: TransactionFields): Promise<AddressKey[]> {
  if (authorizationList.length === 0) return []
  // Loaded on demand, because few transactions have authorizations.
  const { eoaCode7702RecoverAuthority } = await import('@ethereumjs/util')
  const found: AddressKey[] = []
  for (const item of authorizationList) {
    const [chainId, address, nonce, yParity, r, s] = item
    if (bytesToBigInt(s) > HALF_CURVE_ORDER || bytesToBigInt(yParity) > 1n) continue
    try {
      found.push(
        addressKey(eoaCode7702RecoverAuthority([chainId, address, nonce, yParity, r, s]).bytes),
      )
    } catch {
      // The signature is invalid; the chain skips such an authorization as well.
    }
  }
  return found
}

/** Computes the refund for authorizations, which the library reports only after the transaction. */
export class AuthorizationRefunds {
  readonly #state: StateReader
  readonly #sender: AddressKey
  readonly #before = new Map<AddressKey, bigint | undefined>()

  /** Must be created before the transaction runs. */
  constructor(signers: readonly AddressKey[], sender: AddressKey, state: StateReader) {
    this.#state = state
    this.#sender = sender
    for (const signer of signers) this.#before.set(signer, state.account(signer)?.nonce)
  }

  /** The refund in gas. Call this once the authorizations, each raising a nonce, are applied. */
  granted(): bigint {
    let count = 0n
    for (const [signer, before] of this.#before) {
      const after = this.#state.account(signer)?.nonce ?? 0n
      const sent = signer === this.#sender ? 1n : 0n
      const applied = after - (before ?? 0n) - sent
      // The first authorization created the account, so there is no refund for it.
      count += before === undefined && applied > 0n ? applied - 1n : applied
    }
    return count * EXISTING_REFUND
  }
}
