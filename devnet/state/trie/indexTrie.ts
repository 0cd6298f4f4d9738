import { RLP_STRING } from '../../primitives/rlp.ts'
import type { Keccak256 } from '../types.ts'
import { PersistentTrie } from './persistentTrie.ts'

/** A list as a trie with RLP-encoded indexes as keys, as for transactionsRoot and receiptsRoot. */
export class IndexTrie {
  readonly #trie: PersistentTrie<Uint8Array>

  private constructor(trie: PersistentTrie<Uint8Array>) {
    this.#trie = trie
  }

  static empty(keccak256: Keccak256): IndexTrie {
    return new IndexTrie(
      PersistentTrie.empty<Uint8Array>({
        keccak256,
        length: (value) => value.length,
        write(value, target, offset) {
          target.set(value, offset)
          return offset + value.length
        },
        same: (a, b) => a === b,
      }),
    )
  }

  /**
   * Returns the list with `values` set from index `fromIndex` on.
   *
   * @param values - encoded items, which must not change afterwards
   */
  append(values: readonly Uint8Array[], fromIndex: number): IndexTrie {
    return new IndexTrie(
      this.#trie.update(values.map((value, offset) => [indexKey(fromIndex + offset), value])),
    )
  }

  /** 32 bytes. */
  rootHash(): Uint8Array {
    return this.#trie.rootHash()
  }
}

/** The RLP of the index, as latin-1 text. */
function indexKey(index: number): string {
  let digits = ''
  for (let rest = index; rest > 0; rest >>>= 8) digits = String.fromCharCode(rest & 0xff) + digits
  const isOwnEncoding = index > 0 && index < RLP_STRING
  return isOwnEncoding ? digits : String.fromCharCode(RLP_STRING + digits.length) + digits
}
