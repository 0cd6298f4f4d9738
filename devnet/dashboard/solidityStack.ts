import type { CompiledContract, CompiledSource, Definition } from '../options/contracts.ts'
import { shorten } from '../primitives/errors.ts'
import { Op } from '../protocol/opcodes.ts'
import type { FailedFrame } from '../tracing/failureTracer.ts'

/** A range of a source that an opcode was compiled from. */
interface Range {
  readonly source: CompiledSource
  /** In bytes. */
  readonly start: number
  readonly end: number
}

/** Lines that are shown before and after that of a failure. */
const BEFORE = 3
const AFTER = 2

/** Calls of functions that are looked at: the machine's stack has room for no more. */
const MOST_CALLS = 1024

/** Longest line that is shown, in characters. */
const MAX_LINE = 240

/**
 * The places in one frame of the machine that led to its failure, innermost first: several if
 * functions of the contract had called each other.
 *
 * @param code - of the frame, as it ran
 */
export function placesOf(
  compiled: CompiledContract,
  { isCreation, last, jumps }: FailedFrame,
  code: Uint8Array,
): Range[] {
  const map = isCreation ? compiled.creationSourceMap : compiled.deployedSourceMap
  const wanted = new Set([...last, ...(jumps ?? [])])
  const instructions = instructionsAt(map, code, wanted)
  const anyRangeAt = (pc: number): Range | undefined => {
    const { start = -1, length = 0, file = -1 } = instructions.get(pc) ?? {}
    const source = compiled.sources.get(file)
    return source === undefined || start < 0 ? undefined : { source, start, end: start + length }
  }
  // All that the compiler adds to a contract has the range of the whole contract.
  const rangeAt = (pc: number) => {
    const range = anyRangeAt(pc)
    return range === undefined || isContract(range) ? undefined : range
  }
  const calls: number[] = []
  let returned: number | undefined
  for (const pc of jumps ?? []) {
    const { jump } = instructions.get(pc) ?? {}
    returned = jump === 'o' ? calls.pop() : undefined
    if (jump === 'i') calls.push(pc)
  }
  const lastKnown = (steps: readonly number[]) => {
    const known = steps.findLast((pc) => rangeAt(pc) !== undefined)
    return known === undefined ? undefined : rangeAt(known)
  }
  // The compiler's own code, such as that of panics, has no source: whatever led to it has.
  let innermost = lastKnown(last) ?? anyRangeAt(last.at(-1) ?? 0)
  const entered = enteredBy(last, code)
  const before =
    (returned === undefined ? undefined : rangeAt(returned)) ?? lastKnown(last.slice(0, entered))
  if (innermost !== undefined && entered > 0 && before !== undefined) {
    // The optimizer merges equal ends of functions, and keeps the source of the first.
    const isLater = innermost.source === before.source && innermost.start >= before.start
    if (!isLater || functionOf(innermost) !== functionOf(before)) innermost = before
  }
  const callers = calls
    .slice(-MOST_CALLS)
    .map(rangeAt)
    .filter((range) => range !== undefined && isInside(range))
  // The innermost frame may itself be the call of the compiler's code: list it once.
  if (isSame(innermost, callers.at(-1))) callers.pop()
  return [...callers, innermost].filter((range) => range !== undefined).toReversed()
}

/**
 * Number of steps up to the jump to a revert; 0 if the revert was not jumped to, but comes after a
 * condition, or if the frame did not end with one.
 */
function enteredBy(last: readonly number[], code: Uint8Array): number {
  const end = code[last.at(-1) ?? code.length]
  if (end !== Op.revert && end !== Op.invalid) return 0
  for (let index = last.length - 1; index > 0; index--) {
    const from = last[index - 1] ?? 0
    const isJump = code[from] === Op.jump || code[from] === Op.jumpIf
    if (isJump) return last[index] === from + 1 ? 0 : index
  }
  return 0
}

function isSame(one: Range | undefined, other: Range | undefined): boolean {
  return one?.source === other?.source && one?.start === other?.start && one?.end === other?.end
}

function isContract({ source, start, end }: Range): boolean {
  return source.definitions.some(
    (one) => one.kind === 'contract' && one.start === start && one.end === end,
  )
}

/** True for a part of a function: what chooses the function has the range of all of it. */
function isInside(range: Range): boolean {
  const inner = functionOf(range)
  return inner !== undefined && !(range.start <= inner.start && range.end >= inner.end)
}

/** The smallest definition around the beginning of a range. */
function definitionOf({ source, start }: Range): Definition | undefined {
  const around = source.definitions.filter((one) => one.start <= start && start < one.end)
  return around.sort((one, other) => one.end - one.start - (other.end - other.start))[0]
}

function functionOf(range: Range): Definition | undefined {
  const found = definitionOf(range)
  return found?.kind === 'contract' ? undefined : found
}

export type SourceLine = ReturnType<typeof lineOf>

/** The line at which a place begins. */
export function lineOf(range: Range) {
  const { source, start } = range
  const before = Buffer.from(source.text).subarray(0, start).toString()
  const line = before.split('\n').length
  const column = before.length - before.lastIndexOf('\n')
  const first = Math.max(1, line - BEFORE)
  const texts = source.text.split(/\r?\n/).slice(first - 1, line + AFTER)
  const { contract = null, kind, name = '' } = definitionOf(range) ?? {}
  return {
    /** `null` for a function outside of contracts. */
    contract,
    /** E.g. `withdraw`, `constructor` or `modifier onlyOwner`; `null` outside of functions. */
    function: name === '' ? null : kind === 'modifier' ? `modifier ${name}` : name,
    /** As its compiler knows it, e.g. `contracts/Vault.sol`. */
    file: source.name,
    /** From 1, as the column. */
    line,
    column,
    /** That line with those around it, at most six. */
    lines: texts.map((text, index) => ({ number: first + index, text: shorten(text, MAX_LINE) })),
    /** Link that opens the file in an editor on this machine; `null` if the file is not there. */
    editor: source.path === undefined ? null : editorUrl(source.path, line, column),
  }
}

function editorUrl(path: string, line: number, column: number): string {
  const absolute = path.replaceAll('\\', '/').replace(/^(?!\/)/, '/')
  return `vscode://file${encodeURI(absolute).replace(/[?#]/g, encodeURIComponent)}:${line}:${column}`
}

interface Instruction {
  readonly start: number
  readonly length: number
  readonly file: number
  /** `i` into a function, `o` out of it, `-` neither. */
  readonly jump: string
}

/** The entries of a source map for the opcodes at some positions. */
function instructionsAt(
  map: string,
  code: Uint8Array,
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, Instruction> {
  const found = new Map<number, Instruction>()
  let [start, length, file, jump] = ['-1', '0', '-1', '-']
  let pc = 0
  for (const entry of map.split(';', code.length)) {
    if (pc >= code.length) break
    // An empty field repeats that of the entry before.
    const fields = entry.split(':', 4)
    start = fields[0] || start
    length = fields[1] || length
    file = fields[2] || file
    jump = fields[3] || jump
    if (wanted.has(pc)) {
      found.set(pc, { start: Number(start), length: Number(length), file: Number(file), jump })
    }
    const opcode = code[pc] ?? 0
    pc += opcode >= Op.push1 && opcode <= Op.push32 ? opcode - Op.push1 + 2 : 1
  }
  return found
}
