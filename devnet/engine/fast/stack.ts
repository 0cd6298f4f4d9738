import type { Core } from '../core/core.ts'
import { F_STACK_TOP, FRAME_SIZE, FRAMES } from '../core/layout.ts'

export function frameAt(depth: number): number {
  return FRAMES + depth * FRAME_SIZE
}

/** End of a frame's operand stack: the first operand is the word 32 bytes before. */
export function stackTop({ u32 }: Core, f: number): number {
  return u32[(f + F_STACK_TOP) >> 2] ?? 0
}

export function setStackTop({ u32 }: Core, f: number, top: number): void {
  u32[(f + F_STACK_TOP) >> 2] = top
}
