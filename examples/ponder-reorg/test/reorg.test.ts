import { network } from 'hardhat'
import 'hardhat-pending-node/vitest'
import { expect, test } from 'vitest'
import { startPonder } from './startPonder.ts'

test('the table follows the chain through a reorganisation', { timeout: 120_000 }, async () => {
  const connection = await network.create('pending')
  const { viem, pendingNode } = connection
  const [{ account: alice }, { account: bob }] = await viem.getWalletClients()
  // Blocks come by command alone.
  await pendingNode.freeze()
  const token = await viem.deployContract('Token', [100n])
  await pendingNode.seal()
  const transfer = await token.write.transfer([bob.address, 10n])
  const { latest } = await pendingNode.seal()
  expect(latest.number).toBe(2)

  const readTable = await startPonder({ NODE_URL: pendingNode.url, TOKEN: token.address })
  const expectTable = (...items: { to: string; value: string; block: string }[]) =>
    expect.poll(readTable, { timeout: 30_000 }).toEqual({ data: { transfers: { items } } })
  const supply = { to: alice.address, value: '100', block: '1' }
  await expectTable(supply, { to: bob.address, value: '10', block: '2' })

  // With the next seal, the network prefers another branch: blocks 2 and 3 are empty there.
  await pendingNode.faults({ rules: [{ kind: 'reorg', depth: 2, next: 1 }] })
  await pendingNode.seal()
  await expect(transfer).not.toBeSealed(connection)
  await expectTable(supply)

  // The transfer waited in the mempool, and comes into the next block.
  await pendingNode.seal()
  await expectTable(supply, { to: bob.address, value: '10', block: '4' })
})
