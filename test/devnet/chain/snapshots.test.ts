import { expect, onTestFinished, test } from 'vitest'
import { EMPTY_CODE_HASH } from '../../../devnet/state/codes.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import type { AccountRecord, AddressKey } from '../../../devnet/state/types.ts'
import { createTestChain, type TestChain } from '../../support/chain.ts'

const ACCOUNTS = 50_000

/** A chain whose state has so many accounts. */
async function createCrowded(count: number): Promise<TestChain> {
  const node = await createTestChain()
  onTestFinished(() => node.clocks.stop())
  const accounts = new Map<AddressKey, AccountRecord>()
  for (let index = 0; index < count; index++) {
    const key = addressKeyFromHex(`0x${(index + 2 ** 24).toString(16).padStart(40, '0')}`)
    accounts.set(key, { nonce: 0n, balance: 1n, codeHash: EMPTY_CODE_HASH })
  }
  await node.chain.write((job) => job.cheat(() => ({ accounts, storage: new Map() })))
  await node.clocks.seal()
  return node
}

/** ms of a snapshot, one changed account, and the way back: the fastest of many, as others work on this machine too. */
async function roundTrip({ chain, clocks }: TestChain): Promise<number> {
  const key = addressKeyFromHex('0x00000000000000000000000000000000000000aa')
  const times: number[] = []
  for (let round = 0; round < 50; round++) {
    const start = performance.now()
    const id = await chain.write((job) => job.snapshot(clocks.snapshot()))
    await chain.write((job) =>
      job.cheat(() => ({
        accounts: new Map([[key, { nonce: 0n, balance: 5n, codeHash: EMPTY_CODE_HASH }]]),
        storage: new Map(),
      })),
    )
    await chain.write((job) => job.revert(id))
    times.push(performance.now() - start)
  }
  expect(chain.pending.state.account(key)).toBeNull()
  return Math.min(...times)
}

test('behavior: the cost of a snapshot and its revert does not grow with the state', async () => {
  const few = await roundTrip(await createCrowded(1))
  const many = await roundTrip(await createCrowded(ACCOUNTS))
  // A walk over the accounts would take hundreds of times as long.
  expect(many).toBeLessThan(10 * few + 1)
})

test('behavior: many snapshots keep no copies', async () => {
  const node = await createCrowded(1000)
  const { chain, clocks } = node
  const before = chain.store.countValues()
  for (let count = 0; count < 200; count++) {
    await chain.write((job) => job.snapshot(clocks.snapshot()))
  }
  expect(chain.store.countValues()).toBe(before)
  expect(chain.snapshots.size).toBe(200)
  await chain.write((job) => job.revert(1))
  expect(chain.snapshots.size).toBe(0)
})
