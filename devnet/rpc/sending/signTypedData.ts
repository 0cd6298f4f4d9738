import { signTyped } from 'micro-eth-signer'
import { DOMAIN, type Field, type TypedData } from '../../json/schemas/typedData.ts'
import { InvalidParamsError, reasonOf, shorten } from '../../primitives/errors.ts'
import { isBytes } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'

/** The fields of a domain, if its type is not among `types` (EIP-712). */
const DOMAIN_FIELDS: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/**
 * Signs typed data (EIP-712). As in wallets and on other nodes, what no type declares is not
 * signed: messages come with fields such as `__typename` of whatever made them.
 *
 * @throws {InvalidParamsError} if a declared field is missing, or a value does not fit its type
 */
export function signTypedData(data: TypedData, privateKey: Uint8Array): string {
  const { [DOMAIN]: domainFields = derivedFields(data.domain) } = data.types
  const types = { ...data.types, [DOMAIN]: domainFields }
  checkTypes(types)
  const typed = {
    types,
    primaryType: data.primaryType,
    domain: declared(types, DOMAIN, data.domain, 'domain'),
    message:
      data.primaryType === DOMAIN
        ? {}
        : declared(types, data.primaryType, data.message ?? {}, 'message'),
  }
  try {
    // Without extra entropy, the same data gives the same signature (RFC 6979). Cast because the
    // library infers its types from the schema in the data, which is known only at run time.
    return signTyped(typed as Parameters<typeof signTyped>[0], privateKey, false)
  } catch (cause) {
    // The library checks the values against their types while it hashes them.
    throw invalid(shorten(reasonOf(cause).replaceAll('Writer(): ', ''), 200), cause)
  }
}

function derivedFields(domain: TypedData['domain']): readonly Field[] {
  return DOMAIN_FIELDS.filter(({ name }) => (domain[name] ?? null) !== null)
}

const BASIC = /^(?:string|bool|address|bytes\d*|u?int\d*)$/
const ARRAY = /^(.+)\[\d*\]$/

/** Needed because the library takes inherited members, such as `toString`, for types. */
function checkTypes(types: TypedData['types']): void {
  for (const [name, fields] of Object.entries(types)) {
    for (const { name: field, type } of fields) {
      const base = type.replace(/(?:\[\d*\])+$/, '')
      if (BASIC.test(base) || Object.hasOwn(types, base)) continue
      throw invalid(
        `types.${shorten(name, 60)}.${shorten(field, 60)}: no type ${shorten(base, 60)}`,
      )
    }
  }
}

/** The library refuses more values. */
const MOST_VALUES = 4096
const DEEPEST = 64

/** The form of a type's values, if this is none: the library refuses it in words of its own. */
function formOf(type: string, value: unknown): string | false {
  if (ARRAY.test(type)) return !Array.isArray(value) && 'a list'
  if (!BASIC.test(type)) return false
  if (type === 'bool') return typeof value !== 'boolean' && 'true or false'
  if (type === 'address') return !isBytes(value, 20) && '0x and 40 digits'
  if (type.includes('int')) return !isInteger(value) && 'an integer, such as 12, "12" or "0xc"'
  return typeof value !== 'string' && !(value instanceof Uint8Array) && 'text'
}

function isInteger(value: unknown): boolean {
  if (typeof value !== 'string') return typeof value === 'bigint' || Number.isSafeInteger(value)
  return /^\s*(?:[-+]?\d+|0x[\da-f]+|0b[01]+|0o[0-7]+)?\s*$/i.test(value)
}

/** Leaves out what no type declares. @throws {InvalidParamsError} if a declared field is missing */
function declared(types: TypedData['types'], type: string, whole: unknown, name: string): unknown {
  let values = 0
  return pick(type, whole, [name])

  function pick(type: string, value: unknown, path: readonly string[]): unknown {
    if (++values > MOST_VALUES || path.length > DEEPEST) return value
    const item = ARRAY.exec(type)?.[1]
    if (item !== undefined && Array.isArray(value)) {
      return value.map((one, index) => pick(item, one, [...path, String(index)]))
    }
    const fields = Object.hasOwn(types, type) ? types[type] : undefined
    const form = fields === undefined && formOf(type, value)
    if (form)
      throw invalid(`${path.map((key) => shorten(key, 60)).join('.')}: ${type} wants ${form}`)
    if (fields === undefined || !isObject(value)) return value
    return Object.fromEntries(
      fields.flatMap((field) => {
        const one = Object.hasOwn(value, field.name) ? (value[field.name] ?? undefined) : undefined
        const at = [...path, field.name]
        if (one !== undefined) return [[field.name, pick(field.type, one, at)]]
        // A struct that is absent counts as zero, as in MetaMask.
        if (Object.hasOwn(types, field.type)) return []
        throw invalid(`${at.join('.')} is missing: ${type} declares it as ${field.type}`)
      }),
    )
  }
}

function invalid(problem: string, cause?: unknown): InvalidParamsError {
  return new InvalidParamsError(`invalid argument 1: ${problem}`, { cause })
}
