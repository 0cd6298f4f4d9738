import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { network } from 'hardhat'
import { encodeFunctionData, getAddress, parseEther, zeroAddress } from 'viem'
import Market from '../../ignition/modules/Market.ts'

const DAY = 86_400

describe('Market', async () => {
  const { viem, networkHelpers, ignition } = await network.create()
  const { loadFixture, time } = networkHelpers
  const publicClient = await viem.getPublicClient()
  const [owner, alice, bob] = await viem.getWalletClients()

  async function tokenFixture() {
    const token = await viem.deployContract('Token', [1_000_000n])
    await token.write.transfer([alice.account.address, 1_000n])
    return { token }
  }

  async function vaultFixture() {
    const { token } = await tokenFixture()
    const vault = await viem.deployContract('Vault', [token.address])
    return { token, vault }
  }

  /** Two pools of the same tokens: base costs 2 quote in the first, 3 in the second. */
  async function poolsFixture() {
    const base = await viem.deployContract('Token', [1_000_000n])
    const quote = await viem.deployContract('Token', [1_000_000n])
    const cheap = await viem.deployContract('Pool', [base.address, quote.address])
    const dear = await viem.deployContract('Pool', [base.address, quote.address])
    for (const [pool, amount] of [
      [cheap, 200_000n],
      [dear, 300_000n],
    ] as const) {
      await base.write.approve([pool.address, 100_000n])
      await quote.write.approve([pool.address, amount])
      await pool.write.addLiquidity([100_000n, amount])
    }
    await quote.write.transfer([alice.account.address, 50_000n])
    return { base, quote, cheap, dear }
  }

  it('gives the supply to the deployer and moves it', async () => {
    const { token } = await loadFixture(tokenFixture)
    assert.equal(await token.read.owner(), getAddress(owner.account.address))
    assert.equal(await token.read.balanceOf([owner.account.address]), 999_000n)
    await viem.assertions.emitWithArgs(
      token.write.transfer([bob.account.address, 250n], { account: alice.account }),
      token,
      'Transfer',
      [getAddress(alice.account.address), getAddress(bob.account.address), 250n],
    )
    assert.equal(await token.read.balanceOf([alice.account.address]), 750n)
    assert.equal(await token.read.balanceOf([bob.account.address]), 250n)
  })

  it('refuses to move what is not there, and to mint for strangers', async () => {
    const { token } = await loadFixture(tokenFixture)
    await viem.assertions.revertWithCustomErrorWithArgs(
      token.write.transfer([bob.account.address, 1_001n], { account: alice.account }),
      token,
      'ERC20InsufficientBalance',
      [getAddress(alice.account.address), 1_000n, 1_001n],
    )
    await viem.assertions.revertWithCustomError(
      token.write.mint([alice.account.address, 1n], { account: alice.account }),
      token,
      'NotTheOwner',
    )
    await viem.assertions.revertWith(
      token.write.buy({ account: alice.account }),
      'Token: no ether sent',
    )
    assert.equal(await token.read.totalSupply(), 1_000_000n)
  })

  it('sells tokens for ether that the owner collects', async () => {
    const { token } = await loadFixture(tokenFixture)
    await viem.assertions.balancesHaveChanged(
      token.write.buy({ account: alice.account, value: parseEther('2') }),
      [
        { address: alice.account.address, amount: -parseEther('2') },
        { address: token.address, amount: parseEther('2') },
      ],
    )
    assert.equal(await token.read.balanceOf([alice.account.address]), 1_000n + parseEther('2000'))
    await viem.assertions.balancesHaveChanged(token.write.collect(), [
      { address: owner.account.address, amount: parseEther('2') },
      { address: token.address, amount: -parseEther('2') },
    ])
  })

  it('takes deposits, and locks them for a day', async () => {
    const { token, vault } = await loadFixture(vaultFixture)
    await token.write.approve([vault.address, 400n], { account: alice.account })
    await viem.assertions.emitWithArgs(
      vault.write.deposit([400n], { account: alice.account }),
      vault,
      'Deposited',
      [getAddress(alice.account.address), 400n, (unlockAt: bigint) => unlockAt > 0n],
    )
    const unlockAt = await vault.read.unlockAt([alice.account.address])
    assert.equal(unlockAt, BigInt((await time.latest()) + DAY))
    assert.equal(await vault.read.share([alice.account.address]), 10_000n)
    await viem.assertions.revertWithCustomErrorWithArgs(
      vault.write.withdraw([400n], { account: alice.account }),
      vault,
      'Locked',
      [unlockAt],
    )
  })

  it('gives deposits back after the day', async () => {
    const { token, vault } = await loadFixture(vaultFixture)
    await token.write.approve([vault.address, 400n], { account: alice.account })
    await vault.write.deposit([400n], { account: alice.account })
    const unlockAt = await vault.read.unlockAt([alice.account.address])
    await time.increase(DAY)
    assert.equal(await vault.read.unlockAt([alice.account.address]), unlockAt)
    await viem.assertions.revertWithCustomErrorWithArgs(
      vault.write.withdraw([401n], { account: alice.account }),
      vault,
      'TooMuch',
      [401n, 400n],
    )
    await viem.assertions.emitWithArgs(
      vault.write.withdraw([400n], { account: alice.account }),
      vault,
      'Withdrawn',
      [getAddress(alice.account.address), 400n],
    )
    assert.equal(await token.read.balanceOf([alice.account.address]), 1_000n)
  })

  it('keeps the deposits of two accounts apart, each with its own day', async () => {
    const { token, vault } = await loadFixture(vaultFixture)
    await token.write.transfer([bob.account.address, 300n])
    await token.write.approve([vault.address, 100n], { account: alice.account })
    await vault.write.deposit([100n], { account: alice.account })
    await time.increase(DAY / 2)
    await token.write.approve([vault.address, 300n], { account: bob.account })
    await vault.write.deposit([300n], { account: bob.account })
    assert.equal(await vault.read.share([alice.account.address]), 2_500n)
    await time.increaseTo(await vault.read.unlockAt([alice.account.address]))
    await vault.write.withdraw([100n], { account: alice.account })
    await viem.assertions.revertWithCustomError(
      vault.write.withdraw([300n], { account: bob.account }),
      vault,
      'Locked',
    )
    await networkHelpers.mine(2, { interval: DAY })
    await vault.write.withdraw([300n], { account: bob.account })
    assert.equal(await vault.read.total(), 0n)
  })

  it('swaps at the price of the reserves', async () => {
    const { base, quote, cheap } = await loadFixture(poolsFixture)
    const offered = await cheap.read.offer([false, 1_000n])
    assert.equal(offered, 496n)
    await quote.write.approve([cheap.address, 2_000n], { account: alice.account })
    await viem.assertions.revertWithCustomErrorWithArgs(
      cheap.write.swap([false, 1_000n, 500n], { account: alice.account }),
      cheap,
      'Slippage',
      [500n, 496n],
    )
    await viem.assertions.emitWithArgs(
      cheap.write.swap([false, 1_000n, offered], { account: alice.account }),
      cheap,
      'Swapped',
      [getAddress(alice.account.address), false, 1_000n, 496n],
    )
    assert.equal(await base.read.balanceOf([alice.account.address]), 496n)
    assert.equal(await cheap.read.reserveQuote(), 201_000n)
  })

  it('lets an arbitrageur level two pools, once', async () => {
    const { quote, cheap, dear } = await loadFixture(poolsFixture)
    const arbitrageur = await viem.deployContract('Arbitrageur')
    await quote.write.approve([arbitrageur.address, 50_000n], { account: alice.account })
    const hash = await arbitrageur.write.run([cheap.address, dear.address, 20_000n], {
      account: alice.account,
    })
    const receipt = await publicClient.waitForTransactionReceipt({ hash })
    assert.equal(receipt.status, 'success')
    const [profit] = await arbitrageur.getEvents.Profit()
    assert.ok(profit?.args.amount !== undefined && profit.args.amount > 0n)
    assert.equal(await quote.read.balanceOf([alice.account.address]), 50_000n + profit.args.amount)
    await viem.assertions.revertWithCustomError(
      arbitrageur.write.run([cheap.address, dear.address, 20_000n], { account: alice.account }),
      arbitrageur,
      'Unprofitable',
    )
  })

  it('deploys the market by its module', async () => {
    const { base, quote, vault, pool } = await ignition.deploy(Market, {
      parameters: { Market: { supply: 500_000n } },
    })
    assert.equal(await vault.read.token(), getAddress(base.address))
    assert.equal(await quote.read.totalSupply(), 500_000n)
    assert.equal(await pool.read.reserveBase(), 100_000n)
    await base.write.approve([vault.address, 10n])
    await vault.write.deposit([10n])
    assert.equal(await vault.read.deposited([owner.account.address]), 10n)
  })

  it('gives points for deposits, behind a proxy', async () => {
    const { token, vault } = await loadFixture(vaultFixture)
    const points = await viem.deployContract('Points')
    const logic = await viem.deployContract('Rewards', [], {
      libraries: { Points: points.address },
    })
    const proxy = await viem.deployContract('Proxy', [
      logic.address,
      encodeFunctionData({ abi: logic.abi, functionName: 'initialize', args: [vault.address] }),
    ])
    const rewards = await viem.getContractAt('Rewards', proxy.address)
    await token.write.approve([vault.address, 400n], { account: alice.account })
    await vault.write.deposit([400n], { account: alice.account })
    await viem.assertions.emitWithArgs(
      rewards.write.claim([BigInt(2 * DAY)], { account: alice.account }),
      rewards,
      'Claimed',
      [getAddress(alice.account.address), 800n],
    )
    await rewards.write.spend([300n], { account: alice.account })
    assert.equal(await rewards.read.points([alice.account.address]), 500n)
    await viem.assertions.revertWithCustomError(
      rewards.write.initialize([vault.address]),
      rewards,
      'AlreadyInitialized',
    )
  })

  it('acts for a contract, with ether of its own', async () => {
    const { token, vault } = await loadFixture(vaultFixture)
    await networkHelpers.impersonateAccount(vault.address)
    await networkHelpers.setBalance(vault.address, parseEther('1'))
    await token.write.mint([vault.address, 5n])
    await token.write.transfer([bob.account.address, 5n], { account: vault.address })
    await networkHelpers.stopImpersonatingAccount(vault.address)
    assert.equal(await token.read.balanceOf([bob.account.address]), 5n)
    assert.ok((await publicClient.getBalance({ address: vault.address })) < parseEther('1'))
    const transfers = await token.getEvents.Transfer({}, { fromBlock: 0n })
    assert.deepEqual(
      transfers.map(({ args }) => [args.from, args.to, args.value]),
      [
        [zeroAddress, getAddress(owner.account.address), 1_000_000n],
        [getAddress(owner.account.address), getAddress(alice.account.address), 1_000n],
        [zeroAddress, getAddress(vault.address), 5n],
        [getAddress(vault.address), getAddress(bob.account.address), 5n],
      ],
    )
  })
})
