import { network } from 'hardhat'
import 'hardhat-pending-node/vitest'
import { expect, test } from 'vitest'

test('a deployment, a burst of transactions and their events are visible before the seal', async () => {
  const connection = await network.create('pending')
  const { viem, pendingNode } = connection

  // From here on nothing is sealed. Ticks continue: every 200 ms they pre-confirm what was sent.
  const { latest } = await pendingNode.freeze()
  const client = await viem.getPublicClient()
  const [{ account: sender }] = await viem.getWalletClients()
  const counter = await viem.deployContract('Counter')
  const hashes = await Promise.all([1, 2, 3].map((nonce) => counter.write.increment({ nonce })))

  // "pending" shows everything.
  await expect(counter.address).toHavePendingCode(connection)
  await expect(sender.address).toHavePendingNonce(connection, 4)
  for (const [index, hash] of hashes.entries()) {
    await expect(hash).toEmitBeforeSeal(connection, {
      abi: counter.abi,
      eventName: 'Incremented',
      args: { value: BigInt(index + 1) },
    })
  }
  expect(await counter.read.value({ blockTag: 'pending' })).toBe(3n)

  // "latest" shows nothing.
  expect(await client.getCode({ address: counter.address, blockTag: 'latest' })).toBeUndefined()
  expect(await client.getTransactionCount({ address: sender.address, blockTag: 'latest' })).toBe(0)
  expect(await client.getBlockNumber()).toBe(BigInt(latest.number))

  // After the seal, "latest" shows it too.
  await pendingNode.seal()
  await expect(hashes[2]).toBeSealed(connection)
  expect(await counter.read.value()).toBe(3n)
  expect(await client.getTransactionCount({ address: sender.address })).toBe(4)
})
