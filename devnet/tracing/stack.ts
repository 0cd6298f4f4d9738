import type { TraceStep } from './tracer.ts'

/** Item `index` of the stack from the top; below what is there, 0. */
export function stackItem(
  { state, height }: Pick<TraceStep, 'state' | 'height'>,
  index: number,
): bigint {
  return state.stack._store[height - 1 - index] ?? 0n
}

/** The 20 bytes of an address on the stack; what stands before them does not count. */
export function stackAddress(item: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(item.toString(16).padStart(64, '0').slice(24), 'hex'))
}
