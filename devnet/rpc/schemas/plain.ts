import * as z from 'zod'
import { wanted } from './reader.ts'

/** true or false. */
export function flag(): z.ZodType<boolean> {
  return FLAG
}

/** Any text. */
export function text(): z.ZodType<string> {
  return TEXT
}

const FLAG = z.boolean(wanted('true or false'))
const TEXT = z.string(wanted('a string'))
