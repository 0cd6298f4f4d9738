import { format } from 'node:util'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import { bytesToBigInt, WORD } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import type { Keccak256 } from '../state/types.ts'

// Calls are decoded without an ABI library: this is faster, and malformed calls print, too.

/** `%d` and `%i`, unless the `%` belongs to a `%%`. */
const WHOLE_NUMBER = /(?<!%)((?:%%)*)%[di]/g

/**
 * The texts that calls of console.log print, formatted as in `hardhat node`: `%s`, `%d`, `%i`, `%o`
 * and the like in the first argument consume the next arguments; the remaining ones follow,
 * separated by spaces. Calls of functions that console.sol lacks print nothing.
 *
 * @returns one text per call; a text may contain any characters, including line breaks
 */
export function consoleMessages({ inputs }: ConsoleCalls, keccak256: Keccak256): string[] {
  return inputs.flatMap((input) => consoleMessage(input, keccak256) ?? [])
}

/** The text that one call prints; `undefined` for a function that console.sol lacks. */
export function consoleMessage(input: Uint8Array, keccak256: Keccak256): string | undefined {
  if (input.length < 4) return undefined
  const selector = new DataView(input.buffer, input.byteOffset).getUint32(0)
  typesBySelector ??= createTable(keccak256)
  const types = typesBySelector.get(selector)
  if (types === undefined) return undefined
  const [first = '', ...rest] = decodeArguments(input.subarray(4), types)
  // Numbers are passed as text; as JavaScript numbers they would be rounded.
  return format(first.replace(WHOLE_NUMBER, '$1%s'), ...rest)
}

type ConsoleType = 'uint256' | 'int256' | 'bool' | 'address' | 'string' | 'bytes' | `bytes${number}`

/** Types that `console.log` accepts in every combination of up to four arguments. */
const COMBINED: readonly ConsoleType[] = ['uint256', 'string', 'bool', 'address']

const MOST_PARAMETERS = 4

/** The ABI's type name → the one from which older versions of console.sol computed selectors. */
const OLD_NAMES: Readonly<Partial<Record<ConsoleType, string>>> = {
  uint256: 'uint',
  int256: 'int',
  bytes1: 'byte',
}

/** Selector → parameter types for Hardhat's console.sol, old versions too; built on first use. */
let typesBySelector: ReadonlyMap<number, readonly ConsoleType[]> | undefined

function createTable(keccak256: Keccak256): ReadonlyMap<number, readonly ConsoleType[]> {
  const types = new Map<number, readonly ConsoleType[]>()
  for (const list of typeLists()) {
    types.set(selectorOf(list, keccak256), list)
    const old = list.map((type) => OLD_NAMES[type] ?? type)
    if (old.join() !== list.join()) types.set(selectorOf(old, keccak256), list)
  }
  return types
}

function* typeLists(): Generator<readonly ConsoleType[]> {
  yield ['int256']
  yield ['bytes']
  for (let size = 1; size <= 32; size++) yield [`bytes${size}`]
  let lists: readonly (readonly ConsoleType[])[] = [[]]
  for (let count = 0; count <= MOST_PARAMETERS; count++) {
    yield* lists
    lists = lists.flatMap((list) => COMBINED.map((type) => [...list, type]))
  }
}

function selectorOf(types: readonly string[], keccak256: Keccak256): number {
  const hash = keccak256(Buffer.from(`log(${types.join()})`))
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0)
}

/** Decoders of the types that fit in one word, except `bytesN`. */
const STATIC: Readonly<Partial<Record<ConsoleType, (word: Uint8Array) => string>>> = {
  uint256: (word) => bytesToBigInt(word).toString(),
  int256: (word) => BigInt.asIntN(256, bytesToBigInt(word)).toString(),
  bool: (word) => String(word[31] !== 0),
  address: (word) => toHex(word.subarray(12)),
}

/**
 * The arguments of a call as text. Never fails: missing bytes count as zero, and text that is not
 * UTF-8 gets replacement characters.
 *
 * @param body - calldata after the selector
 */
function decodeArguments(body: Uint8Array, types: readonly ConsoleType[]): string[] {
  return types.map((type, index) => {
    const word = wordAt(body, index * WORD)
    const read = STATIC[type]
    if (read !== undefined) return read(word)
    if (type === 'string') return Buffer.from(tailOf(body, word)).toString('utf8')
    if (type === 'bytes') return toHex(tailOf(body, word))
    return toHex(word.subarray(0, Number(type.slice('bytes'.length))))
  })
}

/** The dynamic argument at `offset`, truncated at the end of `body`. */
function tailOf(body: Uint8Array, offset: Uint8Array): Uint8Array {
  const start = position(offset, body)
  const length = position(wordAt(body, start), body)
  return body.subarray(start + WORD, start + WORD + length)
}

/** The number in `word`, capped at the length of `body`. */
function position(word: Uint8Array, { length }: Uint8Array): number {
  const value = bytesToBigInt(word)
  return value < BigInt(length) ? Number(value) : length
}

function wordAt(body: Uint8Array, start: number): Uint8Array {
  const word = new Uint8Array(WORD)
  word.set(body.subarray(start, start + WORD))
  return word
}
