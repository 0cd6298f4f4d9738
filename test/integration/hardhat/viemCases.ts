import { AssertionError } from 'node:assert'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import type { Stage } from './stage.ts'

/** What hardhat-viem and hardhat-viem-assertions do, on the stage of the moment. */
export function viemCases(stage: () => Stage): void {
  const deployStock = async () => {
    const { viem } = stage().connection
    const [keeper, other] = await viem.getWalletClients()
    if (keeper === undefined || other === undefined) throw new Error('There are wallet clients')
    const stock = await viem.deployContract('Stock', [keeper.account.address])
    await stage().settle()
    return { viem, assertions: viem.assertions, keeper, other, stock }
  }

  test('clients', async () => {
    const { devnet, connection } = stage()
    const publicClient = await connection.viem.getPublicClient()
    expect(await publicClient.getChainId()).toBe(31337)
    // As on hardhat node: it polls often, and caches nothing.
    expect([publicClient.pollingInterval, publicClient.cacheTime]).toEqual([50, 0])
    expect((await connection.viem.getTestClient()).mode).toBe('hardhat')
    const wallets = await connection.viem.getWalletClients()
    expect(wallets.map(({ account }) => account.address.toLowerCase())).toEqual(
      devnet.accounts.map(({ address }) => address),
    )
  })

  test('deployContract, getContractAt, sendDeploymentTransaction', async () => {
    const { viem, keeper, stock } = await deployStock()
    const again = await viem.getContractAt('Stock', stock.address)
    expect(await again.read.keeper?.()).toBe(getAddress(keeper.account.address))
    const { contract, deploymentTransaction } = await viem.sendDeploymentTransaction('Shop', [
      stock.address,
    ])
    const client = await viem.getPublicClient()
    const { contractAddress } = await client.waitForTransactionReceipt({
      hash: deploymentTransaction.hash,
    })
    expect(contractAddress).toBe(contract.address.toLowerCase())
    await stage().settle()
    expect(await contract.read.stock?.()).toBe(getAddress(stock.address))
  })

  test('write, read, simulate, estimateGas, getEvents', async () => {
    const { viem, stock } = await deployStock()
    const { write, read, simulate, estimateGas, getEvents } = stock
    expect(await estimateGas.add?.([1n, 5n])).toBeGreaterThan(40_000n)
    await simulate.add?.([1n, 5n])
    const hash = (await write.add?.([1n, 5n])) ?? '0x'
    const client = await viem.getPublicClient()
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    await stage().settle()
    expect(await read.amount?.([1n])).toBe(5n)
    expect(await getEvents.Added?.()).toMatchObject([{ args: { item: 1n, amount: 5n } }])
  })

  test('assertions: emit, emitWithArgs', async () => {
    const { assertions, stock } = await deployStock()
    const add = () => stock.write.add?.([1n, 5n]) ?? Promise.reject(new Error('It can add'))
    await assertions.emit(add(), stock, 'Added')
    await assertions.emitWithArgs(add(), stock, 'Added', [1n, 5n])
    await expect(assertions.emitWithArgs(add(), stock, 'Added', [1n, 6n])).rejects.toThrow(
      AssertionError,
    )
  })

  test('assertions: revert, revertWith, revertWithCustomError', async () => {
    const { assertions, other, stock } = await deployStock()
    const add = () =>
      stock.write.add?.([1n, 5n], { account: other.account }) ??
      Promise.reject(new Error('It can add'))
    const take = () => stock.write.take?.([1n, 5n]) ?? Promise.reject(new Error('It can take'))
    await assertions.revert(add())
    await assertions.revertWith(add(), 'not the keeper')
    await assertions.revertWithCustomError(take(), stock, 'OutOfStock')
    await assertions.revertWithCustomErrorWithArgs(take(), stock, 'OutOfStock', [1n, 0n])
    await expect(assertions.revertWith(add(), 'another reason')).rejects.toThrow(AssertionError)
    await expect(assertions.revert(stock.write.add?.([1n, 1n]) ?? add())).rejects.toThrow(
      AssertionError,
    )
  })

  test('assertions: balancesHaveChanged', async () => {
    const { assertions, viem, keeper, other } = await deployStock()
    const hash = await keeper.sendTransaction({ to: other.account.address, value: 7n })
    const client = await viem.getPublicClient()
    await client.waitForTransactionReceipt({ hash })
    const changes = [
      { address: keeper.account.address, amount: -7n },
      { address: other.account.address, amount: 7n },
    ]
    // By the number of a receipt that is pre-confirmed, and then sealed.
    await assertions.balancesHaveChanged(hash, changes)
    await stage().settle()
    await assertions.balancesHaveChanged(hash, changes)
  })
}
