import { hash32 } from '../json/params.ts'
import { RefusedError, reasonOf } from '../primitives/errors.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import { accepts } from '../primitives/reader.ts'
import type { Border } from '../rpc/border/border.ts'
import { readBlock } from '../upstream/upstreamBlock.ts'
import type { Dashboard } from './dashboard.ts'

/** Number of transactions of a block that are listed, and of blocks that are asked for at once. */
const MOST_HASHES = 100
const MOST_BLOCKS = 10

/** A block up to the fork block; what it holds is only known to the upstream. */
export type ForeignBlock = NonNullable<Awaited<ReturnType<typeof foreignBlock>>>

/**
 * Asks the upstream for a block: to be called only if a person opens it.
 *
 * @returns `undefined` if it is after the fork block, or nowhere
 * @throws {RefusedError} if the upstream answers what is no block, or another one
 * @throws {UpstreamError} if it does not answer
 */
export async function foreignBlock(dashboard: Dashboard, id: number | Hex, signal: AbortSignal) {
  const { last, upstream } = borderOf(dashboard)
  if (typeof id === 'number' && id > last) return undefined
  const json = await (id === last || id === upstream.hash
    ? upstream.forkBlock(signal)
    : typeof id === 'string'
      ? upstream.ask('eth_getBlockByHash', [id, false], signal)
      : upstream.ask('eth_getBlockByNumber', [quantity(id), false], signal))
  const block = asBlock(json)
  if (block === undefined || block.number > last) return undefined
  const { header, hash, json: fields } = block
  const number = Number(header.number)
  if (number !== id && hash !== id) throw new RefusedError('The upstream answered another block.')
  const list = Array.isArray(fields.transactions) ? fields.transactions : []
  const hashes = list.slice(0, MOST_HASHES).filter((one): one is Hex => accepts(hash32(), one))
  return { header, hash, number, executed: [], steps: [], hashes, count: list.length }
}

/** Blocks before one, oldest first, as parts of groups. */
export async function foreignBlocks(dashboard: Dashboard, before: number, signal: AbortSignal) {
  const first = Math.max(0, before - MOST_BLOCKS)
  const numbers = Array.from({ length: before - first }, (_, index) => first + index)
  const asked = await Promise.all(numbers.map((number) => foreignBlock(dashboard, number, signal)))
  const blocks = asked.filter((block) => block !== undefined)
  return { blocks, next: first > 0 && blocks.length === asked.length ? first : null }
}

/** @throws {RefusedError} if the chain is no fork */
export function borderOf({ node }: Dashboard): Border {
  const { border } = node.context.fork
  if (border === undefined) throw new RefusedError('This chain is not a fork.')
  return border
}

function asBlock(json: unknown) {
  try {
    return readBlock(json)
  } catch (error) {
    throw new RefusedError(`The upstream answered ${reasonOf(error)}.`, { cause: error })
  }
}
