import { fromHex } from '../../primitives/hex.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { HashBuffer, Keccak256 } from '../types.ts'
import {
  Branch,
  Extension,
  Leaf,
  type Node,
  nibbleAt,
  nodeBytes,
  refer,
  startsWithPath,
  type TrieCodec,
  type TrieValues,
} from './trieNodes.ts'
import { type Entry, sortEntries, updateNode } from './trieUpdate.ts'

/** Root of the empty trie: keccak-256 of the RLP of an empty string. */
export const EMPTY_ROOT = fromHex(
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
)

/**
 * An immutable Merkle Patricia trie: an update makes a new one, which shares all nodes that are not
 * on the paths of changed keys. Nodes are hashed once, when a root is first read. Keys are bytes as
 * latin-1 text; no key may be a prefix of another. Written here because the trie of @ethereumjs is
 * mutable and hashes at each write.
 */
export class PersistentTrie<Value> {
  readonly #codec: TrieCodec<Value>
  readonly #root: Node<Value> | undefined

  private constructor(codec: TrieCodec<Value>, root: Node<Value> | undefined) {
    this.#codec = codec
    this.#root = root
  }

  static empty<Value>(
    values: TrieValues<Value> & { readonly keccak256: Keccak256 },
  ): PersistentTrie<Value> {
    return new PersistentTrie({ ...values, buffer: hashBufferOf(values.keccak256) }, undefined)
  }

  get(key: string): Value | undefined {
    let node = this.#root
    for (let depth = 0; node !== undefined && !(node instanceof Leaf); ) {
      if (node instanceof Branch) {
        node = node.children[nibbleAt(key, depth)]
        depth += 1
      } else {
        const { path, child }: Extension<Value> = node
        node = startsWithPath(key, depth, path) ? child : undefined
        depth += path.length
      }
    }
    return node?.key === key ? node.value : undefined
  }

  /**
   * Returns the trie with these entries set, or removed if their value is `null`. Returns the same
   * object if nothing changes.
   *
   * @param entries - in any order; if a key occurs more than once, the last entry counts
   * @throws {StateUsageError} if a key is a prefix of another
   */
  update(entries: Iterable<Entry<Value>>): PersistentTrie<Value> {
    const sorted = sortEntries(entries)
    const update = { entries: sorted, same: this.#codec.same }
    const root = updateNode(this.#root, 0, update, 0, sorted.length)
    return root === this.#root ? this : new PersistentTrie(this.#codec, root)
  }

  /**
   * As {@link update}. Many entries are applied a range of keys at a time, and their nodes are
   * hashed along the way: ranges share few nodes, so hardly any is made or hashed twice.
   */
  *updatePaced(entries: readonly Entry<Value>[]): Paced<PersistentTrie<Value>> {
    if (entries.length <= RANGE) return this.update(entries)
    let trie: PersistentTrie<Value> = this
    for (const range of yield* rangesOf(entries)) {
      trie = trie.update(range)
      trie.rootHash()
      yield
    }
    return trie
  }

  /** 32 bytes: {@link EMPTY_ROOT} or a new array. */
  rootHash(): Uint8Array {
    if (this.#root === undefined) return EMPTY_ROOT
    refer(this.#root, 0, this.#codec)
    if (!this.#root.isInline) return this.#root.hashBytes()
    // A root has no parent to be inlined in, so it is hashed even if it is short.
    return this.#codec.keccak256(nodeBytes(this.#root, 0, this.#codec))
  }

  /**
   * RLP of the nodes from the root to the key, or as far as its path exists (EIP-1186). Nodes
   * shorter than 32 bytes are not listed: their parents contain them. Empty for the empty trie, as
   * in geth.
   */
  proof(key: string): Uint8Array[] {
    const proof: Uint8Array[] = []
    let node = this.#root
    let depth = 0
    while (node !== undefined) {
      refer(node, depth, this.#codec)
      if (node === this.#root || !node.isInline) {
        proof.push(nodeBytes(node, depth, this.#codec))
      }
      if (node instanceof Branch) {
        node = node.children[nibbleAt(key, depth)]
        depth += 1
      } else if (node instanceof Extension && startsWithPath(key, depth, node.path)) {
        depth += node.path.length
        node = node.child
      } else {
        break
      }
    }
    return proof
  }
}

/** Entries that are applied and hashed without a pause, in about 3 ms. */
const RANGE = 512

/** Entries that are sorted without a pause, in about 3 ms. */
const SORTED_AT_ONCE = 4096

/** The entries in ranges of keys, one after the other. Entries of one key keep their order. */
function* rangesOf<Value>(entries: readonly Entry<Value>[]): Paced<Entry<Value>[][]> {
  if (entries.length <= SORTED_AT_ONCE) {
    const sorted = sortEntries(entries)
    const count = Math.ceil(sorted.length / RANGE)
    return Array.from({ length: count }, (_, index) =>
      sorted.slice(index * RANGE, (index + 1) * RANGE),
    )
  }
  const buckets: Entry<Value>[][] = Array.from({ length: 1 << 12 }, () => [])
  for (const [index, entry] of entries.entries()) {
    const [key] = entry
    buckets[(key.charCodeAt(0) << 4) | (key.charCodeAt(1) >> 4)]?.push(entry)
    if (index % RANGE === 0) yield
  }
  const ranges: Entry<Value>[][] = []
  let range: Entry<Value>[] = []
  for (const bucket of buckets) {
    for (const entry of bucket) range.push(entry)
    if (range.length < RANGE) continue
    ranges.push(range)
    range = []
  }
  ranges.push(range)
  return ranges
}

/** Enough for all nodes but leaves with long values. */
const SIZE = 1024

/** The buffer of `keccak256`, or else one that hashes by it. */
export function hashBufferOf(keccak256: Keccak256): HashBuffer {
  if (keccak256.buffer !== undefined) return keccak256.buffer
  const input = new Uint8Array(SIZE)
  return {
    input,
    inputView: new DataView(input.buffer),
    hash(length) {
      const { buffer, byteOffset } = keccak256(input.subarray(0, length))
      return new DataView(buffer, byteOffset)
    },
  }
}
