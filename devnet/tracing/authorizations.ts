import { RLP } from '@ethereumjs/rlp'
import type { TypedTransaction } from '@ethereumjs/tx'
import { bigIntToBytes, bytesToBigInt, concatBytes } from '../primitives/bytes.ts'
import { isDelegation } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import type { AddressKey, StateReader } from '../state/types.ts'
import { stackItem } from './stack.ts'
import type { TraceContext, TraceStep } from './tracer.ts'

/** Half the order of the curve: a signature with a higher s is none (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Gas that an authorization gets back whose account is there already (EIP-7702). */
const EXISTING_REFUND = 12_500n

/**
 * The accounts that signed the authorizations of a transaction, in their order; those of no account are left out
 * (EIP-7702). Whether an authorization holds is another question.
 */
export async function authorities(tx: TypedTransaction): Promise<AddressKey[]> {
  if (!('authorizationList' in tx)) return []
  // Only here: few transactions have any.
  const { eoaCode7702RecoverAuthority } = await import('@ethereumjs/util')
  const found: AddressKey[] = []
  for (const item of tx.authorizationList) {
    const [, , , yParity, , s] = item
    if (bytesToBigInt(s) > MAX_S || bytesToBigInt(yParity) > 1n) continue
    try {
      found.push(addressKey(eoaCode7702RecoverAuthority(item).bytes))
    } catch {
      // A signature of nobody, which the chain passes over as well.
    }
  }
  return found
}

/** Finds out what the authorizations of a transaction give back: the library says so only when all is over. */
export class AuthorizationRefunds {
  readonly #state: StateReader
  readonly #sender: AddressKey
  readonly #before = new Map<AddressKey, bigint | undefined>()

  /** Before the transaction. */
  constructor(signers: readonly AddressKey[], sender: AddressKey, state: StateReader) {
    this.#state = state
    this.#sender = sender
    for (const signer of signers) this.#before.set(signer, state.account(signer)?.nonce)
  }

  /** Once the authorizations are applied: each that holds has raised the nonce of its account by 1. */
  granted(): bigint {
    let count = 0n
    for (const [signer, before] of this.#before) {
      const after = this.#state.account(signer)?.nonce ?? 0n
      const own = signer === this.#sender ? 1n : 0n
      const held = after - (before ?? 0n) - own
      // The first one makes an account that was not there.
      count += before === undefined && held > 0n ? held - 1n : held
    }
    return count * EXISTING_REFUND
  }
}

const CREATE2_PREFIX = Uint8Array.of(0xff)

/** Bytes of a delegation before the address (EIP-7702). */
const DELEGATION_PREFIX = 3

/** The contract that `creator` makes next (yellow paper 7). */
export function creationAddress(
  { state, keccak256 }: Pick<TraceContext, 'state' | 'keccak256'>,
  creator: Uint8Array,
): AddressKey {
  const nonce = state.account(addressKey(creator))?.nonce ?? 0n
  return lastBytes(keccak256(RLP.encode([creator, bigIntToBytes(nonce)])))
}

/** The contract that a CREATE2 is about to make (EIP-1014). */
export function creation2Address(
  { keccak256 }: Pick<TraceContext, 'keccak256'>,
  step: TraceStep,
): AddressKey {
  const { env, memory } = step.state
  const offset = Number(stackItem(step, 1))
  const code = new Uint8Array(Number(stackItem(step, 2)))
  // What is not there yet is zero.
  if (code.length > 0) code.set(memory._store.subarray(offset, offset + code.length))
  const salt = Buffer.from(stackItem(step, 3).toString(16).padStart(64, '0'), 'hex')
  const bytes = concatBytes(CREATE2_PREFIX, env.address.bytes, salt, keccak256(code))
  return lastBytes(keccak256(bytes))
}

/** The account whose code runs where this code is called; `undefined` where it is code itself. */
export function delegationTarget(code: Uint8Array): AddressKey | undefined {
  return isDelegation(code) ? addressKey(code.subarray(DELEGATION_PREFIX)) : undefined
}

function lastBytes(hash: Uint8Array): AddressKey {
  return addressKey(hash.subarray(12))
}
