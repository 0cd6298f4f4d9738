import assert from 'node:assert/strict'
import { test } from 'node:test'
import { network } from 'hardhat'

test('it counts, and says who has counted', async () => {
  const { viem } = await network.create('pending')
  const [{ account: by }] = await viem.getWalletClients()
  const counter = await viem.deployContract('Counter')
  await counter.write.increment()
  await counter.write.increment()
  assert.equal(await counter.read.value({ blockTag: 'pending' }), 2n)
  const logs = await counter.getEvents.Incremented({}, { toBlock: 'pending' })
  assert.deepEqual(
    logs.map(({ args }) => [args.by?.toLowerCase(), args.value]),
    [1n, 2n].map((value) => [by.address, value]),
  )
})
