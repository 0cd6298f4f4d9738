import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { memoryGas } from '../../protocol/gas.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { AccountRecord, AddressKey, SlotKey, StateReader } from '../../state/types.ts'
import type { Access } from '../accessWatch.ts'
import type { Core } from '../core/core.ts'
import { F_MEMORY, F_MEMORY_SIZE, WORD } from '../core/layout.ts'
import type { Frame } from './frames.ts'
import type { Journal } from './journal.ts'
import { stackTop } from './stack.ts'

/** The accounts and slots that an opcode of the host, which is about to run, is going to access. */
export function accessOf(core: Core, f: number, { self }: Frame, opcode: number): Access {
  const top = stackTop(core, f)
  return {
    opcode,
    self: self.key,
    operand: (index) => core.word(top - WORD * (index + 1)),
    memory: (offset, length) => readMemory(core, f, offset, length),
  }
}

/** Memory of a frame, beyond its end too; nothing if the frame could not pay for that. */
function readMemory(core: Core, f: number, offset: bigint, length: bigint): Uint8Array {
  if (length === 0n) return EMPTY_BYTES
  const { u8, u32 } = core
  const begin = u32[(f + F_MEMORY) >> 2] ?? 0
  const size = u32[(f + F_MEMORY_SIZE) >> 2] ?? 0
  const from = Number(offset)
  const end = Number(offset + length)
  const cost = memoryGas(Math.ceil(end / WORD)) - memoryGas(size / WORD)
  if (cost > core.gasLeft(f)) return EMPTY_BYTES
  const bytes = new Uint8Array(end - from)
  bytes.set(u8.subarray(begin + Math.min(from, size), begin + Math.min(end, size)))
  return bytes
}

/** The state in the midst of a transaction, whose changes only the journal knows yet. */
export class PresentState implements StateReader {
  readonly #overlay: Overlay
  readonly #journal: Journal

  constructor(overlay: Overlay, journal: Journal) {
    this.#overlay = overlay
    this.#journal = journal
  }

  account(key: AddressKey): AccountRecord | null {
    const entry = this.#journal.known(key)
    if (entry === undefined) return this.#overlay.account(key)
    return entry.exists ? entry : null
  }

  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    return this.#journal.known(key)?.slots?.get(slot)?.value ?? this.#overlay.slot(key, slot)
  }

  hasOldStorage(key: AddressKey): boolean {
    return this.#overlay.hasOldStorage(key)
  }

  slots(key: AddressKey): Iterable<readonly [SlotKey, Uint8Array]> {
    return this.#overlay.slots(key)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#overlay.code(codeHash)
  }
}
