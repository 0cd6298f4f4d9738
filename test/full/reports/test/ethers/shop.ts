import assert from 'node:assert/strict'
import { network } from 'hardhat'

describe('Shop', () => {
  it('sells', async () => {
    const { ethers } = await network.create()
    const shop = await ethers.deployContract('Shop', [5n])
    const shelf = await ethers.getContractAt('Shelf', await shop.shelf())
    await shop['buy(uint256)'](1n, { value: 5n })
    await shop['buy(uint256,uint256)'](2n, 3n)
    assert.equal(await shelf.count(), 4n)
    await assert.rejects(shop['buy(uint256)'](3n, { value: 4n }))
    assert.deepEqual([...(await shop.measure.staticCall())], [64n, 7n])
    await shop.unused()
  })
})
