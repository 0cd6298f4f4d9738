import { bytesToText, writeText } from './latin1.ts'
import { Branch, type Children, Extension, type Leaf, type Node, nibbleAt } from './trieNodes.ts'
import type { Keccak256 } from './types.ts'

/** What a trie needs to know of its values. */
export interface TrieValues<Value> {
  readonly keccak256: Keccak256
  /** The bytes that stand in the leaf. */
  encode(value: Value): Uint8Array
  /** Whether both have the same encoding; a false `false` costs time only. */
  same(a: Value, b: Value): boolean
}

const HASH_LENGTH = 32

/** Longest encoding but for leaves with long values: a branch of 16 hashes, with its head and empty value. */
const LONGEST_BRANCH = 16 * (HASH_LENGTH + 1) + 4

/** Where nodes are written before they are hashed; nothing in here outlives a call. */
let scratch = new Uint8Array(1024)

/**
 * What the parent of `node` holds of it: text of its hash, or of the whole encoding where that is shorter than 32 bytes.
 *
 * @param depth - nibbles that lead to it
 */
export function referenceTo<Value>(
  node: Node<Value>,
  depth: number,
  values: TrieValues<Value>,
): string {
  if (node.reference !== undefined) return node.reference
  const encoding = encode(node, depth, values)
  const reference = bytesToText(
    encoding.length < HASH_LENGTH ? encoding : values.keccak256(encoding),
  )
  node.reference = reference
  return reference
}

/** The RLP of the node, a new array each time. */
export function encodeNode<Value>(
  node: Node<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  return encode(node, depth, values).slice()
}

/** A piece of the scratch array, good until the next call. */
function encode<Value>(node: Node<Value>, depth: number, values: TrieValues<Value>): Uint8Array {
  if (node instanceof Branch) return encodeBranch(node.children, depth + 1, values)
  if (node instanceof Extension) return encodeExtension(node, depth, values)
  return encodeLeaf(node, depth, values)
}

function encodeBranch<Value>(
  children: Children<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  // First all hashes below, as they use the scratch array too; one byte for the branch's own value, which is empty.
  let length = 1
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = children[nibble]
    length += child === undefined ? 1 : referenceLength(referenceTo(child, depth, values))
  }
  let end = writeHead(scratch, 0, LIST, length)
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = children[nibble]
    if (child === undefined) scratch[end++] = STRING
    else end = writeReference(scratch, end, referenceTo(child, depth, values))
  }
  scratch[end++] = STRING
  return scratch.subarray(0, end)
}

function encodeExtension<Value>(
  { path, child }: Extension<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  const reference = referenceTo<Value>(child, depth + path.length, values)
  const pathBytes = (path.length >> 1) + 1
  const length = (pathBytes === 1 ? 1 : 1 + pathBytes) + referenceLength(reference)
  let end = writeHead(scratch, 0, LIST, length)
  end = writePath(scratch, end, 0, path.length, (index) => path.charCodeAt(index))
  end = writeReference(scratch, end, reference)
  return scratch.subarray(0, end)
}

function encodeLeaf<Value>(
  { key, value }: Leaf<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  const bytes = values.encode(value)
  const nibbles = key.length * 2 - depth
  const pathBytes = (nibbles >> 1) + 1
  const length = (pathBytes === 1 ? 1 : 1 + pathBytes) + stringLength(bytes)
  if (scratch.length < length + 9) scratch = new Uint8Array(length * 2)
  let end = writeHead(scratch, 0, LIST, length)
  end = writePath(scratch, end, LEAF_FLAG, nibbles, (index) => nibbleAt(key, depth + index))
  end = writeString(scratch, end, bytes)
  const encoding = scratch.subarray(0, end)
  // A value of megabytes must not stay reserved.
  if (scratch.length > MAX_SCRATCH) scratch = new Uint8Array(1024)
  return encoding
}

const MAX_SCRATCH = 1 << 20
