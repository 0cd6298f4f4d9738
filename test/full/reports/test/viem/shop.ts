import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { network } from 'hardhat'

describe('Shop', async () => {
  const { viem } = await network.create()
  const client = await viem.getPublicClient()
  const [wallet] = await viem.getWalletClients()

  it('sells', async () => {
    const shop = await viem.deployContract('Shop', [5n])
    const shelf = await viem.getContractAt('Shelf', await shop.read.shelf())
    await shop.write.buy([1n], { value: 5n })
    await shop.write.buy([2n, 3n])
    assert.equal(await shelf.read.count(), 4n)
    await assert.rejects(shop.write.buy([3n], { value: 4n }), /too little/)
    await assert.rejects(shelf.write.store([101n]))
    await shop.write.tryStore([102n])
  })

  it('reads the return data of a call', async () => {
    const shop = await viem.deployContract('Shop', [5n])
    const call = { ...shop, functionName: 'measure', account: wallet.account } as const
    assert.deepEqual((await client.simulateContract(call)).result, [64n, 7n])
  })

  it('deploys what is too large once it is instrumented', async () => {
    const big = await viem.deployContract('Big')
    await big.write.f0([0n])
    await big.write.f1([1_000n])
    assert.equal(await big.read.last(), 996n)
  })
})
