import { RLP } from '@ethereumjs/rlp'
import { concatBytes } from '../../chain/bytes.ts'
import { isDelegation } from '../../state/codes.ts'
import { addressKey } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import { bigIntToBytes } from '../../state/words.ts'
import { stackItem } from './stackItems.ts'
import type { TraceContext, TraceStep } from './tracer.ts'

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
