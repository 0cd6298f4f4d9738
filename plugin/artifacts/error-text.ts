import type { Hex } from '../../devnet/index.ts'
import { type AbiEntry, AbiError, type AbiValue, decodeParameters } from '../../devnet/pluginApi.ts'
import { codeBytes } from './artifact.ts'

/** Limits of the arguments shown: they may be megabytes. */
const LIMITS = { elements: 20, values: 100, bytes: 1000 }

/** Length of `0x` and a selector. */
export const SELECTOR_LENGTH = 10

/** A custom error as Solidity writes it, e.g. `TooMuch(5, 0)`; its signature if the data is cut. */
export function errorText({ name, inputs, signature }: AbiEntry, data: Hex): string {
  try {
    const bytes = codeBytes(`0x${data.slice(SELECTOR_LENGTH)}`)
    return `${name}(${listText(decodeParameters(inputs, bytes, LIMITS))})`
  } catch (error) {
    if (error instanceof AbiError) return signature
    throw error
  }
}

function listText(values: readonly AbiValue[]): string {
  return values.map(valueText).join(', ')
}

function valueText({ type, value, omitted }: AbiValue): string {
  const rest = omitted > 0 ? `… ${omitted} more` : ''
  if (typeof value !== 'object') {
    return (type === 'string' ? JSON.stringify(value) : String(value)) + rest
  }
  const inner = listText(value) + (rest === '' ? '' : `, ${rest}`)
  return type.endsWith(')') ? `(${inner})` : `[${inner}]`
}
