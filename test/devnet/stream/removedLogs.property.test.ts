import { expect, test } from 'vitest'
import type { FormattedLog, FormattedReceipt } from '../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { hex } from '../rpc/methods/rpcChain.ts'
import { EMITTER, topicOf } from './emitterChain.ts'
import { createSubscribed } from './subscribedChain.ts'

const keyOf = ({ blockHash, transactionHash, logIndex }: FormattedLog) =>
  [blockHash, transactionHash, logIndex].join()

/** What a client knows that adds the logs it is sent, and takes out those that are removed. */
class KnownLogs {
  readonly #known = new Map<string, FormattedLog>()
  readonly taken: FormattedLog[] = []
  removed = 0

  take(logs: readonly FormattedLog[]): void {
    this.taken.push(...logs)
    for (const log of logs) {
      const key = keyOf(log)
      // Nothing comes twice, and nothing is removed that did not come.
      expect(this.#known.has(key)).toBe(log.removed)
      if (log.removed) {
        expect({ ...log, removed: false }).toEqual(this.#known.get(key))
        this.#known.delete(key)
        this.removed++
      } else this.#known.set(key, log)
    }
  }

  get logs(): FormattedLog[] {
    return [...this.#known.values()]
  }
}

test.each(seeds(30))(
  'who follows logs and removed logs knows those of the chain, seed %i',
  async (seed) => {
    const random = new Random(seed)
    // Under a low limit, not all that is unread is kept for the filter.
    const keepsAll = seed % 2 === 0
    const node = await createSubscribed(keepsAll ? {} : { maxLogs: 5 })
    const { call, chain, clocks, emit, tick, seal, changes, account, subscribe } = node
    const id = await call<Hex>('eth_newFilter', {})
    const read = new KnownLogs()
    const sent = new KnownLogs()
    const subscription = await subscribe('logs')
    const readFilter = async () => {
      const logs = await changes<FormattedLog>(id)
      read.take(logs)
      return logs.length
    }
    const depth = () => random.below(Math.min(5, chain.head.number + 1))
    const steps: (() => Promise<unknown>)[] = [
      () => emit(random.below(9), random.below(3)),
      () => emit(random.below(9), random.below(3)),
      tick,
      seal,
      seal,
      readFilter,
      () => clocks.reorg({ depth: depth(), requeues: true }),
      () => {
        const data = topicOf(random.below(9))
        const transaction = { from: account(random.below(3)).address, to: EMITTER, data }
        const most = depth()
        return call('anvil_reorg', most, most === 0 ? [] : [[transaction, random.below(most)]])
      },
    ]
    const readAll = async () => {
      while ((await readFilter()) > 0) {}
    }
    for (let count = 0; count < 80; count++) await random.pick(steps)()
    // At least once, something is removed that the filter has given.
    for (const step of [() => emit(1), tick, seal, readAll]) await step()
    await clocks.reorg({ depth: 1, requeues: random.once(2) })
    await seal()
    await readAll()
    sent.take(node.results<FormattedLog>(subscription))
    const all: FormattedLog[] = []
    for (let number = 1; number <= chain.head.number; number++) {
      const receipts = await call<FormattedReceipt[]>('eth_getBlockReceipts', hex(number))
      all.push(...receipts.flatMap(({ logs }) => logs))
    }
    expect(read.logs).toEqual(all)
    expect(sent.logs).toEqual(all)
    // As on geth, a filter gives what a subscription sends, in the same order.
    if (keepsAll) expect(read.taken).toEqual(sent.taken)
    expect(sent.removed).toBeGreaterThanOrEqual(read.removed)
    expect(read.removed).toBeGreaterThan(0)
  },
)
