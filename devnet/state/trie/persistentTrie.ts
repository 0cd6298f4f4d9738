import { encodeNode, refer, type TrieValues } from './trieEncoding.ts'
import { Branch, Extension, Leaf, leadsAlong, type Node, nibbleAt } from './trieNodes.ts'
import { type Entry, sortEntries, updateNode } from './trieUpdate.ts'

export type { TrieValues } from './trieEncoding.ts'

/** Root of the trie without entries: keccak-256 of the RLP of an empty string. */
export const EMPTY_ROOT: Uint8Array = new Uint8Array(
  Buffer.from('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421', 'hex'),
)

/**
 * A Merkle Patricia trie that never changes: an update makes another one that shares all nodes off the ways of the
 * changed keys. Hashing waits until a root is asked for, and each node is hashed once. Keys are bytes as latin-1 text,
 * and none is the beginning of another.
 */
export class PersistentTrie<Value> {
  readonly #values: TrieValues<Value>
  readonly #root: Node<Value> | undefined

  private constructor(values: TrieValues<Value>, root: Node<Value> | undefined) {
    this.#values = values
    this.#root = root
  }

  static empty<Value>(values: TrieValues<Value>): PersistentTrie<Value> {
    return new PersistentTrie(values, undefined)
  }

  /** Whether there are no entries. */
  get isEmpty(): boolean {
    return this.#root === undefined
  }

  get(key: string): Value | undefined {
    let node = this.#root
    for (let depth = 0; node !== undefined && !(node instanceof Leaf); ) {
      if (node instanceof Branch) {
        node = node.children[nibbleAt(key, depth)]
        depth += 1
      } else {
        const { path, child }: Extension<Value> = node
        node = leadsAlong(key, depth, path) ? child : undefined
        depth += path.length
      }
    }
    return node?.key === key ? node.value : undefined
  }

  /**
   * The trie with these entries set, or removed where the value is `null`; the same object where nothing changes.
   *
   * @param entries - in any order; of several with one key the last counts
   * @throws {StateUsageError} where a key is the beginning of another
   */
  update(entries: Iterable<Entry<Value>>): PersistentTrie<Value> {
    const sorted = sortEntries(entries)
    const update = { entries: sorted, same: this.#values.same }
    const root = updateNode(this.#root, 0, update, 0, sorted.length)
    return root === this.#root ? this : new PersistentTrie(this.#values, root)
  }

  /** 32 bytes, a new array each time but for {@link EMPTY_ROOT}. */
  rootHash(): Uint8Array {
    if (this.#root === undefined) return EMPTY_ROOT
    refer(this.#root, 0, this.#values)
    if (!this.#root.isInline) return this.#root.hashBytes()
    // Nothing holds a root: it is hashed, however short.
    return this.#values.keccak256(encodeNode(this.#root, 0, this.#values))
  }

  /** The encoded nodes on the way of `key`, from the root (EIP-1186); shows its absence where it is not there. */
  proof(key: string): Uint8Array[] {
    return proofOf(this.#root, key, this.#values)
  }
}

/**
 * The nodes on the way of `key`, from the root to where it ends (EIP-1186). Those shorter than 32 bytes are part of the
 * one before and not listed; without a root there is none, as in geth.
 */
export function proofOf<Value>(
  root: Node<Value> | undefined,
  key: string,
  values: TrieValues<Value>,
): Uint8Array[] {
  const proof: Uint8Array[] = []
  let node = root
  let depth = 0
  while (node !== undefined) {
    refer(node, depth, values)
    if (node === root || !node.isInline) {
      proof.push(encodeNode(node, depth, values).slice())
    }
    if (node instanceof Branch) {
      node = node.children[nibbleAt(key, depth)]
      depth += 1
    } else if (node instanceof Extension && leadsAlong(key, depth, node.path)) {
      depth += node.path.length
      node = node.child
    } else {
      break
    }
  }
  return proof
}
