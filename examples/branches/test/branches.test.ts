import { network } from 'hardhat'
import type { Devnet } from 'hardhat-pending-node/devnet'
import { createPublicClient, createWalletClient, custom, getContract } from 'viem'
import { hardhat } from 'viem/chains'
import { beforeAll, describe, expect, test } from 'vitest'

// The fixture: deployed and filled once. Each test gets a branch of it.
async function fixture() {
  const { viem, pendingNode } = await network.create('pending')
  const counter = await viem.deployContract('Counter')
  for (let nonce = 1; nonce <= 100; nonce++) await counter.write.increment({ nonce })
  await pendingNode.seal()
  return { counter, pendingNode }
}

/** The contract of the fixture, on a branch. */
function onBranch(
  branch: Devnet,
  { address, abi }: Awaited<ReturnType<typeof fixture>>['counter'],
) {
  const transport = custom(branch.provider)
  const client = createPublicClient({ chain: hardhat, transport })
  const [account] = branch.accounts
  if (account === undefined) throw new Error('There are twenty accounts')
  const wallet = createWalletClient({ chain: hardhat, transport, account: account.address })
  return getContract({ address, abi, client: { public: client, wallet } })
}

// CONCURRENT=no runs the same tests one after the other.
const isConcurrent = process.env.CONCURRENT !== 'no'

describe('at the same time, each on its own chain', { concurrent: isConcurrent }, () => {
  let shared: Awaited<ReturnType<typeof fixture>>
  beforeAll(async () => {
    shared = await fixture()
  })

  // The clocks run: a seal comes every 2 s, and may fall between two transactions.
  for (let index = 1; index <= 8; index++) {
    test(`${index} more are sealed, and no other test sees them`, async () => {
      await using branch = await shared.pendingNode.branch()
      const counter = onBranch(branch, shared.counter)
      const sum = 100n + BigInt(index)
      for (let count = 0; count < index; count++) await counter.write.increment()
      while ((await counter.read.value()) < sum) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect(await counter.read.value()).toBe(sum)
    })
  }
})
