import { type EventLog, verifyMessage } from 'ethers'
import { expect, test } from 'vitest'
import type { Stage } from './stage.ts'

/** What hardhat-ethers does, on the stage of the moment. */
export function ethersCases(stage: () => Stage): void {
  const deployStock = async () => {
    const { ethers } = stage().connection
    const [keeper, other] = await ethers.getSigners()
    if (keeper === undefined || other === undefined) throw new Error('There are signers')
    const stock = await ethers.deployContract('Stock', [keeper.address])
    await stock.waitForDeployment()
    await stage().settle()
    return { ethers, keeper, other, stock }
  }

  test('getSigners, getSigner', async () => {
    const { devnet, connection } = stage()
    const signers = await connection.ethers.getSigners()
    expect(signers.map(({ address }) => address.toLowerCase())).toEqual(
      devnet.accounts.map(({ address }) => address),
    )
    const signer = await connection.ethers.getSigner(signers[3]?.address ?? '')
    expect(verifyMessage('hello', await signer.signMessage('hello'))).toBe(signers[3]?.address)
  })

  test('deployContract, getContractAt, getContractFactory', async () => {
    const { ethers, keeper, stock } = await deployStock()
    const again = await ethers.getContractAt('Stock', await stock.getAddress())
    expect(await again.getFunction('keeper')()).toBe(keeper.address)
    const factory = await ethers.getContractFactory('Shop')
    const shop = await factory.deploy(await stock.getAddress())
    await shop.waitForDeployment()
    await stage().settle()
    const found = await ethers.getContractAt('Shop', await shop.getAddress())
    expect(await found.getFunction('stock')()).toBe(await stock.getAddress())
  })

  test('calls, sends and events', async () => {
    const { ethers, stock } = await deployStock()
    const response = await stock.getFunction('add').send(1, 5)
    const receipt = await response.wait()
    expect(receipt).toMatchObject({ status: 1, hash: response.hash })
    expect(receipt?.logs).toMatchObject([{ eventName: 'Added', args: [1n, 5n] }])
    expect(await stock.queryFilter('Added', receipt?.blockNumber)).toHaveLength(1)
    await stage().settle()
    expect(await stock.getFunction('amount')(1)).toBe(5n)
    const [event, ...none] = (await stock.queryFilter('Added')) as EventLog[]
    expect(none).toEqual([])
    expect(event?.args.toArray()).toEqual([1n, 5n])
    expect(event?.blockNumber).toBe(await ethers.provider.getBlockNumber())
  })

  test('reverts say why, before anything is sent', async () => {
    const { other, stock } = await deployStock()
    const stranger = stock.connect(other)
    await expect(stranger.getFunction('add').send(1, 5)).rejects.toThrow('not the keeper')
    // As it comes from the node: code 3 and what the contract returned, which the matchers decode.
    const { interface: abi } = stock
    await expect(stranger.getFunction('add').staticCall(1, 5)).rejects.toMatchObject({
      code: 3,
      data: abi.encodeErrorResult('Error', ['not the keeper']),
    })
    await expect(stock.getFunction('take').staticCall(1, 5)).rejects.toMatchObject({
      code: 3,
      data: abi.encodeErrorResult('OutOfStock', [1, 0]),
    })
    await expect(stock.getFunction('take').send(1, 5)).rejects.toMatchObject({
      code: 3,
      data: abi.encodeErrorResult('OutOfStock', [1, 0]),
    })
  })

  test('contract.on', async () => {
    const { stock } = await deployStock()
    const heard = Promise.withResolvers<bigint[]>()
    await stock.on('Added', (item: bigint, amount: bigint) => heard.resolve([item, amount]))
    const response = await stock.getFunction('add').send(3, 4)
    await response.wait()
    await stage().settle()
    expect(await heard.promise).toEqual([3n, 4n])
    await stock.off('Added')
  })

  test('getImpersonatedSigner', async () => {
    const { ethers, keeper, stock } = await deployStock()
    const address = await stock.getAddress()
    await ethers.provider.send('hardhat_setBalance', [address, '0xde0b6b3a7640000'])
    const signer = await ethers.getImpersonatedSigner(address)
    const response = await signer.sendTransaction({ to: keeper.address, value: 9n })
    expect(await response.wait()).toMatchObject({ from: address, status: 1 })
  })

  test('sends of one signer, not waited for, keep their order', async () => {
    const { keeper, ethers, other } = await deployStock()
    const { provider } = ethers
    const first = await provider.getTransactionCount(keeper.address, 'pending')
    const sent = []
    for (let index = 0; index < 5; index++) {
      sent.push(await keeper.sendTransaction({ to: other.address, value: 1n }))
    }
    expect(sent.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4].map((index) => first + index))
    const receipts = await Promise.all(sent.map((response) => response.wait()))
    expect(receipts.every((receipt) => receipt?.status === 1)).toBe(true)
  })

  test('balances at the blocks before and after, as matchers read them', async () => {
    const { ethers, keeper, other } = await deployStock()
    const response = await keeper.sendTransaction({ to: other.address, value: 7n })
    const receipt = await response.wait()
    const { blockNumber = 0, blockHash = '' } = receipt ?? {}
    const change = async () => {
      const [before = 0n, after = 0n] = await Promise.all(
        [blockNumber - 1, blockNumber].map((block) =>
          ethers.provider.getBalance(other.address, block),
        ),
      )
      return after - before
    }
    // Pre-confirmed, and then sealed.
    expect((await ethers.provider.getBlock(blockHash, false))?.transactions).toEqual([
      response.hash,
    ])
    expect(await change()).toBe(7n)
    await stage().settle()
    expect(await change()).toBe(7n)
  })
}
