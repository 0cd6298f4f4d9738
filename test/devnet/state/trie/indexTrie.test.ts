import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { KECCAK256_RLP } from '@ethereumjs/util'
import { expect, test } from 'vitest'
import { IndexTrie } from '../../../../devnet/state/trie/indexTrie.ts'
import { keccak256 } from '../support.ts'

const values = Array.from({ length: 300 }, (_, index) =>
  new Uint8Array(1 + ((index * 37) % 150)).fill(index),
)

/** The roots that the library gives for the first 0, 1, 2, … values. */
async function libraryRoots(): Promise<Uint8Array[]> {
  const trie = new MerklePatriciaTrie()
  const roots = [trie.root()]
  for (const [index, value] of values.entries()) {
    await trie.put(RLP.encode(index), value)
    roots.push(trie.root())
  }
  return roots
}

test('default', async () => {
  const roots = await libraryRoots()
  let trie = IndexTrie.empty(keccak256)
  expect(trie.rootHash()).toEqual(KECCAK256_RLP)
  for (const [index, value] of values.entries()) {
    trie = trie.append([value], index)
    expect(trie.rootHash()).toEqual(roots[index + 1])
  }
})

test('several at once, and older lists stay', async () => {
  const roots = await libraryRoots()
  const lengths = [0, 1, 100, 127, 128, 129, 256, 257, 300]
  let trie = IndexTrie.empty(keccak256)
  let length = 0
  const tries = lengths.map((next) => {
    trie = trie.append(values.slice(length, next), length)
    length = next
    return trie
  })
  expect(tries.map((list) => list.rootHash())).toEqual(lengths.map((next) => roots[next]))
})
