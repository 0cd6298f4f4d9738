import { network } from 'hardhat'
import 'hardhat-pending-node/vitest'
import { expect, test } from 'vitest'

test('a contract of the live chain is used on a fork, visible before the seal', async () => {
  // The live chain: a counter at 2, and nobody who knows of the fork.
  const live = await network.create('live')
  const deployed = await live.viem.deployContract('Counter')
  await deployed.write.increment()
  await deployed.write.increment()
  const { latest: forkBlock } = await live.pendingNode.seal()
  process.env.FORK_URL = live.pendingNode.url

  // The fork stands on the newest block; what it needs is read when it needs it.
  const connection = await network.create('forked')
  const { viem, pendingNode } = connection
  const { fork } = await pendingNode.freeze()
  expect(fork).toMatchObject({ number: forkBlock.number, hash: forkBlock.hash })
  const counter = await viem.getContractAt('Counter', deployed.address)
  expect(await counter.read.value()).toBe(2n)

  // Pre-confirmed within a tick: "pending" shows it, "latest" does not.
  const hash = await counter.write.increment()
  await expect(hash).toEmitBeforeSeal(connection, {
    abi: counter.abi,
    eventName: 'Incremented',
    args: { value: 3n },
  })
  expect(await counter.read.value({ blockTag: 'pending' })).toBe(3n)
  expect(await counter.read.value({ blockTag: 'latest' })).toBe(2n)

  // After the seal "latest" shows it too, in a block of the fork's own.
  await pendingNode.seal()
  await expect(hash).toBeSealed(connection)
  expect(await counter.read.value({ blockTag: 'latest' })).toBe(3n)

  // The live chain has seen nothing of it.
  expect(await deployed.read.value()).toBe(2n)

  await connection.close()
  await live.close()
})
