import { Referenced } from './trieReference.ts'

/**
 * A node of a trie (yellow paper, appendix D). Immutable but for its reference, which is filled in when first needed. It
 * hangs at one depth only: at another one its encoding would be another.
 */
export type Node<Value> = Leaf<Value> | Extension<Value> | Branch<Value>

/** 16 places, by nibble. */
export type Children<Value> = readonly (Node<Value> | undefined)[]

/**
 * The end of a key. It holds the whole key, shared with whoever else does, and not the rest of it: where that begins
 * follows from the depth at which the leaf hangs.
 */
export class Leaf<Value> extends Referenced {
  readonly key: string
  readonly value: Value

  constructor(key: string, value: Value) {
    super()
    this.key = key
    this.value = value
  }
}

/** A stretch that all keys below have in common. */
export class Extension<Value> extends Referenced {
  /** One character of code 0 to 15 for each nibble; never empty. */
  readonly path: string
  /** Never a leaf or another extension: their stretches would be one. */
  readonly child: Branch<Value>

  constructor(path: string, child: Branch<Value>) {
    super()
    this.path = path
    this.child = child
  }
}

/** A fork with at least two children. No value of its own: no key is the beginning of another. */
export class Branch<Value> extends Referenced {
  readonly children: Children<Value>

  constructor(children: Children<Value>) {
    super()
    this.children = children
  }
}

/** The nibble of `key` at `depth`, 0 to 15; NaN where the key is shorter. */
export function nibbleAt(key: string, depth: number): number {
  const byte = key.charCodeAt(depth >> 1)
  if (Number.isNaN(byte)) return byte
  return (depth & 1) === 0 ? byte >> 4 : byte & 15
}

/** Whether the nibbles of `key` from `depth` on begin with `path`. */
export function leadsAlong(key: string, depth: number, path: string): boolean {
  for (let index = 0; index < path.length; index++) {
    if (nibbleAt(key, depth + index) !== path.charCodeAt(index)) return false
  }
  return true
}
