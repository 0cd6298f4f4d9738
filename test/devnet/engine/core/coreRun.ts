import type { Core } from '../../../../devnet/engine/core/core.ts'
import {
  EXIT_RETURN,
  EXIT_REVERT,
  EXIT_SLICE_END,
  EXIT_STOP,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_STACK_TOP,
  FRAMES,
  MEMORIES,
  STACKS,
  WORD,
} from '../../../../devnet/engine/core/layout.ts'

export interface CoreRun {
  readonly exit: number
  /** 0 if the frame failed. */
  readonly gasLeft: number
  readonly output: Uint8Array
  /** From the bottom up. */
  readonly stack: readonly bigint[]
  readonly memory: Uint8Array
  readonly slices: number
  /** Position of the opcode that failed; `undefined` if none did. */
  readonly failedAt: number | undefined
}

/** Runs code in the first frame. An opcode of the host ends it. */
export function runCode(
  core: Core,
  code: Uint8Array,
  {
    data = new Uint8Array(0),
    gas,
    slice = gas,
  }: { data?: Uint8Array; gas: number; slice?: number },
): CoreRun {
  const memory = core.place(MEMORIES, data)
  const inputLength = data.length
  core.enter(FRAMES, { code, stack: STACKS, memory, input: MEMORIES, inputLength, gas }, slice)
  let slices = 1
  let exit = core.run(FRAMES, code)
  for (; exit === EXIT_SLICE_END; slices++) {
    core.refill(FRAMES, slice)
    exit = core.run(FRAMES, code)
  }
  const field = (offset: number) => core.u32[(FRAMES + offset) >> 2] ?? 0
  const height = (field(F_STACK_TOP) - STACKS) / WORD
  const isFailure = exit !== EXIT_STOP && exit !== EXIT_RETURN && exit !== EXIT_REVERT
  const hasOutput = exit === EXIT_RETURN || exit === EXIT_REVERT
  return {
    exit,
    gasLeft: isFailure ? 0 : core.gasLeft(FRAMES),
    output: core.u8.slice(core.output, core.output + (hasOutput ? core.outputLength : 0)),
    stack: Array.from({ length: height }, (_, index) => core.word(STACKS + index * WORD)),
    memory: core.u8.slice(field(F_MEMORY), field(F_MEMORY) + field(F_MEMORY_SIZE)),
    slices,
    failedAt: isFailure ? core.failurePosition(FRAMES) : undefined,
  }
}
