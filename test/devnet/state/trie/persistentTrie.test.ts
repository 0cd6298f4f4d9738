import { MerklePatriciaTrie, verifyMerkleProof } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToText, sameBytes, textToBytes } from '../../../../devnet/primitives/bytes.ts'
import { StateUsageError } from '../../../../devnet/primitives/errors.ts'
import { EMPTY_ROOT, PersistentTrie } from '../../../../devnet/state/trie/persistentTrie.ts'
import { runs } from '../../../support/longRuns.ts'
import { keccak256 } from '../support.ts'

function emptyTrie(): PersistentTrie<Uint8Array> {
  return PersistentTrie.empty<Uint8Array>({
    keccak256,
    length: (value) => value.length,
    write(value, target, offset) {
      target.set(value, offset)
      return offset + value.length
    },
    same: sameBytes,
  })
}

const text = (...bytes: number[]) => bytesToText(Uint8Array.from(bytes))
const value = (...bytes: number[]) => Uint8Array.from(bytes)

describe('update', () => {
  test('default', () => {
    const empty = emptyTrie()
    const one = empty.update([[text(1, 2), value(3)]])
    const two = one.update([[text(1, 3), value(4)]])
    expect([empty, one, two].map((trie) => trie.get(text(1, 2)))).toEqual([
      undefined,
      value(3),
      value(3),
    ])
    expect(two.get(text(1, 3))).toEqual(value(4))
    expect(two.get(text(1, 4))).toBeUndefined()
    expect(two.get(text(9, 9))).toBeUndefined()
    expect(empty.rootHash()).toBe(EMPTY_ROOT)
    expect(two.rootHash()).not.toEqual(EMPTY_ROOT)
  })

  test('the last of several entries with one key counts', () => {
    const trie = emptyTrie().update([
      [text(1), value(1)],
      [text(2), value(2)],
      [text(1), null],
      [text(2), value(3)],
    ])
    expect([trie.get(text(1)), trie.get(text(2))]).toEqual([undefined, value(3)])
  })

  test('the same object if nothing changes', () => {
    const trie = emptyTrie().update([
      [text(0x11, 1), value(1)],
      [text(0x11, 2), value(2)],
      [text(0x20, 1), value(3)],
    ])
    expect(trie.update([])).toBe(trie)
    expect(trie.update([[text(0x11, 1), value(1)]])).toBe(trie)
    for (const absent of [text(0x11, 3), text(0x12, 1), text(0x20, 2), text(0x99, 9)]) {
      expect(trie.update([[absent, null]])).toBe(trie)
    }
    const both = trie.update([
      [text(0x11, 3), null],
      [text(0x20, 1), value(3)],
    ])
    expect(both).toBe(trie)
  })

  test('removed again, the root of before', () => {
    const before = emptyTrie().update([
      [text(0x12, 0x34), value(1)],
      [text(0x12, 0x35), value(2)],
    ])
    const root = before.rootHash()
    const added = before.update([
      [text(0x12, 0x99), value(3)],
      [text(0x40, 0x00), value(4)],
    ])
    expect(added.rootHash()).not.toEqual(root)
    const removed = added.update([
      [text(0x12, 0x99), null],
      [text(0x40, 0x00), null],
    ])
    expect(removed.rootHash()).toEqual(root)
    const all = removed.update([
      [text(0x12, 0x34), null],
      [text(0x12, 0x35), null],
    ])
    expect(all.rootHash()).toBe(EMPTY_ROOT)
  })

  test('a key that is a prefix of another', () => {
    const trie = emptyTrie().update([[text(1, 2), value(1)]])
    expect(() => trie.update([[text(1), value(1)]])).toThrow(StateUsageError)
    expect(() => trie.update([[text(1, 2, 3), value(1)]])).toThrow(StateUsageError)
    expect(trie.get(text(1))).toBeUndefined()
  })
})

/**
 * Few different bytes, so that keys have long common prefixes; short values, so that nodes are
 * inlined in their parents.
 */
const nearBytes = fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0xff)
const nearKey = fc.array(nearBytes, { minLength: 3, maxLength: 3 }).map((bytes) => text(...bytes))
const hashedKey = fc.nat({ max: 200 }).map((index) => bytesToText(keccak256(value(index))))
const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.uint8Array({ minLength: 25, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant(new Uint8Array(3000).fill(7)) },
)
const batches = (key: fc.Arbitrary<string>) =>
  fc.array(
    fc.record({
      entries: fc.array(fc.tuple(key, fc.option(anyValue, { freq: 2 })), {
        maxLength: 25,
        size: 'max',
      }),
      hashNow: fc.boolean(),
    }),
    { maxLength: 12, size: 'max' },
  )

/**
 * Plays the batches on the library's trie too; checks roots, reads and proofs at the end, of the
 * older tries as well.
 */
async function play(
  plays: readonly { entries: readonly [string, Uint8Array | null][]; hashNow: boolean }[],
): Promise<void> {
  const mpt = new MerklePatriciaTrie()
  const content = new Map<string, Uint8Array>()
  const asked = new Set<string>()
  const states: {
    trie: PersistentTrie<Uint8Array>
    root: Uint8Array
    content: Map<string, Uint8Array>
  }[] = []
  let trie = emptyTrie()
  for (const { entries, hashNow } of plays) {
    trie = trie.update(entries)
    for (const [key, changed] of entries) {
      asked.add(key)
      if (changed === null) {
        content.delete(key)
        await mpt.del(textToBytes(key))
      } else {
        content.set(key, changed)
        await mpt.put(textToBytes(key), changed)
      }
    }
    if (hashNow) expect(trie.rootHash()).toEqual(mpt.root())
    states.push({ trie, root: mpt.root(), content: new Map(content) })
  }
  for (const { trie, root, content } of states) {
    expect(trie.rootHash()).toEqual(root)
    for (const key of asked) {
      expect(trie.get(key)).toEqual(content.get(key))
      if (content.size === 0) {
        expect(trie.proof(key)).toEqual([])
        continue
      }
      const proven = await verifyMerkleProof(textToBytes(key), trie.proof(key), { root })
      expect(proven).toEqual(content.get(key) ?? null)
    }
  }
}

test.each([
  { keys: 'with long common beginnings', key: nearKey, seed: 3 },
  { keys: 'of 32 bytes', key: hashedKey, seed: 4 },
])('as the library, keys $keys', async ({ key, seed }) => {
  await fc.assert(fc.asyncProperty(batches(key), play), { seed, numRuns: runs(100) })
})

test('inlined nodes are not listed in proofs', () => {
  const short = emptyTrie().update([
    [text(0x01), value(1)],
    [text(0x11), value(2)],
  ])
  expect(short.proof(text(0x01))).toHaveLength(1)
  const long = emptyTrie().update([
    [text(0x01), new Uint8Array(40)],
    [text(0x11), value(2)],
  ])
  expect(long.proof(text(0x01))).toHaveLength(2)
  expect(long.proof(text(0x11))).toHaveLength(1)
})

test('a proof with one byte changed is refused', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => bytesToText(keccak256(value(index))))
  const trie = emptyTrie().update(keys.map((key, index) => [key, value(index + 1)]))
  const [first = ''] = keys
  const proof = trie.proof(first)
  const root = trie.rootHash()
  expect(await verifyMerkleProof(textToBytes(first), proof, { root })).toEqual(value(1))
  const last = proof.at(-1)
  if (last === undefined) throw new Error('no proof')
  last[last.length - 1] = 99
  await expect(verifyMerkleProof(textToBytes(first), proof, { root })).rejects.toThrow()
  expect(await verifyMerkleProof(textToBytes(first), trie.proof(first), { root })).toEqual(value(1))
})
