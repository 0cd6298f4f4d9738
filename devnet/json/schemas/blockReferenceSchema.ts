import type * as z from 'zod'
import type { BlockNumberReference, BlockReference } from '../../protocol/blockReference.ts'
import { hash32 } from './hexSchemas.ts'
import { shorten } from './issues.ts'
import { readQuantity } from './numberSchemas.ts'
import { type Context, fail, nested, reader, want } from './reader.ts'

const HASH_LENGTH = 66

// Frozen, because every request shares them.
const TAGS: ReadonlyMap<unknown, BlockNumberReference> = new Map(
  (['latest', 'pending', 'safe', 'finalized', 'earliest'] as const).map((tag) => [
    tag,
    Object.freeze({ tag }),
  ]),
)

/**
 * A block: a tag, a hexadecimal number of at most 64 bits, a hash, or an object
 * `{ blockNumber } | { blockHash, requireCanonical? }` (EIP-1898).
 */
export function blockReference(): z.ZodType<BlockReference> {
  return REFERENCE
}

/** A block by tag or hexadecimal number, for methods that take no hash. */
export function blockNumberReference(): z.ZodType<BlockNumberReference> {
  return NUMBER_REFERENCE
}

const REFERENCE = reader<BlockReference>((value, context) => {
  if (typeof value === 'object' && value !== null) return readObject(value, context)
  if (typeof value === 'string' && value.length === HASH_LENGTH) {
    return { hash: nested(hash32(), value, context), requireCanonical: false }
  }
  return readNumber(value, context)
})

const NUMBER_REFERENCE = reader<BlockNumberReference>(readNumber)

function readNumber(value: unknown, context: Context): BlockNumberReference {
  const tag = TAGS.get(value)
  if (tag !== undefined) return tag
  if (typeof value !== 'string') return fail(context, want('a block tag or number', value))
  if (/^[a-zA-Z]/.test(value)) {
    const tags = [...TAGS.keys()].join(', ')
    return fail(context, `unknown block tag "${shorten(value, 20)}", want one of ${tags}`)
  }
  return { number: readQuantity(value, context, 64) }
}

function readObject(value: object, context: Context): BlockReference {
  if (Array.isArray(value)) return fail(context, want('a block', value))
  // An object may hold anything under these names.
  const { blockNumber, blockHash, requireCanonical } = value as Record<string, unknown>
  const hasNumber = blockNumber !== undefined && blockNumber !== null
  const hasHash = blockHash !== undefined && blockHash !== null
  if (hasNumber && hasHash) {
    return fail(context, 'cannot specify both blockHash and blockNumber, choose one or the other')
  }
  if (hasNumber) return nested(NUMBER_REFERENCE, blockNumber, context, 'blockNumber')
  if (!hasHash) return fail(context, 'want blockNumber or blockHash')
  const hash = nested(hash32(), blockHash, context, 'blockHash')
  if (requireCanonical === undefined || requireCanonical === null) {
    return { hash, requireCanonical: false }
  }
  if (typeof requireCanonical !== 'boolean') {
    return fail(context, want('true or false', requireCanonical), ['requireCanonical'])
  }
  return { hash, requireCanonical }
}
