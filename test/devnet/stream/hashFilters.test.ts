import { describe, expect, test } from 'vitest'
import type { History } from '../../../devnet/chain/history.ts'
import { fromHex, type Hex } from '../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import type { ChainTransaction } from '../../../devnet/protocol/transaction.ts'
import { BlockFilter, TransactionFilter } from '../../../devnet/stream/hashFilters.ts'

const MOST_TRANSACTION_HASHES = 50_000

const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

test('BlockFilter: the last 10,000 hashes', () => {
  // What the filter looks at.
  const block = (number: number) => ({ number, hash: hashOf(number) }) as SealedBlock
  const chain = {
    head: block(5),
    history: { oldest: 0, hashOf: (number: number) => fromHex(hashOf(number)) } as History,
  }
  const filter = new BlockFilter({ chain })
  chain.head = block(10_010)
  const hashes = filter.changes()
  expect([hashes.length, hashes[0], hashes.at(-1)]).toEqual([10_000, hashOf(11), hashOf(10_010)])
  expect(filter.changes()).toEqual([])
})

describe('TransactionFilter', () => {
  /** A mempool of which the filters hear what it accepts. */
  function createAdmitting() {
    const listeners = new Set<(transaction: ChainTransaction) => void>()
    return {
      listeners,
      events: {
        admitted: {
          add(listener: (transaction: ChainTransaction) => void) {
            listeners.add(listener)
            return () => listeners.delete(listener)
          },
        },
      },
      /** Accepts transactions with the hashes of these numbers. */
      admit(first: number, last: number) {
        for (let number = first; number <= last; number++) {
          // The filters look at nothing else.
          for (const listener of listeners) listener({ hash: hashOf(number) } as ChainTransaction)
        }
      },
    }
  }

  test('the newest hashes, however many came', () => {
    const { events, admit } = createAdmitting()
    const filter = new TransactionFilter(events)
    admit(1, 2 * MOST_TRANSACTION_HASHES - 1)
    expect(filter.changes().length).toBe(MOST_TRANSACTION_HASHES)
    admit(1, 5)
    const other = new TransactionFilter(events)
    admit(6, 7)
    expect(filter.changes()).toEqual([1, 2, 3, 4, 5, 6, 7].map(hashOf))
    expect(other.changes()).toEqual([6, 7].map(hashOf))
    admit(1, 5 * MOST_TRANSACTION_HASHES)
    const hashes = filter.changes()
    expect([hashes.length, hashes.at(-1)]).toEqual([
      MOST_TRANSACTION_HASHES,
      hashOf(5 * MOST_TRANSACTION_HASHES),
    ])
    expect(other.changes()).toEqual(hashes)
  })

  test('one listener for all filters, and none when the last has ended', () => {
    const { events, listeners, admit } = createAdmitting()
    const filters = [new TransactionFilter(events), new TransactionFilter(events)]
    expect(listeners.size).toBe(1)
    admit(1, 1)
    filters[0]?.end()
    expect(listeners.size).toBe(1)
    expect(filters[1]?.changes()).toEqual([hashOf(1)])
    filters[1]?.end()
    expect(listeners.size).toBe(0)
    const later = new TransactionFilter(events)
    admit(2, 2)
    expect(later.changes()).toEqual([hashOf(2)])
  })
})
