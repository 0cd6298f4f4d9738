import { describe, it } from 'node:test'
import { network } from 'hardhat'
import Market from '../../ignition/modules/Market.ts'

/* Each of these fails, so that what the reporters print of it can be compared. */

describe('Failing', async () => {
  const { viem, networkHelpers, ignition } = await network.create()
  const [, alice, bob] = await viem.getWalletClients()

  async function marketFixture() {
    const { base, vault, rewards } = await ignition.deploy(Market)
    await base.write.transfer([alice.account.address, 1_000n])
    await base.write.approve([vault.address, 5_000n], { account: alice.account })
    return { token: base, vault, rewards }
  }

  const market = () => networkHelpers.loadFixture(marketFixture)

  it('a reason', async () => {
    const { token } = await market()
    await token.write.buy({ account: alice.account })
  })

  it('a custom error two calls deep', async () => {
    const { vault } = await market()
    await vault.write.deposit([1_001n], { account: alice.account })
  })

  it('a panic of a read', async () => {
    const { vault } = await market()
    await vault.read.share([alice.account.address])
  })

  it('a panic behind a proxy', async () => {
    const { rewards } = await market()
    await rewards.write.spend([1n], { account: alice.account })
  })

  it('a custom error of a library behind a proxy', async () => {
    const { rewards } = await market()
    await rewards.write.claim([0n], { account: alice.account })
  })

  it('a constructor', async () => {
    const { token } = await market()
    await viem.deployContract('Proxy', [token.address, '0x'])
  })

  it('no such function', async () => {
    const { token } = await market()
    const vault = await viem.getContractAt('Vault', token.address)
    await vault.read.share([alice.account.address])
  })

  it('another event', async () => {
    const { token } = await market()
    await viem.assertions.emit(
      token.write.transfer([bob.account.address, 1n], { account: alice.account }),
      token,
      'Approval',
    )
  })

  it('an event with another argument', async () => {
    const { token } = await market()
    await viem.assertions.emitWithArgs(
      token.write.transfer([bob.account.address, 1n], { account: alice.account }),
      token,
      'Transfer',
      [alice.account.address, bob.account.address, 2n],
    )
  })

  it('another reason', async () => {
    const { token } = await market()
    await viem.assertions.revertWith(
      token.write.buy({ account: alice.account }),
      'Token: too much ether sent',
    )
  })

  it('another custom error', async () => {
    const { token } = await market()
    await viem.assertions.revertWithCustomError(
      token.write.transfer([bob.account.address, 1_001n], { account: alice.account }),
      token,
      'NotTheOwner',
    )
  })
})
