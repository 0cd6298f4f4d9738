import assert from 'node:assert/strict'
import { test } from 'node:test'
import { network } from 'hardhat'

test('a deployment, a burst of transactions and their logs are visible before the seal', async () => {
  const { ethers, pendingNode } = await network.create('pending')
  const [sender] = await ethers.getSigners()

  // From here on nothing is sealed. Ticks continue: every 200 ms they pre-confirm what was sent.
  await pendingNode.freeze()
  const counter = await ethers.deployContract('Counter')
  const address = await counter.getAddress()
  const sent = await Promise.all([1, 2, 3].map(() => counter.getFunction('increment').send()))
  // wait() resolves with the pre-confirmed receipt.
  const receipts = await Promise.all(sent.map((transaction) => transaction.wait()))

  const seen = async (blockTag: 'pending' | 'latest') => ({
    isDeployed: (await ethers.provider.getCode(address, blockTag)) !== '0x',
    nonce: await ethers.provider.getTransactionCount(sender.address, blockTag),
    logs: (await counter.queryFilter('Incremented', 0, blockTag)).length,
  })
  assert.deepEqual(await seen('pending'), { isDeployed: true, nonce: 4, logs: 3 })
  assert.deepEqual(await seen('latest'), { isDeployed: false, nonce: 0, logs: 0 })
  assert.equal(await counter.getFunction('value').staticCall({ blockTag: 'pending' }), 3n)

  // The receipts are final except for the block hash, which does not exist before the seal.
  await pendingNode.resume()
  const last = await pendingNode.sealed(sent[2].hash)
  const first = await ethers.provider.getTransactionReceipt(sent[0].hash)
  assert.equal(first?.blockHash, last.blockHash)
  assert.equal(first?.index, receipts[0]?.index)
  assert.equal(first?.gasUsed, receipts[0]?.gasUsed)
  assert.deepEqual(await seen('latest'), { isDeployed: true, nonce: 4, logs: 3 })
})
