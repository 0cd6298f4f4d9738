import { format } from 'node:util'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import { bytesToBigInt } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import type { Keccak256 } from '../state/types.ts'

/** A type that console.sol prints: `bytes1` to `bytes32` are the last one. */
export type ConsoleType =
  | 'uint256'
  | 'int256'
  | 'bool'
  | 'address'
  | 'string'
  | 'bytes'
  | `bytes${number}`

/** Types that console.log takes in every combination of up to four. */
const COMBINED: readonly ConsoleType[] = ['uint256', 'string', 'bool', 'address']

const MOST_PARAMETERS = 4

/** What older versions of console.sol wrote, and hashed, where the ABI has another name. */
const OLD_NAMES: readonly (readonly [type: ConsoleType, old: string])[] = [
  ['uint256', 'uint'],
  ['int256', 'int'],
  ['bytes1', 'byte'],
]

let table: ReadonlyMap<number, readonly ConsoleType[]> | undefined

/**
 * The types that a call of console.log passes: those of every function of Hardhat's console.sol, old ones included.
 *
 * @param selector - first four bytes of the calldata
 */
export function consoleTypes(
  selector: number,
  keccak256: Keccak256,
): readonly ConsoleType[] | undefined {
  table ??= createTable(keccak256)
  return table.get(selector)
}

function createTable(keccak256: Keccak256): ReadonlyMap<number, readonly ConsoleType[]> {
  const types = new Map<number, readonly ConsoleType[]>()
  for (const list of typeLists()) {
    types.set(selectorOf(list, keccak256), list)
    const old = list.map(oldName)
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

function oldName(type: ConsoleType): string {
  return OLD_NAMES.find(([name]) => name === type)?.[1] ?? type
}

function selectorOf(types: readonly string[], keccak256: Keccak256): number {
  const hash = keccak256(Buffer.from(`log(${types.join()})`))
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0)
}

const WORD = 32

/** Readers of the types that stand in their word, by name; `bytesN` has its own. */
const STATIC: Readonly<Partial<Record<ConsoleType, (word: Uint8Array) => string>>> = {
  uint256: (word) => bytesToBigInt(word).toString(),
  int256: (word) => BigInt.asIntN(256, bytesToBigInt(word)).toString(),
  bool: (word) => String(word[31] !== 0),
  address: (word) => toHex(word.subarray(12)),
}

/**
 * The arguments of a call of console.log, as text. Whatever stands there, something is answered: what is missing counts
 * as zero, and text that is no UTF-8 gets replacement characters.
 *
 * @param body - calldata behind the selector
 */
export function decodeArguments(body: Uint8Array, types: readonly ConsoleType[]): string[] {
  return types.map((type, index) => {
    const word = wordAt(body, index * WORD)
    const read = STATIC[type]
    if (read !== undefined) return read(word)
    if (type === 'string') return Buffer.from(tailOf(body, word)).toString('utf8')
    if (type === 'bytes') return toHex(tailOf(body, word))
    return toHex(word.subarray(0, Number(type.slice('bytes'.length))))
  })
}

/** The bytes that the word `offset` points at, as far as there are any. */
function tailOf(body: Uint8Array, offset: Uint8Array): Uint8Array {
  const start = position(offset, body)
  const length = position(wordAt(body, start), body)
  return body.subarray(start + WORD, start + WORD + length)
}

/** A number of bytes; one that is larger than `body` could as well be its length. */
function position(word: Uint8Array, { length }: Uint8Array): number {
  const value = bytesToBigInt(word)
  return value < BigInt(length) ? Number(value) : length
}

function wordAt(body: Uint8Array, start: number): Uint8Array {
  const word = new Uint8Array(WORD)
  word.set(body.subarray(start, start + WORD))
  return word
}

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
