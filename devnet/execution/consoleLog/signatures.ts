import type { Keccak256 } from '../../state/types.ts'

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
