import { pendingHeader } from '../../chain/building/pendingView.ts'
import { PENDING_HASH } from '../../json/blockRef.ts'
import { formatHeader } from '../../json/formatBlock.ts'
import { hash32 } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import type { Hex } from '../../primitives/hex.ts'
import { toHex } from '../../primitives/hex.ts'
import { choice, either, flag, integerWithin, orElse } from '../../primitives/reader.ts'
import { headerGasUsed } from '../../protocol/blockGas.ts'
import { ticksOf } from '../groups.ts'
import { notFound } from '../notFound.ts'
import { defineQuery, fields } from '../query.ts'
import { foreignBlock } from '../upstreamBlocks.ts'

/** Number of ticks that are listed. */
const MOST_TICKS = 1000

const WHAT = 'a number, a hash, latest or pending'

const ID = either<number | 'latest' | 'pending' | Hex>(
  WHAT,
  integerWithin(0),
  choice(['latest', 'pending'], WHAT),
  hash32(),
)

const PARAMS = fields({
  id: ID,
  /** Asks the upstream of a forked chain, for a number or a hash. */
  upstream: orElse(flag(), false),
})

/** A block with its ticks; its transactions are those of `transactions` at its positions. */
export default defineQuery(PARAMS, async (dashboard, { id, upstream }, { signal }) => {
  const { index, recorder, node } = dashboard
  const { seen } = recorder
  const { chain } = node.context
  await index.sync(signal)
  const { head, history, pending } = chain
  const newest = head.number + 1
  const wanted = id === 'latest' ? head.number : id === 'pending' ? newest : id
  const own =
    wanted === newest
      ? pending
      : typeof wanted === 'number'
        ? history.byNumber(wanted)
        : findByHash({ chain }, wanted)
  // Only the upstream knows what is in the fork block.
  const isOwn = own !== undefined && !('number' in own && own.number === chain.origin?.number)
  const block = upstream ? await foreignBlock(dashboard, wanted, signal) : isOwn ? own : undefined
  if (block === undefined) return notFound(dashboard, wanted)
  const isPending = 'environment' in block
  const header = isPending ? block.environment : block.header
  const number = Number(header.number)
  const hashes = 'hashes' in block ? block.hashes : undefined
  const first = 'hashes' in block ? 0 : index.firstOf(block)
  const fixed = {
    found: true,
    number,
    /** `null` while it is pending. */
    hash: isPending ? null : block.hash,
    parentHash: toHex(isPending ? block.environment.parent.hashBytes : block.header.parentHash),
    /** s since the epoch. */
    timestamp: Number(header.timestamp),
    gasUsed: Number(isPending ? headerGasUsed(block.gas) : block.header.gasUsed),
    gasLimit: Number(header.gasLimit),
    baseFeePerGas: String(header.baseFeePerGas ?? 0n),
    coinbase: toHex(header.coinbase),
    /** True if a command for many empty blocks reserved it: its hash is not that of its header. */
    isReserved: 'isReserved' in block && block.isReserved === true,
    /** Number of states that were changed by command between its transactions. */
    commands: block.steps.length,
    /** Its transactions are those from `first` to `end - 1` in `transactions`. */
    positions: { first, end: first + ('count' in block ? block.count : block.executed.length) },
    // Hashes of its first transactions, if it is a block of the upstream, which has no ticks.
    ...(hashes === undefined ? {} : { hashes }),
    /** Numbers of the blocks beside it; `null` if there is none. */
    previous: number > (hashes === undefined ? history.oldest : 0) ? number - 1 : null,
    next: isPending ? null : number + 1,
    // Not as a block, which would take the longer the more transactions there are.
    header: isPending
      ? formatHeader({ header: pendingHeader(block), hash: PENDING_HASH })
      : formatHeader(block),
  } as const
  const { scheduler, naming } = dashboard.work(signal)
  const { ticks, omitted, reverted } = await ticksOf(block, { seen, scheduler, most: MOST_TICKS })
  await naming.name(fixed.coinbase)
  return { ...fixed, ticks, omittedTicks: omitted, reverted, names: naming.names }
})
