import { format } from 'node:util'
import type { ConsoleCalls } from '../../engine/consoleCalls.ts'
import type { Keccak256 } from '../../state/types.ts'
import { decodeArguments } from './decode.ts'
import { consoleTypes } from './signatures.ts'

/** `%d` and `%i`, unless the `%` belongs to a `%%`. */
const WHOLE_NUMBER = /(?<!%)((?:%%)*)%[di]/g

/**
 * What each call of console.log prints, as `hardhat node` prints it: `%s`, `%d`, `%i`, `%o` and the like in the first
 * argument take up the next ones, and what is left over follows behind spaces. Calls of other functions print nothing.
 *
 * @returns texts that may hold any character and any number of lines
 */
export function consoleMessages({ inputs }: ConsoleCalls, keccak256: Keccak256): string[] {
  return inputs.flatMap((input) => consoleMessage(input, keccak256) ?? [])
}

/** What one call prints; `undefined` for a function that console.sol does not have. */
export function consoleMessage(input: Uint8Array, keccak256: Keccak256): string | undefined {
  if (input.length < 4) return undefined
  const selector = new DataView(input.buffer, input.byteOffset).getUint32(0)
  const types = consoleTypes(selector, keccak256)
  if (types === undefined) return undefined
  const [first = '', ...rest] = decodeArguments(input.subarray(4), types)
  // Numbers come as text, in full: as JavaScript numbers they would be rounded.
  return format(first.replace(WHOLE_NUMBER, '$1%s'), ...rest)
}
