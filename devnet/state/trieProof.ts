import { encodeNode, refer, type TrieValues } from './trieEncoding.ts'
import { Branch, Extension, leadsAlong, type Node, nibbleAt } from './trieNodes.ts'

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
