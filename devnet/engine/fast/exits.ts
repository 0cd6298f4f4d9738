import type { Halt } from '../../protocol/halt.ts'
import {
  EXIT_INVALID_JUMP,
  EXIT_INVALID_OPCODE,
  EXIT_OUT_OF_GAS,
  EXIT_OUT_OF_RETURN_DATA,
  EXIT_REVERT,
  EXIT_STACK_OVERFLOW,
  EXIT_STACK_UNDERFLOW,
} from '../core/layout.ts'

// How frames end beyond the exits of the core. All of them are failures.
export const STATIC_CHANGE = 0x20
export const CREATE_COLLISION = 0x21
export const VALUE_OVERFLOW = 0x22
export const INIT_CODE_SIZE = 0x23
export const CODE_SIZE = 0x24
export const INVALID_CODE = 0x25
/** A precompile failed, for a reason of its own. */
export const PRECOMPILE_FAILURE = 0x26

// What an opcode of the host answers if it does not end its frame.
/** The frame goes on. */
export const DONE = -1
/** A frame was opened, and may have ended already. */
export const ENTERED = -2
/** As {@link ENTERED}, for a precompile, which may have taken milliseconds. */
export const RAN_PRECOMPILE = -3

/** Reason why a frame failed, by exit. */
export const FAILURES: ReadonlyMap<number, Halt> = new Map<number, Halt>([
  [EXIT_REVERT, 'revert'],
  [EXIT_OUT_OF_GAS, 'outOfGas'],
  [EXIT_STACK_UNDERFLOW, 'stackUnderflow'],
  [EXIT_STACK_OVERFLOW, 'stackOverflow'],
  [EXIT_INVALID_JUMP, 'invalidJump'],
  [EXIT_INVALID_OPCODE, 'invalidOpcode'],
  [EXIT_OUT_OF_RETURN_DATA, 'outOfReturnData'],
  [STATIC_CHANGE, 'writeProtection'],
  [CREATE_COLLISION, 'createCollision'],
  [VALUE_OVERFLOW, 'valueOverflow'],
  [INIT_CODE_SIZE, 'initCodeSize'],
  [CODE_SIZE, 'codeSize'],
  [INVALID_CODE, 'invalidCode'],
])
