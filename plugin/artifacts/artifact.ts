/** Where something stands in a code, in bytes. */
export interface Place {
  readonly start: number
  readonly length: number
}

/** Code as the compiler made it. */
export interface CodeTemplate {
  readonly bytes: Buffer
  /** What linking and deployment fill in, in order. */
  readonly holes: readonly Place[]
}

const PUSH20 = 0x73

/** Addresses of libraries have 20 bytes. */
const ADDRESS_LENGTH = 20

/**
 * Code of an artifact; `undefined` for that of an interface, which has none, and where it is not hexadecimal.
 *
 * @param hex - with or without `0x`; holes may hold anything
 * @param holes - in any order
 */
export function codeTemplate(hex: string, holes: readonly Place[]): CodeTemplate | undefined {
  let digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (digits.length === 0) return undefined
  for (const { start, length } of holes) {
    // Names of libraries that are not linked yet are no hexadecimal.
    digits = digits.slice(0, start * 2) + '00'.repeat(length) + digits.slice((start + length) * 2)
  }
  const bytes = Buffer.from(digits, 'hex')
  if (bytes.length * 2 !== digits.length) return undefined
  const all = isLibrary(bytes) ? [...holes, { start: 1, length: ADDRESS_LENGTH }] : [...holes]
  return { bytes, holes: all.sort((one, other) => one.start - other.start) }
}

/** The code of a library begins with its own address, by which it knows that it is not called directly. */
function isLibrary(bytes: Buffer): boolean {
  return bytes[0] === PUSH20 && bytes.subarray(1, 1 + ADDRESS_LENGTH).every((byte) => byte === 0)
}

/** Whether `code` begins with the template's bytes, whatever stands in the holes. */
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

/** What of a compiled contract tells its code and its functions. */
export interface Artifact {
  readonly name: string
  /** Code that creates it; arguments of the constructor follow. */
  readonly creation: CodeTemplate
  readonly deployed: CodeTemplate
  readonly functions: readonly string[]
  readonly errors: readonly string[]
}

/**
 * Reads an artifact as Hardhat writes it; `undefined` for what is none, and for interfaces and abstract contracts, whose
 * code is nowhere.
 */
export function readArtifact(value: unknown): Artifact | undefined {
  if (!isRecord(value)) return undefined
  const { contractName, abi, bytecode, deployedBytecode } = value
  if (typeof contractName !== 'string' || !Array.isArray(abi)) return undefined
  if (typeof bytecode !== 'string' || typeof deployedBytecode !== 'string') return undefined
  const creation = codeTemplate(bytecode, placesIn(value.linkReferences))
  const deployed = codeTemplate(deployedBytecode, [
    ...placesIn(value.deployedLinkReferences),
    ...placesIn(value.immutableReferences),
  ])
  if (creation === undefined || deployed === undefined) return undefined
  return {
    name: contractName,
    creation,
    deployed,
    functions: signatures(abi, 'function'),
    errors: signatures(abi, 'error'),
  }
}

/** Every place that link or immutable references name; they are nested to different depths. */
function placesIn(references: unknown): Place[] {
  if (Array.isArray(references)) return references.flatMap(placesIn)
  if (!isRecord(references)) return []
  const { start, length } = references
  if (isCount(start) && isCount(length)) return [{ start, length }]
  return Object.values(references).flatMap(placesIn)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Canonical signatures, such as `transfer(address,uint256)`, of the entries of one kind. */
function signatures(abi: readonly unknown[], kind: 'function' | 'error'): string[] {
  return abi.flatMap((entry) => {
    if (!isRecord(entry) || entry.type !== kind || typeof entry.name !== 'string') return []
    return [`${entry.name}(${typesOf(entry.inputs)})`]
  })
}

function typesOf(parameters: unknown): string {
  if (!Array.isArray(parameters)) return ''
  return parameters.map(typeOf).join()
}

/** `tuple` stands for the types of its components. */
function typeOf(parameter: unknown): string {
  if (!isRecord(parameter) || typeof parameter.type !== 'string') return ''
  const { type, components } = parameter
  return type.startsWith('tuple') ? `(${typesOf(components)})${type.slice('tuple'.length)}` : type
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
