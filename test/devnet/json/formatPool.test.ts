import { expect, test } from 'vitest'
import type { Chain } from '../../../devnet/chain/chain.ts'
import { bySender, listPool } from '../../../devnet/json/formatPool.ts'
import { stringifyJson } from '../../../devnet/primitives/json.ts'
import { runAtOnce } from '../../../devnet/primitives/paced.ts'
import type { ChainTransaction } from '../../../devnet/protocol/transaction.ts'

// The functions under test read no other fields.
const transaction = (sender: string, nonce: number) =>
  ({ sender, nonce: BigInt(nonce) }) as ChainTransaction

test('each transaction is a step, and is described when it is written', () => {
  const all = Array.from({ length: 1000 }, (_, index) => transaction(`0x${index % 3}`, index))
  let described = 0
  const work = bySender(
    all,
    (address) => address,
    ({ nonce }) => `${++described}:${nonce}`,
  )
  let steps = 0
  let step = work.next()
  for (; step.done !== true; step = work.next()) steps++
  expect(steps).toBe(1000)
  expect(described).toBe(0)
  const text = runAtOnce(stringifyJson(step.value)).join('')
  expect(described).toBe(1000)
  expect(JSON.parse(text)['0x2'][998]).toMatch(/:998$/)
})

test('an answer of many transactions is written in pieces', () => {
  const all = Array.from({ length: 10_000 }, (_, index) => transaction('0x1', index))
  const value = runAtOnce(
    bySender(
      all,
      (address) => address,
      () => ({ input: 'x'.repeat(100) }),
    ),
  )
  const work = stringifyJson(value)
  let steps = 0
  for (let step = work.next(); step.done !== true; step = work.next()) steps++
  expect(steps).toBeGreaterThan(10)
})

test('pre-confirmed and runnable ones are pending, the others queued', () => {
  const names = ['executed', 'runnable', 'gap']
  const chain = {
    unsealed: () => names.map((name) => transaction(name, 0)),
    pending: { executed: [{}] },
    mempool: { runnableCount: 1 },
  }
  // Nothing else of a chain is read.
  const { pending, queued } = listPool(chain as unknown as Chain)
  expect(pending.map(({ sender }) => sender)).toEqual(['executed', 'runnable'])
  expect(queued.map(({ sender }) => sender)).toEqual(['gap'])
})
