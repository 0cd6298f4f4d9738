import { type CodeTemplate, codeTemplate, type Place } from './codeTemplate.ts'

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
