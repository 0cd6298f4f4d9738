import { anyValue } from '@nomicfoundation/hardhat-ethers-chai-matchers/withArgs'
import { expect } from 'chai'
import { network } from 'hardhat'
import Market from '../../ignition/modules/Market.ts'

const DAY = 86_400

describe('Market', () => {
  let connection: Awaited<ReturnType<typeof network.create>>
  before(async () => {
    connection = await network.create()
  })

  async function tokenFixture() {
    const [owner, alice, bob] = await connection.ethers.getSigners()
    const token = await connection.ethers.deployContract('Token', [1_000_000n])
    await token.transfer(alice, 1_000n)
    return { token, owner, alice, bob }
  }

  async function vaultFixture() {
    const { token, ...signers } = await tokenFixture()
    const vault = await connection.ethers.deployContract('Vault', [token])
    return { token, vault, ...signers }
  }

  it('moves tokens, and refuses to move what is not there', async () => {
    const { token, owner, alice, bob } = await connection.networkHelpers.loadFixture(tokenFixture)
    expect(await token.owner()).to.equal(owner.address)
    await expect(token.connect(alice).transfer(bob, 250n))
      .to.emit(token, 'Transfer')
      .withArgs(alice, bob, 250n)
    expect(await token.balanceOf(bob)).to.equal(250n)
    await expect(token.connect(alice).transfer(bob, 751n))
      .to.be.revertedWithCustomError(token, 'ERC20InsufficientBalance')
      .withArgs(alice, 750n, 751n)
    await expect(token.connect(bob).mint(bob, 1n))
      .to.be.revertedWithCustomError(token, 'NotTheOwner')
      .withArgs(bob)
  })

  it('sells tokens for ether that the owner collects', async () => {
    const { ethers, networkHelpers } = connection
    const { token, owner, alice } = await networkHelpers.loadFixture(tokenFixture)
    const price = ethers.parseEther('2')
    await expect(token.connect(alice).buy({ value: price })).to.changeEtherBalances(
      ethers,
      [alice, token],
      [-price, price],
    )
    await expect(token.connect(alice).buy({ value: 3n })).to.changeTokenBalance(
      ethers,
      token,
      alice,
      3_000n,
    )
    await expect(token.collect()).to.changeEtherBalance(ethers, owner, price + 3n)
    await expect(token.connect(alice).buy()).to.be.revertedWith('Token: no ether sent')
  })

  it('locks deposits for a day', async () => {
    const { networkHelpers } = connection
    const { token, vault, alice } = await networkHelpers.loadFixture(vaultFixture)
    await expect(vault.share(alice)).to.be.revertedWithPanic(0x12)
    await token.connect(alice).approve(vault, 400n)
    await expect(vault.connect(alice).deposit(400n))
      .to.emit(vault, 'Deposited')
      .withArgs(alice, 400n, anyValue)
    const unlockAt = await vault.unlockAt(alice)
    expect(unlockAt).to.equal((await networkHelpers.time.latest()) + DAY)
    await expect(vault.connect(alice).withdraw(400n))
      .to.be.revertedWithCustomError(vault, 'Locked')
      .withArgs(unlockAt)
    await networkHelpers.time.increase(DAY)
    expect(await vault.unlockAt(alice)).to.equal(unlockAt)
    await expect(vault.connect(alice).withdraw(400n))
      .to.emit(vault, 'Withdrawn')
      .withArgs(alice, 400n)
    expect(await token.balanceOf(alice)).to.equal(1_000n)
  })

  it('gives points for deposits, behind a proxy', async () => {
    const { networkHelpers, ignition } = connection
    await networkHelpers.loadFixture(tokenFixture)
    const { base, vault, rewards } = await ignition.deploy(Market)
    await base.approve(vault, 400n)
    await vault.deposit(400n)
    await expect(rewards.claim(2 * DAY))
      .to.emit(rewards, 'Claimed')
      .withArgs(anyValue, 800n)
    await rewards.spend(300n)
    await expect(rewards.spend(501n)).to.be.revertedWithPanic(0x11)
    await expect(rewards.initialize(vault)).to.be.revertedWithCustomError(
      rewards,
      'AlreadyInitialized',
    )
  })

  it('acts for a contract, with ether of its own', async () => {
    const { ethers, networkHelpers } = connection
    const { token, vault, alice, bob } = await networkHelpers.loadFixture(vaultFixture)
    await token.connect(alice).transfer(vault, 5n)
    await networkHelpers.impersonateAccount(await vault.getAddress())
    await networkHelpers.setBalance(await vault.getAddress(), ethers.parseEther('1'))
    const signer = await ethers.getSigner(await vault.getAddress())
    const transfer = await token.connect(signer).transfer(bob, 5n)
    const receipt = await transfer.wait()
    expect(receipt?.status).to.equal(1)
    expect(await ethers.provider.getBalance(vault)).to.equal(
      ethers.parseEther('1') - (receipt?.fee ?? 0n),
    )
    const transfers = await token.queryFilter(token.filters.Transfer(vault))
    expect(transfers.map(({ args }) => [args.to, args.value])).to.deep.equal([[bob.address, 5n]])
  })

  it('deploys the market by its module, and lets an arbitrageur level two pools', async () => {
    const { ethers, ignition } = connection
    const [owner] = await ethers.getSigners()
    const { base, quote, pool } = await ignition.deploy(Market)
    const dear = await ethers.deployContract('Pool', [base, quote])
    await base.approve(dear, 100_000n)
    await quote.approve(dear, 300_000n)
    await dear.addLiquidity(100_000n, 300_000n)
    const arbitrageur = await ethers.deployContract('Arbitrageur')
    await quote.approve(arbitrageur, ethers.MaxUint256)
    const before = await quote.balanceOf(owner)
    await expect(arbitrageur.run(pool, dear, 20_000n)).to.emit(arbitrageur, 'Profit')
    expect(await quote.balanceOf(owner)).to.be.above(before)
    await expect(arbitrageur.run(pool, dear, 20_000n)).to.be.revertedWithCustomError(
      arbitrageur,
      'Unprofitable',
    )
    await expect(pool.swap(true, 1_000n, 5_000n)).to.be.revertedWithCustomError(pool, 'Slippage')
  })
})
