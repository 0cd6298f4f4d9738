import assert from 'node:assert/strict'
import { test } from 'node:test'
import { network } from 'hardhat'

const { viem, networkHelpers } = await network.create('localhost')

async function deployCounter() {
  return await viem.deployContract('Counter')
}

test('counts, and says so in events', async () => {
  const counter = await networkHelpers.loadFixture(deployCounter)
  const client = await viem.getPublicClient()
  await client.waitForTransactionReceipt({ hash: await counter.write.increment() })
  await client.waitForTransactionReceipt({ hash: await counter.write.increment() })
  assert.equal(await counter.read.value(), 2n)
  const events = await counter.getEvents.Incremented({}, { fromBlock: 0n })
  assert.deepEqual(
    events.map(({ args }) => args.value),
    [1n, 2n],
  )
})

test('starts over with each fixture', async () => {
  const counter = await networkHelpers.loadFixture(deployCounter)
  assert.equal(await counter.read.value(), 0n)
})

test('reverts with a reason', async () => {
  const counter = await networkHelpers.loadFixture(deployCounter)
  await assert.rejects(counter.read.fail(), /asked to fail/)
})

test('moves time', async () => {
  const before = await networkHelpers.time.latest()
  await networkHelpers.time.increase(3600)
  assert.equal((await networkHelpers.time.latest()) - before, 3600)
})
