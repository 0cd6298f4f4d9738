import { isObject } from '../../devnet/pluginApi.ts'

/** The parts of a compiled contract that identify its code and its functions. */
export interface Artifact {
  readonly name: string
  /** The file that declares it, as the compiler knows it; `undefined` if nobody says. */
  readonly source: string | undefined
  /** Id of the output of its compiler; `undefined` if nobody says. */
  readonly buildInfo: string | undefined
  /** Init code, without the constructor's arguments. */
  readonly creation: CodeTemplate
  readonly deployed: CodeTemplate
  /** Decoded parts: functions, errors, events and the constructor. */
  readonly abi: readonly unknown[]
}

const KINDS: ReadonlySet<unknown> = new Set(['function', 'error', 'event', 'constructor'])

/** Reads a Hardhat artifact; `undefined` for any other file, and for a contract without code. */
export function readArtifact(value: unknown): Artifact | undefined {
  if (!isObject(value)) return undefined
  const { contractName, abi, bytecode, deployedBytecode } = value
  // Other programs write artifacts without the source as the compiler knows it.
  const source = value.inputSourceName ?? value.sourceName
  if (typeof contractName !== 'string' || !Array.isArray(abi)) return undefined
  if (typeof bytecode !== 'string' || typeof deployedBytecode !== 'string') return undefined
  const { linkReferences, deployedLinkReferences, immutableReferences } = value
  const creation = codeTemplate(bytecode, rangesIn(linkReferences))
  const holes = rangesIn(deployedLinkReferences, immutableReferences)
  const deployed = codeTemplate(deployedBytecode, holes)
  if (creation === undefined || deployed === undefined) return undefined
  return {
    name: contractName,
    source: typeof source === 'string' ? source : undefined,
    buildInfo: isFileName(value.buildInfoId) ? value.buildInfoId : undefined,
    creation,
    deployed,
    abi: abi.filter((entry) => isObject(entry) && KINDS.has(entry.type)),
  }
}

/** True for a name that leads to no other folder. */
function isFileName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,200}$/.test(value)
}

/** Number of libraries, places and lists of them that are read: no code has as many. */
const MOST_REFERENCES = 20_000

/** The byte ranges in link references (by file, then library) or immutable references (by id). */
function rangesIn(...references: unknown[]): readonly ByteRange[] {
  const found: ByteRange[] = []
  // Nested references are visited after their parent.
  for (const each of references) {
    const { start, length } = isObject(each) ? each : {}
    if (isCount(start) && isCount(length)) found.push({ start, length })
    else if (typeof each === 'object' && references.length < MOST_REFERENCES)
      references.push(...Object.values(each ?? {}).slice(0, MOST_REFERENCES))
  }
  return found
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

interface ByteRange {
  readonly start: number
  readonly length: number
}

/** Code of a node, in hexadecimal, as bytes. */
export function codeBytes(code: string): Buffer {
  return Buffer.from(code.slice(2), 'hex')
}

/** Code as the compiler emits it: links and immutables are not filled in yet. */
export interface CodeTemplate {
  readonly bytes: Buffer
  /** Ranges that linking and deployment fill in, sorted by `start`. */
  readonly holes: readonly ByteRange[]
}

const PUSH20 = 0x73

/** In bytes. */
const ADDRESS_LENGTH = 20

/**
 * Parses an artifact's code; `undefined` if it is empty, as for an interface, or not hexadecimal.
 *
 * @param hex - the code, with or without `0x`; inside the holes it may be any text
 * @param given - byte ranges of links and immutables, in any order
 */
export function codeTemplate(hex: string, given: readonly ByteRange[]): CodeTemplate | undefined {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (digits.length === 0 || digits.length % 2 !== 0) return undefined
  const bytes = Buffer.alloc(digits.length / 2)
  const holes = given.toSorted((one, other) => one.start - other.start)
  let position = 0
  for (const { start, length } of [...holes, { start: bytes.length, length: 0 }]) {
    if (start + length > bytes.length) return undefined
    // Not the holes: placeholders of unlinked libraries (`__$…$__`) are not hexadecimal.
    const part = digits.slice(position * 2, start * 2)
    if (bytes.write(part, position, 'hex') * 2 < part.length) return undefined
    position = Math.max(position, start + length)
  }
  if (isLibrary(bytes)) holes.unshift({ start: 1, length: ADDRESS_LENGTH })
  return { bytes, holes }
}

/** A library's code begins with PUSH20 and its own address, by which it detects direct calls. */
function isLibrary(bytes: Buffer): boolean {
  return bytes[0] === PUSH20 && bytes.subarray(1, 1 + ADDRESS_LENGTH).every((byte) => byte === 0)
}

/** True if `code` begins with the template's bytes, whatever is in its holes. */
export function beginsWith(code: Buffer, { bytes, holes }: CodeTemplate): boolean {
  if (code.length < bytes.length) return false
  let position = 0
  for (const { start, length } of [...holes, { start: bytes.length, length: 0 }]) {
    if (start > position && bytes.compare(code, position, start, position, start) !== 0) {
      return false
    }
    position = Math.max(position, start + length)
  }
  return true
}
