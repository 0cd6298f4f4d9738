import type { Chain } from '../chain/chain.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'

/** ms between blocks of Base since Denim, so that a second has at most five. */
const STEP = 200
const MOST_IN_SECOND = 1000 / STEP

/**
 * Time of a sealed block in ms since the epoch; `undefined` if this node does not have the block.
 * Headers hold seconds, so the first block of a second has its beginning, and each further one is
 * 200 ms later. The fifth and all behind it, if commands seal so many, have the same time.
 */
function timestampMs({ history }: Pick<Chain, 'history'>, number: number): Hex | undefined {
  const block = history.byNumber(number)
  if (block === undefined) return undefined
  const { timestamp } = block.header
  let before = 0
  while (before < MOST_IN_SECOND - 1) {
    if (history.byNumber(number - before - 1)?.header.timestamp !== timestamp) break
    before++
  }
  return quantity(timestamp * 1000n + BigInt(before * STEP))
}

/**
 * Adds the fields of Denim to blocks, headers, transactions, receipts and logs, and to lists of
 * them, as JSON values: `timestampMs` beside a block's `timestamp`, `blockTimestampMs` in the rest.
 */
export function withMilliseconds(chain: Pick<Chain, 'history'>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withMilliseconds(chain, entry))
  if (!isObject(value)) return value
  const { blockNumber, logs, number, transactions } = value
  const place = blockNumber ?? number
  const time = typeof place === 'string' ? timestampMs(chain, Number(place)) : undefined
  return {
    ...value,
    ...(Array.isArray(transactions)
      ? { transactions: withMilliseconds(chain, transactions) }
      : undefined),
    ...(Array.isArray(logs) ? { logs: withMilliseconds(chain, logs) } : undefined),
    ...(time === undefined
      ? undefined
      : { [place === blockNumber ? 'blockTimestampMs' : 'timestampMs']: time }),
  }
}
