import {
  type Difference,
  difference,
  differentValues,
  first,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  shown,
  typeOf,
} from './runDifference.ts'

/** The keywords of JSON schema that OpenRPC documents use for results. */
export type Schema = boolean | SchemaObject

interface SchemaObject {
  readonly type?: string | readonly string[]
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

/** The first violation of a schema. */
export function violation(schema: Schema, value: Json, path = '$'): Difference | undefined {
  if (schema === true) return undefined
  if (schema === false) return { path, problem: `not allowed, is ${shown(value)}` }
  return (
    ofValue(schema, value, path) ??
    (isArray(value) && schema.items !== undefined
      ? ofItems(schema.items, value, path)
      : undefined) ??
    (isObject(value) ? ofMembers(schema, value, path) : undefined) ??
    first(schema.allOf ?? [], (one) => violation(one, value, path)) ??
    ofAlternatives(schema.anyOf, value, path) ??
    ofOne(schema.oneOf, value, path)
  )
}

function ofValue(schema: SchemaObject, value: Json, path: string): Difference | undefined {
  const { type, enum: values } = schema
  if (type !== undefined) {
    const types = typeof type === 'string' ? [type] : type
    const isInteger = types.includes('integer') && Number.isInteger(value)
    if (!isInteger && !types.includes(typeOf(value))) {
      return { path, problem: `expected ${types.join(' or ')}, is ${shown(value)}` }
    }
  }
  if (schema.const !== undefined && difference(schema.const, value) !== undefined) {
    return differentValues(schema.const, value, path)
  }
  if (values?.every((one) => difference(one, value) !== undefined)) {
    return { path, problem: `expected one of ${shown(values)}, is ${shown(value)}` }
  }
  if (typeof value === 'string') {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
      return { path, problem: `does not match ${schema.pattern}: ${shown(value)}` }
    }
    return outside(value.length, schema.minLength, schema.maxLength, `${path}.length`)
  }
  if (typeof value === 'number') return outside(value, schema.minimum, schema.maximum, path)
  if (isArray(value)) {
    return outside(value.length, schema.minItems, schema.maxItems, `${path}.length`)
  }
  return undefined
}

function outside(
  value: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
  path: string,
): Difference | undefined {
  if (value >= least && value <= most) return undefined
  return { path, problem: `expected ${least} to ${most}, is ${value}` }
}

function ofItems(schema: Schema, items: readonly Json[], path: string): Difference | undefined {
  return first(items, (item, index) => violation(schema, item, `${path}[${index}]`))
}

function ofMembers(schema: SchemaObject, value: JsonObject, path: string): Difference | undefined {
  const missing = schema.required?.find((key) => !Object.hasOwn(value, key))
  if (missing !== undefined) return { path: member(path, missing), problem: 'missing' }
  const patterns = Object.entries(schema.patternProperties ?? {})
  return first(Object.entries(value), ([key, one]) => {
    const named = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined
    const schemas = patterns
      .filter(([pattern]) => new RegExp(pattern).test(key))
      .map(([, other]) => other)
    if (named !== undefined) schemas.unshift(named)
    if (schemas.length === 0) schemas.push(schema.additionalProperties ?? true)
    return first(schemas, (other) => violation(other, one, member(path, key)))
  })
}

/** The violation of the alternative that fits furthest, if none fits. */
function ofAlternatives(schemas: readonly Schema[] | undefined, value: Json, path: string) {
  if (schemas === undefined) return undefined
  const violations = schemas.map((schema) => violation(schema, value, path))
  if (violations.includes(undefined)) return undefined
  return violations.reduce((one, other) =>
    (other?.path.length ?? 0) > (one?.path.length ?? 0) ? other : one,
  )
}

function ofOne(schemas: readonly Schema[] | undefined, value: Json, path: string) {
  const fitting = schemas?.filter((schema) => violation(schema, value, path) === undefined) ?? []
  if (fitting.length <= 1) return ofAlternatives(schemas, value, path)
  return { path, problem: `fits ${fitting.length} of the alternatives, of which one is to fit` }
}
