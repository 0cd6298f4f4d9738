import type { Hex } from '../../devnet/types.ts'
import { isObject } from '../node-answers.ts'
import { printable } from '../output/escape.ts'
import type { Ask } from './node.ts'
import type { PoolTransaction, Sighting } from './sighting.ts'
import { frozenTicks } from './status.ts'

/** What was seen of a transaction, in a few words, as the actual value of an assertion. */
export function place(seen: Sighting): string {
  switch (seen.at) {
    case 'pre-confirmed':
    case 'sealed':
      return `${seen.at} in block ${seen.block}`
    case 'gap':
      return 'queued behind a nonce gap'
    case 'mempool':
      return 'waiting in the mempool'
    default:
      return seen.at
  }
}

/** What was seen of a transaction, and why it is not pre-confirmed, as the end of a sentence. */
export async function describe(ask: Ask, seen: Sighting): Promise<string> {
  switch (seen.at) {
    case 'pre-confirmed':
      return `it is pre-confirmed in block ${seen.block}, which is not sealed`
    case 'sealed':
      return `it is sealed in block ${seen.block}`
    case 'gap':
      return `it is queued behind a nonce gap: the node expects nonce ${seen.expected} of ${seen.from}, it has ${seen.nonce}`
    case 'dropped':
      return `it was dropped: ${printable(seen.reason)}`
    case 'unknown':
      return 'the node does not know it'
    case 'mempool': {
      const why = frozenTicks(seen.status) ?? (await whyLeft(ask, seen.transaction))
      return why === undefined
        ? 'it waits in the mempool, and no tick has taken it yet'
        : `it waits in the mempool, and ${why}`
    }
  }
}

/** Why ticks leave a transaction that they could run. */
async function whyLeft(
  ask: Ask,
  transaction: PoolTransaction | undefined,
): Promise<string | undefined> {
  if (transaction === undefined) return undefined
  // `pending` is always there, and has these fields.
  const block = (await ask('eth_getBlockByNumber', 'pending', false)) as Record<
    'gasLimit' | 'gasUsed' | 'baseFeePerGas',
    Hex
  >
  if (!isObject(block)) return undefined
  const { gas, gasPrice } = transaction
  const free = BigInt(block.gasLimit) - BigInt(block.gasUsed)
  if (BigInt(gas) > free) {
    return `its gas limit of ${Number(gas)} is more than the ${free} left in the pending block: seal() first`
  }
  if (BigInt(gasPrice) < BigInt(block.baseFeePerGas ?? '0x0')) {
    return `it pays at most ${BigInt(gasPrice)} wei per gas, less than the base fee of ${BigInt(block.baseFeePerGas)}`
  }
  return undefined
}
