import assert from 'node:assert/strict'
import { test } from 'node:test'
import { network } from 'hardhat'
import { createCounterApp } from '../src/counterApp.ts'

test('the user sees the new value before the seal', async () => {
  // A chain of this test's own, which the app reaches by its URL as it reaches any other node.
  const { viem, pendingNode } = await network.create('pending')
  const [{ account }] = await viem.getWalletClients()
  const counter = await viem.deployContract('Counter')
  await pendingNode.seal()
  await pendingNode.freeze()

  const app = createCounterApp(pendingNode.url, counter.address, account.address)
  assert.equal(await app.increment(), 1n)
  assert.equal(await app.sealedValue(), 0n)
  await pendingNode.seal()
  assert.equal(await app.sealedValue(), 1n)
})
