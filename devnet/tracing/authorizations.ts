import type { Crypto } from '../engine/crypto.ts'
import { authorizationSigner } from '../engine/fast/delegations.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import type { AddressKey, StateReader } from '../state/types.ts'

/** Gas refunded for an authorization if its account already exists (EIP-7702). */
const EXISTING_REFUND = 12_500n

/**
 * The signers of a transaction's authorizations, in order (EIP-7702). Authorizations with invalid
 * signatures are left out; those that do not apply for other reasons are kept.
 */
export function authorizationSigners(
  { authorizationList }: TransactionFields,
  crypto: Crypto,
): AddressKey[] {
  return authorizationList.flatMap((item) => authorizationSigner(item, crypto) ?? [])
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
