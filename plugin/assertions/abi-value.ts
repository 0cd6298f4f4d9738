import { isObject } from '../node-answers.ts'
import type { AbiParameter } from './event.ts'
import { isHex, lowerCase } from './subject.ts'

/** What decides about a value by itself: a predicate, as in Hardhat's assertions, or an asymmetric matcher of vitest. */
function decider(expected: unknown): ((value: unknown) => boolean) | undefined {
  if (typeof expected === 'function') return (value) => expected(value) === true
  if (!isObject(expected) || typeof expected.asymmetricMatch !== 'function') return undefined
  const { asymmetricMatch } = expected
  return (value) => asymmetricMatch.call(expected, value) === true
}

/** Whether a decoded value is what a test expects of a parameter; `undefined` and `null` expect any. */
export function fits(parameter: AbiParameter, expected: unknown, actual: unknown): boolean {
  if (expected === undefined || expected === null) return true
  const decide = decider(expected)
  if (decide !== undefined) return decide(presented(parameter, actual))
  const inner = elementOf(parameter)
  if (inner !== undefined) {
    if (!Array.isArray(expected) || !Array.isArray(actual)) return false
    return (
      expected.length === actual.length &&
      expected.every((one, index) => fits(inner, one, actual[index]))
    )
  }
  if (parameter.type === 'tuple') {
    if (!isObject(expected)) return false
    return (parameter.components ?? []).every((component, index) =>
      fits(component, member(expected, component, index), member(actual, component, index)),
    )
  }
  return comparable(parameter.type, expected) === comparable(parameter.type, actual)
}

/** A decoded value in the form in which clients give it: bytes and addresses as text. */
export function presented(parameter: AbiParameter, value: unknown): unknown {
  const inner = elementOf(parameter)
  if (inner !== undefined && Array.isArray(value)) return value.map((one) => presented(inner, one))
  if (parameter.type === 'tuple') {
    const { components = [] } = parameter
    return Object.fromEntries(
      components.map((component, index) => [
        component.name || String(index),
        presented(component, member(value, component, index)),
      ]),
    )
  }
  return value instanceof Uint8Array ? toHex(value) : value
}

/** The parameter that an array repeats. */
function elementOf({ type, ...parameter }: AbiParameter): AbiParameter | undefined {
  const end = /\[\d*\]$/.exec(type)
  return end === null ? undefined : { ...parameter, type: type.slice(0, end.index) }
}

/** Tuples are objects where their components have names, else arrays. */
function member(tuple: unknown, { name }: AbiParameter, index: number): unknown {
  if (Array.isArray(tuple)) return tuple[index]
  return isObject(tuple) && name ? tuple[name] : undefined
}

/** A form in which equal values of a plain type are identical; a value of another type has one of its own. */
function comparable(type: string, value: unknown): unknown {
  if (type.startsWith('uint') || type.startsWith('int')) {
    return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  }
  if (type === 'string' || type === 'bool') return value
  if (value instanceof Uint8Array) return toHex(value)
  return isHex(value) ? lowerCase(value) : value
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
