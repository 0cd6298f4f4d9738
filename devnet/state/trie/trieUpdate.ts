import { StateUsageError } from '../../primitives/errors.ts'
import {
  Branch,
  type Children,
  Extension,
  Leaf,
  type Node,
  nibbleAt,
  startsWithPath,
} from './trieNodes.ts'

/** A key and its new value; `null` removes the key. */
export type Entry<Value> = readonly [key: string, value: Value | null]

/** One update of a trie. It applies all entries together, so that each node is made only once. */
export interface Update<Value> {
  /** Sorted by key, each key once. */
  readonly entries: readonly Entry<Value>[]
  /** True if both values have the same encoding; if so, the old node is kept. */
  readonly same: (a: Value, b: Value) => boolean
}

/** Sorts the entries by key; if a key occurs more than once, keeps the last entry. */
export function sortEntries<Value>(entries: Iterable<Entry<Value>>): Entry<Value>[] {
  const sorted = [...entries]
  if (isSorted(sorted)) return sorted
  sorted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted.filter(([key], index) => sorted[index + 1]?.[0] !== key)
}

/** True if each key is higher than the one before it. */
function isSorted(entries: readonly Entry<unknown>[]): boolean {
  let last = ''
  return entries.every(([key], index) => {
    const isNext = index === 0 || last < key
    last = key
    return isNext
  })
}

/**
 * Applies the entries at the indexes `from` (inclusive) to `to` (exclusive) to `node`, to which
 * all their keys lead. `depth` is its distance from the root in nibbles.
 *
 * @returns `node` itself if nothing changes
 */
export function updateNode<Value>(
  node: Node<Value> | undefined,
  depth: number,
  update: Update<Value>,
  from: number,
  to: number,
): Node<Value> | undefined {
  const first = update.entries[from]
  const last = update.entries[to - 1]
  if (first === undefined || last === undefined) return node
  if (first === last && node === undefined) return newLeaf(first)
  if (first === last && node instanceof Leaf && node.key === first[0]) {
    const value = first[1]
    return value !== null && update.same(node.value, value) ? node : newLeaf(first)
  }
  if (node instanceof Extension) {
    // Entries are sorted: if the first and the last follow the path, so do all between them.
    if (startsWithPath(first[0], depth, node.path) && startsWithPath(last[0], depth, node.path)) {
      const child = updateNode<Value>(node.child, depth + node.path.length, update, from, to)
      return child === node.child ? node : moveUp(node.path, child)
    }
  }
  return updateChildren(node, depth, update, from, to)
}

function updateChildren<Value>(
  node: Node<Value> | undefined,
  depth: number,
  update: Update<Value>,
  from: number,
  to: number,
): Node<Value> | undefined {
  const before = asChildren(node, depth)
  let after: (Node<Value> | undefined)[] | undefined
  for (let start = from; start < to; ) {
    const nibble = entryNibble(update.entries[start], depth)
    let end = start + 1
    while (end < to && entryNibble(update.entries[end], depth) === nibble) end++
    const child = updateNode(before[nibble], depth + 1, update, start, end)
    if (child !== before[nibble]) {
      after ??= before.slice()
      after[nibble] = child
    }
    start = end
  }
  return after === undefined ? node : join(after)
}

/** The children of the branch that would replace `node`. */
function asChildren<Value>(node: Node<Value> | undefined, depth: number): Children<Value> {
  if (node instanceof Branch) return node.children
  const children: (Node<Value> | undefined)[] = new Array(16).fill(undefined)
  if (node instanceof Leaf) {
    // A new node, because its depth and thus its encoding change.
    children[keyNibble(node.key, depth)] = new Leaf(node.key, node.value)
  } else if (node !== undefined) {
    children[node.path.charCodeAt(0)] = moveUp(node.path.slice(1), node.child)
  }
  return children
}

/** Makes a node of these children: a branch only if there are at least two. */
function join<Value>(children: Children<Value>): Node<Value> | undefined {
  let only = -1
  for (let nibble = 0; nibble < 16; nibble++) {
    if (children[nibble] === undefined) continue
    if (only >= 0) return new Branch(children)
    only = nibble
  }
  return only < 0 ? undefined : moveUp(String.fromCharCode(only), children[only])
}

/** Moves `node` up in the trie; `path`, the nibbles it passes, becomes part of it. */
function moveUp<Value>(path: string, node: Node<Value> | undefined): Node<Value> | undefined {
  if (node === undefined || path.length === 0) return node
  if (node instanceof Leaf) return new Leaf(node.key, node.value)
  if (node instanceof Extension) return new Extension(path + node.path, node.child)
  return new Extension(path, node)
}

function newLeaf<Value>([key, value]: Entry<Value>): Leaf<Value> | undefined {
  return value === null ? undefined : new Leaf(key, value)
}

function entryNibble<Value>(entry: Entry<Value> | undefined, depth: number): number {
  return entry === undefined ? -1 : keyNibble(entry[0], depth)
}

function keyNibble(key: string, depth: number): number {
  const nibble = nibbleAt(key, depth)
  if (Number.isNaN(nibble)) {
    throw new StateUsageError('a key of a trie must not be a prefix of another')
  }
  return nibble
}
