import { pendingHeader } from '../../chain/building/pendingView.ts'
import { PENDING_HASH } from '../../json/blockRef.ts'
import { formatHeader } from '../../json/formatBlock.ts'
import { hash32 } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import type { Hex } from '../../primitives/hex.ts'
import { toHex } from '../../primitives/hex.ts'
import { choice, either, integerWithin } from '../../primitives/reader.ts'
import { headerGasUsed } from '../../protocol/blockGas.ts'
import { ticksOf } from '../groups.ts'
import { notFound } from '../notFound.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of ticks that are listed. */
const MOST_TICKS = 1000

const WHAT = 'a number, a hash, latest or pending'

const ID = either<number | 'latest' | 'pending' | Hex>(
  WHAT,
  integerWithin(0),
  choice(['latest', 'pending'], WHAT),
  hash32(),
)

/** A block with its ticks; its transactions are those of `transactions` at its positions. */
export default defineQuery('block', fields({ id: ID }), async (dashboard, { id }, { signal }) => {
  const { index, seen, node } = dashboard
  const { chain } = node.context
  await index.sync(signal)
  const { head, history, pending } = chain
  const isPendingId = id === 'pending' || id === head.number + 1
  const block = isPendingId
    ? pending
    : id === 'latest'
      ? head
      : typeof id === 'number'
        ? history.byNumber(id)
        : findByHash({ chain }, id)
  if (block === undefined) return notFound(dashboard)
  const isPending = 'environment' in block
  const header = isPending ? block.environment : block.header
  const number = Number(header.number)
  const first = index.firstOf(block)
  const fixed = {
    found: true,
    number,
    hash: isPending ? null : block.hash,
    parentHash: toHex(isPending ? block.environment.parent.hashBytes : block.header.parentHash),
    timestamp: Number(header.timestamp),
    gasUsed: Number(isPending ? headerGasUsed(block.gas) : block.header.gasUsed),
    gasLimit: Number(header.gasLimit),
    baseFeePerGas: String(header.baseFeePerGas ?? 0n),
    coinbase: toHex(header.coinbase),
    isReserved: !isPending && block.isReserved === true,
    commands: block.steps.length,
    positions: { first, end: first + block.executed.length },
    previous: number > history.oldest ? number - 1 : null,
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
