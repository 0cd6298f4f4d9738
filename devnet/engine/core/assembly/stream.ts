import { I } from './instructions'

// Writes decoded instructions one after the other, and remembers the last ones of a block, so that
// several of them can be replaced by one.

/** Place of the next instruction. */
export let out: usize = 0
// The last instructions of the current block, newest first; 0 if there is none.
export let last: usize = 0
export let second: usize = 0
export let third: usize = 0
export let fourth: usize = 0

// @ts-ignore
@inline
export function instructionAt(at: usize): i32 {
  return <i32>load<u16>(at)
}

/** Number of bytes of an instruction. */
export function sizeOf(instruction: i32): usize {
  if (instruction == I.BLOCK) return 16
  return instruction == I.PUSH_WORD || instruction == I.AND_WORD ? 40 : 8
}

function write(at: usize, instruction: i32, detail: u32, immediate: u32): void {
  store<u16>(at, <u16>instruction)
  store<u16>(at, <u16>detail, 2)
  store<u32>(at, immediate, 4)
}

export function begin(start: usize): void {
  out = start
}

/** Writes the first instruction of a block, and returns its place. */
export function emitBlock(position: u32): usize {
  const block = out
  write(block, I.BLOCK, 0, 0)
  store<u32>(block, position, 12)
  out += 16
  last = 0
  second = 0
  third = 0
  fourth = 0
  return block
}

export function emit(instruction: i32, detail: u32, immediate: u32): void {
  write(out, instruction, detail, immediate)
  fourth = third
  third = second
  second = last
  last = out
  out += 8
}

/** Writes PUSH_WORD with the word of the next `size` bytes, most significant first. */
export function emitWord(bytes: usize, size: u32): void {
  emit(I.PUSH_WORD, 0, 0)
  for (let index: u32 = 0; index < 32; index++) {
    store<u8>(out + index, index < size ? load<u8>(bytes + size - 1 - index) : 0)
  }
  out += 32
}

/** Replaces the last two to four instructions, of 8 bytes each, by one. */
export function replace(count: i32, instruction: i32, detail: u32, immediate: u32): void {
  forget()
  if (count > 2) forget()
  if (count > 3) forget()
  write(last, instruction, detail, immediate)
  out = last + 8
}

/** Replaces PUSH_WORD, whose word stays in its place, and the instruction after it. */
export function replaceWithWord(instruction: i32): void {
  out = last
  forget()
  store<u16>(last, <u16>instruction)
}

function forget(): void {
  last = second
  second = third
  third = fourth
  fourth = 0
}
