import { isObject, printable } from '../../devnet/pluginApi.ts'

/** An object of an answer; no fields if there is none. */
export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

/** Text of an answer; empty if it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Hashes of blocks that have none yet. */
export const ZERO_HASH = `0x${'00'.repeat(32)}`
export const ONES_HASH = `0x${'ff'.repeat(32)}`

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A quantity as a number; `NaN` if it is none. */
export function numberOf(value: unknown): number {
  return typeof value === 'string' && value.startsWith('0x') ? Number(value) : Number.NaN
}

export function toQuantity(number: number): string {
  return `0x${Math.max(0, number).toString(16)}`
}

/** A value for people, on one line. */
export function printableValue(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'nothing')
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

const MOST_SHOWN = 160
