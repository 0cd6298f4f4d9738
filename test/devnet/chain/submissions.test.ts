import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Submissions } from '../../../devnet/chain/submissions.ts'
import { Recovery } from '../../../devnet/engine/workers/recovery.ts'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import { type ChainTransaction, toChainTransaction } from '../../../devnet/protocol/transaction.ts'
import { createTestChain, type TestChain } from '../../support/chain.ts'
import { Random } from '../../support/random.ts'
import { RecoveryWorkers } from '../../support/recoveryWorkers.ts'

const COUNT = 200

let node: TestChain
let valid: Hex[]
let invalid: Hex[]

beforeAll(async () => {
  node = await createTestChain()
  await node.engine.executor()
  const sign = (nonce: number) =>
    privateKeyToAccount(node.accounts[nonce % 5]?.privateKey ?? '0x').signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce: Math.floor(nonce / 5),
      to: `0x${'dd'.repeat(20)}`,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
  valid = await Promise.all(Array.from({ length: COUNT }, (_, nonce) => sign(nonce)))
  invalid = valid.map((raw) => withSignature(raw))
})

/** The same fields with r of 32 bytes that are too large for the curve. */
function withSignature(raw: Hex): Hex {
  const bytes = fromHex(raw).slice()
  bytes.fill(0xff, bytes.length - 65, bytes.length - 33)
  return toHex(bytes)
}

let workers: RecoveryWorkers
let defects: unknown[]
let admitted: string[]
let submissions: Submissions

beforeEach(() => {
  workers = new RecoveryWorkers()
  defects = []
  admitted = []
  const onInternalError = (error: unknown) => defects.push(error)
  submissions = new Submissions({
    engine: node.engine,
    rules: () => node.engine.schedule.newest,
    onInternalError,
    admit(decoded) {
      const transaction = toChainTransaction(decoded)
      admitted.push(`${transaction.sender} ${transaction.nonce}`)
      return transaction
    },
    recovery: new Recovery(onInternalError, workers.start),
  })
})

const nameOf = (index: number) => `${node.accounts[index % 5]?.address} ${Math.floor(index / 5)}`

/** How a submission ended: its place in the chain's order, or the class of its error. */
async function outcome(submit: () => ChainTransaction | Promise<ChainTransaction>) {
  try {
    const { sender, nonce } = await submit()
    return `${sender} ${nonce}`
  } catch (error) {
    return error instanceof Error ? error.name : String(error)
  }
}

const submit = (raw: Hex) => outcome(() => submissions.submit(fromHex(raw)))

/** Submits until the worker is there. */
async function underLoad(): Promise<void> {
  for (;;) {
    const first = submissions.submit(fromHex(valid[0] ?? '0x'))
    const others = Array.from({ length: 20 }, () => submissions.submit(fromHex(valid[0] ?? '0x')))
    await Promise.all([first, ...others])
    if (others.some((each) => each instanceof Promise)) break
    await new Promise((resolve) => setImmediate(resolve))
  }
  admitted.length = 0
}

describe('submissions', () => {
  test('alone, accepted at once and without a worker', async () => {
    for (const [index, raw] of valid.slice(0, 30).entries()) {
      expect(submissions.submit(fromHex(raw))).not.toBeInstanceOf(Promise)
      expect(admitted.length).toBe(index + 1)
      // Load would last for some ms after a turn with several.
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(workers.count).toBe(0)
  })

  test('a few at a time, as from some clients, accepted at once and without a worker', async () => {
    for (let first = 0; first < valid.length; first += 3) {
      for (const [index, raw] of valid.slice(first, first + 3).entries()) {
        expect(submissions.submit(fromHex(raw))).not.toBeInstanceOf(Promise)
        expect(admitted.length).toBe(first + index + 1)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(workers.count).toBe(0)
  })

  test('nobody recovers the sender of what this process made', async () => {
    const sender = fromHex(`0x${'ab'.repeat(20)}`)
    const raw = fromHex(invalid[0] ?? '0x')
    expect(await outcome(() => submissions.submit(raw))).toBe('InvalidSenderError')
    expect(await outcome(() => submissions.submit(() => ({ raw, sender })))).toBe(
      `0x${'ab'.repeat(20)} 0`,
    )
  })

  test.each([1, 2, 3])('a random mix under load keeps its order (seed %i)', async (seed) => {
    await underLoad()
    const random = new Random(seed)
    const outcomes: Promise<string>[] = []
    const expected: string[] = []
    const order: string[] = []
    for (let index = 0; index < COUNT; index++) {
      const name = nameOf(index)
      const kind = random.below(6)
      if (kind === 0) {
        outcomes.push(submit(invalid[index] ?? '0x'))
        expected.push('InvalidSenderError')
      } else if (kind === 1) {
        outcomes.push(submit(`0x02${'ff'.repeat(random.below(9))}`))
        expected.push('InvalidParamsError')
      } else if (kind === 2) {
        const raw = fromHex(valid[index] ?? '0x')
        let before: number | undefined
        outcomes.push(
          outcome(() =>
            submissions.submit(() => {
              before = admitted.length
              return { raw, sender: fromHex(node.accounts[index % 5]?.address ?? '0x') }
            }),
          ).then((name) => `${name} after ${before}`),
        )
        expected.push(`${name} after ${order.length}`)
        order.push(name)
      } else {
        outcomes.push(submit(valid[index] ?? '0x'))
        expected.push(name)
        order.push(name)
      }
      if (random.once(15)) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await Promise.all(outcomes)).toEqual(expected)
    expect(admitted).toEqual(order)
    await submissions.close()
    expect(defects).toEqual([])
  })

  test('one that comes alone does not overtake what waits', async () => {
    await underLoad()
    const waiting = valid.slice(0, 50).map(submit)
    const settled = submissions.settled()
    const last = submit(valid[50] ?? '0x')
    await settled
    expect(admitted.slice(0, 50)).toEqual(waiting.map((_, index) => nameOf(index)))
    expect(await last).toBe(nameOf(50))
    expect(submissions.settled()).toBe(undefined)
    await submissions.close()
  })

  test('the worker ends under load, nothing is lost', async () => {
    await underLoad()
    const outcomes = valid.map((raw, index) =>
      submit(index % 10 === 3 ? (invalid[index] ?? '0x') : raw),
    )
    await workers.endFirst()
    const later = submit(valid[0] ?? '0x')
    const expected = valid.map((_, index) =>
      index % 10 === 3 ? 'InvalidSenderError' : nameOf(index),
    )
    expect(await Promise.all(outcomes)).toEqual(expected)
    expect(await later).toBe(nameOf(0))
    expect(admitted).toEqual([...expected.filter((name) => name.startsWith('0x')), nameOf(0)])
    expect(defects.length).toBe(1)
    expect(workers.count).toBe(1)
  })

  test('closed under load, everything is accepted before close returns', async () => {
    await underLoad()
    const outcomes = valid.map(submit)
    const closed = submissions.close()
    expect(admitted).toEqual(valid.map((_, index) => nameOf(index)))
    await closed
    expect(await Promise.all(outcomes)).toEqual(admitted)
    expect(submissions.submit(fromHex(valid[0] ?? '0x'))).not.toBeInstanceOf(Promise)
    expect(defects).toEqual([])
  })

  test('asked before the executor is loaded, in order', async () => {
    const fresh = await createTestChain()
    const order: string[] = []
    fresh.chain.events.admitted.add(({ sender, nonce }) => order.push(`${sender} ${nonce}`))
    const all = valid.slice(0, 40).map((raw) => fresh.chain.submit(fromHex(raw)))
    // A command sees all that was submitted before it.
    const seen = await fresh.chain.write(() => fresh.chain.mempool.size)
    await Promise.all(all)
    expect({ seen, order }).toEqual({
      seen: 40,
      order: valid.slice(0, 40).map((_, i) => nameOf(i)),
    })
    await fresh.chain.close()
  })
})

test('submissions that wait for executors of different rules stay in order', async () => {
  const { engine } = await createTestChain({ hardfork: 'prague' })
  const [older, newer] = [engine.schedule.newest, node.engine.schedule.newest]
  const gate = Promise.withResolvers<void>()
  const load = engine.executor.bind(engine)
  // The older one loads late, the newer one is there.
  vi.spyOn(engine, 'executor').mockImplementation(async (rules) => {
    if (rules === older) await gate.promise
    return await load(rules)
  })
  let rules = older
  const waiting = new Submissions({
    engine,
    rules: () => rules,
    onInternalError: () => undefined,
    admit(decoded) {
      const transaction = toChainTransaction(decoded)
      admitted.push(`${transaction.sender} ${transaction.nonce}`)
      return transaction
    },
  })
  const sent = [waiting.submit(fromHex(valid[0] ?? '0x'))]
  rules = newer
  sent.push(waiting.submit(fromHex(valid[1] ?? '0x')))
  const settled = waiting.settled()
  await new Promise((resolve) => setImmediate(resolve))
  expect(admitted).toEqual([])
  gate.resolve()
  await settled
  expect(admitted).toEqual([nameOf(0), nameOf(1)])
  await Promise.all(sent)
  expect(waiting.settled()).toBeUndefined()
  await waiting.close()
})
