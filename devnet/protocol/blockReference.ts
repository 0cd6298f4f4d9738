import type { Hex } from '../primitives/hex.ts'

/** Names of blocks; `pending` is the pre-confirmed block after the newest sealed one. */
type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

export function isPendingTag(reference: BlockReference | undefined): boolean {
  return reference !== undefined && 'tag' in reference && reference.tag === 'pending'
}

export type BlockNumberReference = { readonly tag: BlockTag } | { readonly number: bigint }

/**
 * A block as a request names it (EIP-1898). With `requireCanonical`, a known block that a revert
 * has removed from the chain is refused instead of read.
 */
export type BlockReference =
  | BlockNumberReference
  | { readonly hash: Hex; readonly requireCanonical: boolean }
