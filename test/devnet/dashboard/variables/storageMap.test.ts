import { keccak256, toBytes } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  readStorageLayout,
  type StorageLayout,
} from '../../../../devnet/dashboard/variables/storageLayout.ts'
import { StorageMap } from '../../../../devnet/dashboard/variables/storageMap.ts'

const hash = (bytes: Uint8Array) => toBytes(keccak256(bytes))

/** As solc writes it. */
const field = (label: string, type: string, slot = 0) => ({
  label,
  type,
  slot: String(slot),
  offset: 0,
})
const struct = (numberOfBytes: number, ...members: readonly object[]) => ({
  label: 'struct S',
  encoding: 'inplace',
  numberOfBytes: String(numberOfBytes),
  members,
})
const UINT = { label: 'uint256', encoding: 'inplace', numberOfBytes: '32' }

/** A map that counts the types that it looks at. */
function counted(storage: readonly object[], types: Readonly<Record<string, object>>) {
  const layout = readStorageLayout({ storage, types })
  if (layout === undefined) throw new Error('no layout')
  let looks = 0
  const counting: StorageLayout = {
    ...layout,
    types: new (class extends Map<string, never> {
      override get(id: string) {
        looks++
        return layout.types.get(id) as never
      }
    })(),
  }
  return { map: new StorageMap(counting, hash), looks: () => looks }
}

const many = (count: number, make: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => make(index))

describe('layouts of any program', () => {
  test.each([
    [
      'a struct that holds itself, twice',
      [field('s', 'S')],
      { S: struct(64, field('a', 'S'), field('b', 'S')) },
    ],
    [
      '5,000 members at slot 0',
      [field('s', 'S')],
      { u: UINT, S: struct(64, ...many(4990, (index) => field(`m${index}`, 'u'))) },
    ],
    ['5,000 variables at slot 0', many(5000, (index) => field(`v${index}`, 'u')), { u: UINT }],
    [
      '32 members, each of the struct itself',
      [field('s', 'S')],
      { S: struct(32, ...many(32, (index) => field(`m${index}`, 'S'))) },
    ],
    [
      'an array of itself',
      [field('s', 'A')],
      { A: { label: 'uint8[9]', encoding: 'inplace', numberOfBytes: '32', base: 'A' } },
    ],
    [
      'two structs that hold each other',
      [field('s', 'S')],
      {
        S: struct(64, field('a', 'T'), field('b', 'T')),
        T: struct(64, field('a', 'S'), field('b', 'S')),
      },
    ],
  ] as const)('%s: few types are looked at for a slot', (_title, storage, types) => {
    const { map, looks } = counted(storage, types)
    expect(map.placesAt(0n).length).toBeLessThanOrEqual(32)
    expect(looks()).toBeLessThan(1000)
  })

  test('each preimage is a step of its own', () => {
    const { map } = counted([field('m', 'M')], {
      M: {
        label: 'mapping(uint256 => uint256)',
        encoding: 'mapping',
        numberOfBytes: '32',
        key: 'u',
        value: 'u',
      },
      u: UINT,
    })
    const preimages = many(50, (index) =>
      Uint8Array.of(...new Uint8Array(31), index, ...new Uint8Array(32)),
    ) as Uint8Array[]
    expect([...map.learn(preimages)].length).toBeGreaterThanOrEqual(50)
    const [first] = preimages
    expect(map.placesAt(BigInt(keccak256(first ?? new Uint8Array())))[0]?.path.join('')).toBe(
      'm[0]',
    )
  })

  test('members beside each other in a slot, whatever their order in the file', () => {
    const small = { label: 'uint8', encoding: 'inplace', numberOfBytes: '1' }
    const { map } = counted(
      [field('z', 'u', 2), { ...field('b', 's'), offset: 1 }, field('a', 's')],
      { s: small, u: UINT },
    )
    expect(map.placesAt(0n).map(({ path }) => path.join(''))).toEqual(['b', 'a'])
    expect(map.placesAt(1n)).toEqual([])
    expect(map.placesAt(2n).map(({ path }) => path.join(''))).toEqual(['z'])
  })

  test('fields of all types together are bounded', () => {
    const types = Object.fromEntries(
      many(100, () => struct(32, ...many(100, () => field('m', 'u')))).map((type, index) => [
        `T${index}`,
        type,
      ]),
    )
    const read = [...(readStorageLayout({ storage: [], types })?.types.values() ?? [])]
    expect(read.reduce((sum, { members = [] }) => sum + members.length, 0)).toBe(5000)
  })
})
