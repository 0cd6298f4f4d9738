import { expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { createTestChain, type TestChain } from '../../support/chain.ts'

const ACCOUNTS = 50_000

/** A chain whose state has so many accounts. */
async function createCrowded(count: number): Promise<TestChain> {
  const node = await createTestChain()
  onTestFinished(() => node.clocks.stop())
  for (let from = 0; from < count; from += 1000) {
    await node.chain.write((writer) => {
      for (let index = from; index < Math.min(count, from + 1000); index++) {
        const address: Hex = `0x${(index + 2 ** 24).toString(16).padStart(40, '0')}`
        writer.cheat({ kind: 'setBalance', address, balance: 1n })
      }
    })
    await node.clocks.seal()
  }
  return node
}

/** ms of a snapshot, one changed account, and the way back: the fastest of many, as others work on this machine too. */
async function roundTrip({ chain, clocks }: TestChain): Promise<number> {
  const address = '0x00000000000000000000000000000000000000aa'
  const times: number[] = []
  for (let round = 0; round < 50; round++) {
    const start = performance.now()
    const id = await chain.write((writer) => writer.snapshot(clocks.snapshot()))
    await chain.write((writer) => writer.cheat({ kind: 'setBalance', address, balance: 5n }))
    await chain.write((writer) => writer.revert(id))
    times.push(performance.now() - start)
  }
  expect(chain.pending.state.account(addressKeyFromHex(address))).toBeNull()
  return Math.min(...times)
}

test('the cost of a snapshot and its revert does not grow with the state', async () => {
  const few = await roundTrip(await createCrowded(1))
  const many = await roundTrip(await createCrowded(ACCOUNTS))
  // A walk over the accounts would take hundreds of times as long.
  expect(many).toBeLessThan(10 * few + 1)
})

test('many snapshots keep no copies', async () => {
  const node = await createCrowded(1000)
  const { chain, clocks } = node
  const before = chain.store.countValues()
  for (let count = 0; count < 200; count++) {
    await chain.write((writer) => writer.snapshot(clocks.snapshot()))
  }
  expect(chain.store.countValues()).toBe(before)
  expect(chain.snapshots.size).toBe(200)
  await chain.write((writer) => writer.revert(1))
  expect(chain.snapshots.size).toBe(0)
})
