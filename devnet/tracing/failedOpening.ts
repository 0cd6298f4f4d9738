import { stackItem } from '../engine/library/evmInternals.ts'
import type { Step } from '../engine/library/tracingLoop.ts'
import type { FrameKind } from '../engine/types.ts'
import { textToBytes } from '../primitives/bytes.ts'
import { CALL_STIPEND } from '../protocol/gas.ts'
import type { Halt } from '../protocol/halt.ts'
import { MAX_NONCE } from '../protocol/transaction.ts'
import { addressKey } from '../state/keys.ts'
import type { StateReader } from '../state/types.ts'
import {
  accessOf,
  creation2Address,
  creationAddress,
  type Frame,
  readMemory,
  stackAddress,
  type TraceContext,
} from './tracer.ts'

/** Maximum depth of a frame; the outermost has depth 0. */
const MAX_DEPTH = 1024

/**
 * The frame that a call or creation will fail to open, and why; `undefined` if it will open. Call
 * this before the operands are popped. geth reports such a frame as failed; the library does not
 * report it.
 */
export function failedOpening(
  step: Step,
  type: FrameKind,
  context: Pick<TraceContext, 'state' | 'keccak256'>,
): { readonly frame: Frame; readonly halt: Halt } | undefined {
  const { env, messageGasLimit } = step.state
  const at = (index: number) => stackItem(step, index)
  const creates = type === 'CREATE' || type === 'CREATE2'
  // A DELEGATECALL passes on its caller's value without transferring it.
  const takesValue = creates || type === 'CALL' || type === 'CALLCODE'
  // The operands of a call begin with gas and callee.
  const first = creates ? 0 : 2
  const value = takesValue ? at(first) : 0n
  const input = takesValue ? first + 1 : first
  const halt = openingHalt(step, value, creates, context.state)
  if (halt === undefined) return undefined
  const gas = (messageGasLimit ?? 0n) + (!creates && value > 0n ? CALL_STIPEND : 0n)
  return {
    halt,
    frame: {
      type,
      depth: env.depth + 1,
      from: env.address.bytes,
      to: creates ? creationOf(step, type, context) : stackAddress(at(1)),
      input: readMemory(step.state, at(input), at(input + 1)),
      gas,
      value: type === 'STATICCALL' ? undefined : value,
    },
  }
}

function openingHalt(
  { state: { env } }: Step,
  value: bigint,
  creates: boolean,
  state: StateReader,
): Halt | undefined {
  if (env.depth >= MAX_DEPTH) return 'depth'
  if (value === 0n && !creates) return undefined
  const account = state.account(addressKey(env.address.bytes))
  if ((account?.balance ?? 0n) < value) return 'insufficientBalance'
  return creates && account?.nonce === MAX_NONCE ? 'nonceOverflow' : undefined
}

/** Address of the contract that would have been created. */
function creationOf(
  step: Step,
  type: 'CREATE' | 'CREATE2',
  context: Pick<TraceContext, 'state' | 'keccak256'>,
): Uint8Array {
  const access = accessOf(step)
  return textToBytes(
    type === 'CREATE' ? creationAddress(context, access.self) : creation2Address(context, access),
  )
}
