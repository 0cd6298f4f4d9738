import {
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
  withoutLeadingZeros,
} from '../../primitives/bytes.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { ACCOUNT_STATE_GAS, DELEGATION_STATE_GAS } from '../../protocol/gas.ts'
import {
  type AuthorizationFields,
  MAX_NONCE,
  type TransactionFields,
} from '../../protocol/transaction.ts'
import { DELEGATION, EMPTY_CODE_HASH, isDelegation } from '../../state/codes.ts'
import { addressKey } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import { type Crypto, recoverAddress } from '../crypto.ts'
import { HALF_CURVE_ORDER } from '../decodeTransaction.ts'
import type { GasBudget } from './gasBudget.ts'
import type { AccountEntry, Journal } from './journal.ts'

/** First byte of what an authority signs. */
const MAGIC = 0x05

/** Refund for an authority that exists: the gas of an authorization less what it then costs. */
const EXISTING_REFUND = 25_000 - 12_500

/**
 * Sets the delegations of a transaction (EIP-7702). Those that are invalid are passed over.
 *
 * @param charges - from Amsterdam on; ends early if they exceed the gas
 * @returns the refund
 * @throws {Suspension} if an account has to be fetched first
 */
export function applyAuthorizations(
  { journal, chainId, crypto }: { journal: Journal; chainId: bigint; crypto: Crypto },
  list: readonly AuthorizationFields[],
  charges: AuthorizationCharges | undefined,
): number {
  let refund = 0
  for (const authorization of list) {
    const [, address, nonce] = authorization
    const key = authority(authorization, chainId, crypto)
    if (key === undefined) continue
    const entry = journal.account(key)
    entry.warm = true
    entry.accessed = true
    if (entry.codeHash !== EMPTY_CODE_HASH && !isDelegation(journal.code(entry))) continue
    if (entry.nonce !== bytesToBigInt(nonce)) continue
    if (charges !== undefined) {
      if (!charges.pay(entry, isZero(address))) return refund
    } else if (entry.exists) refund += EXISTING_REFUND
    journal.setCode(entry, isZero(address) ? EMPTY_BYTES : concatBytes(DELEGATION, address))
    entry.nonce += 1n
  }
  return refund
}

/** Of the first write to the account of an authority (EIP-8038). */
const ACCOUNT_WRITE_GAS = 9000

/** Charges of a transaction's authorizations, each once per authority (EIP-2780). */
export class AuthorizationCharges {
  readonly #budget: GasBudget
  /** Accounts whose write is paid for, and those whose delegation is. */
  readonly #written: Set<AddressKey>
  readonly #delegated = new Set<AddressKey>()
  readonly #seen = new Set<AddressKey>()

  constructor(budget: GasBudget, { from, to, value }: TransactionFields) {
    this.#budget = budget
    const paid = to === undefined || value === 0n ? [from] : [from, to]
    this.#written = new Set(paid.map(addressKey))
  }

  /** @returns false if the gas does not suffice */
  pay(authority: AccountEntry, isClearing: boolean): boolean {
    const { key, codeHash } = authority
    if (!this.#written.has(key)) this.#budget.pay(ACCOUNT_WRITE_GAS)
    this.#written.add(key)
    if (!this.#seen.has(key) && codeHash !== EMPTY_CODE_HASH) this.#delegated.add(key)
    this.#seen.add(key)
    let state = authority.isEmpty ? ACCOUNT_STATE_GAS : 0
    if (!isClearing && !this.#delegated.has(key)) {
      state += DELEGATION_STATE_GAS
      this.#delegated.add(key)
    }
    this.#budget.payState(state)
    return !this.#budget.isExceeded
  }
}

/** The account that signed; `undefined` if the authorization is invalid on this chain. */
export function authority(
  authorization: AuthorizationFields,
  ownChainId: bigint,
  crypto: Crypto,
): AddressKey | undefined {
  const [chainId, , nonce] = authorization
  const chain = bytesToBigInt(chainId)
  if (chain !== 0n && chain !== ownChainId) return undefined
  if (bytesToBigInt(nonce) >= MAX_NONCE) return undefined
  return authorizationSigner(authorization, crypto)
}

/** The account that signed an authorization; `undefined` if the signature belongs to none. */
export function authorizationSigner(
  [chainId, address, nonce, yParity, r, s]: AuthorizationFields,
  crypto: Crypto,
): AddressKey | undefined {
  if (bytesToBigInt(s) > HALF_CURVE_ORDER || r.length > 32) return undefined
  const parity = bytesToBigInt(yParity)
  if (parity > 1n) return undefined
  const fields = [withoutLeadingZeros(chainId), address, withoutLeadingZeros(nonce)]
  const hash = crypto.keccak256(encodeRlp(fields, MAGIC))
  const signature = new Uint8Array(64)
  signature.set(r, 32 - r.length)
  signature.set(s, 64 - s.length)
  try {
    return addressKey(recoverAddress(crypto, hash, signature, Number(parity)))
  } catch {
    // The signature belongs to no key, which is no error of the transaction.
    return undefined
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
