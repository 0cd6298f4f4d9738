import { expect } from 'chai'
import { network } from 'hardhat'
import Market from '../../ignition/modules/Market.ts'

/* Each of these fails, so that what the reporters print of it can be compared. */

describe('Failing', () => {
  let connection: Awaited<ReturnType<typeof network.create>>
  before(async () => {
    connection = await network.create()
  })

  async function marketFixture() {
    const { ethers, ignition } = connection
    const [, alice, bob] = await ethers.getSigners()
    const { base, ...market } = await ignition.deploy(Market)
    await base.transfer(alice, 1_000n)
    const token = await ethers.getContractAt('Token', base, alice)
    const vault = await ethers.getContractAt('Vault', market.vault, alice)
    const rewards = await ethers.getContractAt('Rewards', market.rewards, alice)
    await token.approve(vault, 5_000n)
    return { token, vault, rewards, alice, bob }
  }

  const market = () => connection.networkHelpers.loadFixture(marketFixture)

  it('a reason', async () => {
    const { token } = await market()
    await token.buy()
  })

  it('a custom error two calls deep', async () => {
    const { vault } = await market()
    await vault.deposit(1_001n)
  })

  it('a panic of a read', async () => {
    const { vault, alice } = await market()
    await vault.share(alice)
  })

  it('a panic behind a proxy', async () => {
    const { rewards } = await market()
    await rewards.spend(1n)
  })

  it('a custom error of a library behind a proxy', async () => {
    const { rewards } = await market()
    await rewards.claim(0n)
  })

  it('a constructor', async () => {
    const { token } = await market()
    await connection.ethers.deployContract('Proxy', [token, '0x'])
  })

  it('no such function', async () => {
    const { token, alice } = await market()
    const vault = await connection.ethers.getContractAt('Vault', token)
    await vault.share(alice)
  })

  it('another event', async () => {
    const { token, bob } = await market()
    await expect(token.transfer(bob, 1n)).to.emit(token, 'Approval')
  })

  it('an event with another argument', async () => {
    const { token, alice, bob } = await market()
    await expect(token.transfer(bob, 1n)).to.emit(token, 'Transfer').withArgs(alice, bob, 2n)
  })

  it('another reason', async () => {
    const { token } = await market()
    await expect(token.buy()).to.be.revertedWith('Token: too much ether sent')
  })

  it('another custom error', async () => {
    const { token, bob } = await market()
    await expect(token.transfer(bob, 1_001n)).to.be.revertedWithCustomError(token, 'NotTheOwner')
  })
})
