import { Op } from '../protocol/opcodes.ts'
import type { AddressKey } from '../state/types.ts'

/** An opcode that names an account or a slot, before it runs. */
export interface NamedAccess {
  readonly opcode: number
  /** The account whose code runs. */
  readonly self: AddressKey
  /** Item of the stack, from the top. */
  readonly operand: (index: number) => bigint
}

/** An opcode that reads or changes an account or a slot, before it runs. */
export interface Access extends NamedAccess {
  /** A copy of memory; bytes that are not allocated yet are zero. */
  readonly memory: (offset: bigint, length: bigint) => Uint8Array
}

/** Is told of each access of an execution. Without a watch, an access costs a comparison. */
export interface AccessWatch {
  access(access: Access): void
  /** Called if the last access failed, and so does not count. */
  undoAccess(): void
}

/** Opcodes whose first operand, and those whose second operand, is the address of an account. */
export const NAME_FIRST: ReadonlySet<number> = new Set([
  Op.balance,
  Op.extCodeSize,
  Op.extCodeCopy,
  Op.extCodeHash,
  Op.selfDestruct,
])
export const NAME_SECOND: ReadonlySet<number> = new Set([
  Op.call,
  Op.callCode,
  Op.delegateCall,
  Op.staticCall,
])

export const ACCESSES: ReadonlySet<number> = new Set([
  ...[Op.sload, Op.sstore, Op.create, Op.create2],
  ...NAME_FIRST,
  ...NAME_SECOND,
])
