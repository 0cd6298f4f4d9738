/**
 * The end of a key. It holds the whole key, shared with whoever else does, and not the rest of it: that depends on the
 * depth at which the leaf hangs, which its parents know.
 */
export class Leaf<Value> {
  readonly key: string
  readonly value: Value
  /** See {@link Node}. */
  reference: string | undefined = undefined

  constructor(key: string, value: Value) {
    this.key = key
    this.value = value
  }
}

/** A stretch that all keys below have in common. */
export class Extension<Value> {
  /** One character of code 0 to 15 for each nibble; never empty. */
  readonly path: string
  /** Never a leaf or another extension: their stretches would be one. */
  readonly child: Branch<Value>
  /** See {@link Node}. */
  reference: string | undefined = undefined

  constructor(path: string, child: Branch<Value>) {
    this.path = path
    this.child = child
  }
}

/** A fork with at least two children. No value of its own: no key is the beginning of another. */
export class Branch<Value> {
  /** 16 places, by nibble. */
  readonly children: Children<Value>
  /** See {@link Node}. */
  reference: string | undefined = undefined

  constructor(children: Children<Value>) {
    this.children = children
  }
}

/**
 * A node of a trie (yellow paper, appendix D). Immutable but for `reference`, which is filled in when first needed: the
 * text of what its parent holds of it, the hash or, below 32 bytes, the whole encoding. A node hangs at one depth only.
 */
export type Node<Value> = Leaf<Value> | Extension<Value> | Branch<Value>

export type Children<Value> = readonly (Node<Value> | undefined)[]

/** The nibble of `key` at `depth`, 0 to 15; NaN where the key is shorter. */
export function nibbleAt(key: string, depth: number): number {
  const byte = key.charCodeAt(depth >> 1)
  return byte >= 0 ? ((depth & 1) === 0 ? byte >> 4 : byte & 15) : Number.NaN
}

/** Whether the nibbles of `key` from `depth` on begin with `path`. */
export function leadsAlong(key: string, depth: number, path: string): boolean {
  for (let index = 0; index < path.length; index++) {
    if (nibbleAt(key, depth + index) !== path.charCodeAt(index)) return false
  }
  return true
}
