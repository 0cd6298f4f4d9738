import { expect, test } from 'vitest'
import type { FormattedLog } from '../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { ExecutedTransaction } from '../../../devnet/protocol/receipt.ts'
import { Random } from '../../support/random.ts'
import { createEmitterChain } from './emitterChain.ts'

const STEPS = 120
const ENOUGH = '0x56bc75e2d63100000'

const key = ({ blockHash, transactionHash, logIndex }: FormattedLog) =>
  [blockHash, transactionHash, Number(logIndex)].join()

/**
 * Traffic, ticks, seals, snapshots, reverts and cheats in a random order, and two filters that are read now and then. A
 * filter of sealed logs gives, of the chain as it is, all logs once; one that goes to `pending` gives the logs of each
 * transaction once, and again only where a tick took it again.
 */
test.each([1005, 1017, 1025, 1064, 1141, 1149])('each log once, seed %i', async (seed) => {
  const random = new Random(seed)
  const { call, chain, emit, tick, seal, changes, account } = await createEmitterChain({
    maxLogs: 5,
  })
  const sealedFilter = await call<Hex>('eth_newFilter', {})
  const pendingFilter = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
  let given: FormattedLog[] = []
  let logCount = 0
  /** What is sealed or pre-confirmed, in its order. */
  const executed = () => {
    const found: ExecutedTransaction[] = []
    for (let number = 1; number <= chain.head.number; number++) {
      found.push(...(chain.history.byNumber(number)?.executed ?? []))
    }
    return [...found, ...chain.pending.executed]
  }
  let before = new Map<Hex, ExecutedTransaction>()
  const read = new WeakSet<ExecutedTransaction>()
  const snapshots: unknown[] = []

  const readSealed = async () => {
    for (;;) {
      const logs = await changes<FormattedLog>(sealedFilter)
      given.push(...logs)
      if (logs.length === 0) break
    }
    const all: string[] = []
    for (let number = 1; number <= chain.head.number; number++) {
      const { hash = '', executed = [] } = chain.history.byNumber(number) ?? {}
      for (const { transaction, firstLogIndex, logs } of executed) {
        for (const index of logs.keys()) {
          all.push([hash, transaction.hash, firstLogIndex + index].join())
        }
      }
    }
    expect(given.map(key)).toEqual(all)
  }

  const readPending = async () => {
    const logs: FormattedLog[] = []
    for (;;) {
      const more = await changes<FormattedLog>(pendingFilter)
      logs.push(...more)
      if (more.length === 0) break
    }
    const withTopic = logs.filter(({ topics }) => topics.length === 1)
    expect(withTopic.map(({ transactionHash }) => transactionHash)).toEqual(
      executed()
        .filter((one) => !read.has(one))
        .map(({ transaction }) => transaction.hash),
    )
    expect(logs.length).toBe(2 * withTopic.length)
    logCount += logs.length
    for (const one of executed()) read.add(one)
  }

  const steps: (() => Promise<unknown>)[] = [
    // Few topics and senders, so that the same transactions come again after a revert.
    () => emit(random.below(2), random.below(2)).catch(() => undefined),
    () => emit(random.below(2), random.below(2)).catch(() => undefined),
    tick,
    tick,
    seal,
    () => call('evm_mine'),
    () => call('evm_increaseTime', '0x5'),
    () => call('evm_mine', Number(chain.pending.environment.timestamp) + 7),
    () => call('hardhat_setBalance', account(random.below(2)).address, '0x0'),
    () => call('hardhat_setBalance', account(random.below(2)).address, ENOUGH),
    async () => snapshots.push(await call('evm_snapshot')),
    async () => {
      if (snapshots.length === 0 || !random.once(2)) return
      const [id] = snapshots.splice(random.below(snapshots.length))
      expect(await call('evm_revert', id)).toBe(true)
    },
    readSealed,
    readPending,
    // Not all, where there are more than maxLogs.
    async () => given.push(...(await changes<FormattedLog>(sealedFilter))),
  ]
  const take = async (step: () => Promise<unknown>) => {
    const { number } = chain.head
    await step()
    const after = new Map(executed().map((one) => [one.transaction.hash, one]))
    for (const [hash, one] of after) {
      // Executed anew by a cheat.
      const same = before.get(hash)
      if (same !== undefined && read.has(same) && chain.head.number >= number) read.add(one)
    }
    before = after
    // What a revert takes away may come again, the very same.
    given = given.filter(({ blockHash }) => chain.history.byHash(blockHash) !== undefined)
  }
  for (let count = 0; count < STEPS; count++) await take(random.pick(steps))
  for (let index = 0; index < 2; index++) {
    await take(() => call('hardhat_setBalance', account(index).address, ENOUGH))
  }
  await take(() => emit(2))
  for (const step of [tick, readPending, seal, readSealed]) await take(step)
  expect(logCount).toBeGreaterThan(0)
})
