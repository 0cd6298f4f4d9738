// The types that the plugins add to a connection.
import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import hardhatViemAssertions from '@nomicfoundation/hardhat-viem-assertions'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import plugin from '../../../plugin/index.ts'
import type { PendingNodeUserConfig } from '../../../plugin/types.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'
import { connect, opened } from './stage.ts'

/*
 * "My suite fails on `pending`" in plugin/TROUBLESHOOTING.md: what tests do that were written for
 * Hardhat's own network, what comes of it on `pending`, and the cure.
 */

let project: TemporaryProject
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  project = createProject('Token')
  const others = [hardhatEthers, hardhatViem, hardhatViemAssertions, hardhatNetworkHelpers]
  hre = await createHardhatRuntimeEnvironment({ plugins: [...others, plugin] }, {}, project.path)
})
afterAll(() => project[Symbol.dispose]())

/** Hardhat's own network. */
const HARDHATS = 'default'

/** A token that was just deployed, in a suite with either library. */
async function stageOf(network: string, options: PendingNodeUserConfig = {}) {
  // Hardhat's own takes no options of this node.
  const connection =
    network === HARDHATS
      ? opened(await hre.network.create(network))
      : await connect(hre, options, { network })
  const { viem, ethers } = connection
  const token = await viem.deployContract('Token', [100n])
  const contract = await ethers.getContractAt('Token', token.address)
  const [owner, other] = await viem.getWalletClients()
  if (owner === undefined || other === undefined) throw new Error('There are accounts')
  const client = await viem.getPublicClient()
  /** Sends 5 of the token, and answers the receipt. */
  const transfer = async () => {
    const hash = await token.write.transfer?.([other.account.address, 5n])
    return await client.waitForTransactionReceipt({ hash: hash ?? '0x' })
  }
  return { connection, token, contract, owner, other, client, transfer }
}

describe('instant: nothing has to change', () => {
  test('balances, blocks by number, latest, a revert with gas given', async () => {
    const { connection, token, contract, owner, other, client, transfer } = await stageOf('instant')
    await using _connection = connection
    const { viem, ethers, networkHelpers } = connection
    await transfer()
    await viem.assertions.balancesHaveChanged(
      owner.sendTransaction({ to: other.account.address, value: 5n }),
      [{ address: other.account.address, amount: 5n }],
    )
    const { blockNumber, blockHash } = await transfer()
    expect(await client.getBlock({ blockNumber })).toMatchObject({ hash: blockHash })
    expect((await ethers.provider.getBlock(Number(blockNumber)))?.hash).toBe(blockHash)
    expect(await contract.queryFilter('Transfer', 0, 'latest')).toHaveLength(3)
    const before = await client.getBlockNumber({ cacheTime: 0 })
    await transfer()
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(before + 1n)
    const tooMuch = token.write.transfer?.([other.account.address, 101n], { gas: 100_000n })
    await expect(tooMuch).rejects.toThrow()
    expect(await networkHelpers.time.latest()).toBe(Number((await client.getBlock()).timestamp))
  })
})

describe.each([
  ['sealing', {}],
  ['frozen', { frozen: true }],
])('pending, %s', (_name, options) => {
  test('a write sees the write before it, and time moves from it', async () => {
    const { connection, token, other, client } = await stageOf('pending', options)
    await using _connection = connection
    const { time } = connection.networkHelpers
    await token.write.transfer?.([other.account.address, 60n])
    // Its estimate fails unless the one before has run.
    const spender = { account: other.account }
    const hash = await token.write.transfer?.([other.account.address, 60n], spender)
    const { blockNumber } = await client.getTransactionReceipt({ hash: hash ?? '0x' })
    const sent = await time.latest()
    expect(await time.increase(86_400)).toBe(sent + 86_400)
    expect((await client.getBlock({ blockNumber })).timestamp).toBe(BigInt(sent))
  })

  test('matchers of balances: seal before the transaction that they watch', async () => {
    const { connection, token, owner, other, transfer } = await stageOf('pending', options)
    await using _connection = connection
    const { viem, ethers, pendingNode } = connection
    const { address } = other.account
    const send = () => owner.sendTransaction({ to: address, value: 5n })
    const balances = [{ address, amount: 5n }]
    // A frozen chain keeps both in one block; a running one may, so only the cure is certain there.
    if ('frozen' in options) {
      await send()
      const watched = viem.assertions.balancesHaveChanged(send(), balances)
      await expect(watched).rejects.toThrow('but got a change of 10 instead')
    }
    await pendingNode.seal()
    await viem.assertions.balancesHaveChanged(send(), balances)

    // As `changeTokenBalances` of the chai matchers does: alone in its block, N against N-1.
    await pendingNode.seal()
    const { blockHash, blockNumber } = await transfer()
    expect((await ethers.provider.getBlock(blockHash, false))?.length).toBe(1)
    const balanceAt = (block: bigint) => token.read.balanceOf?.([address], { blockNumber: block })
    expect([await balanceAt(blockNumber - 1n), await balanceAt(blockNumber)]).toEqual([0n, 5n])
  })
})

describe('pending', () => {
  const options = { frozen: true }

  test('a block by the number of a receipt: its hash, the tag, or a seal', async () => {
    const { connection, client, transfer } = await stageOf('pending', options)
    await using _connection = connection
    const { ethers, pendingNode } = connection
    const { blockNumber, blockHash } = await transfer()
    await expect(client.getBlock({ blockNumber })).rejects.toThrow('could not be found')
    expect(await ethers.provider.getBlock(Number(blockNumber))).toBe(null)
    for (const found of [
      await client.getBlock(),
      await client.getBlock({ blockTag: 'pending' }),
      await client.getBlock({ blockHash }),
    ]) {
      expect(found).toMatchObject({ number: blockNumber })
    }
    expect((await ethers.provider.getBlock('pending'))?.number).toBe(Number(blockNumber))
    expect((await ethers.provider.getBlock(blockHash))?.number).toBe(Number(blockNumber))
    await pendingNode.seal()
    expect(await client.getBlock({ blockNumber })).toMatchObject({ number: blockNumber })
    expect((await ethers.provider.getBlock(Number(blockNumber)))?.number).toBe(Number(blockNumber))
  })

  test('latest, and the number of blocks: pending, nothing at all, or a seal', async () => {
    const { connection, contract, client, transfer } = await stageOf('pending', options)
    await using _connection = connection
    await transfer()
    expect(await contract.queryFilter('Transfer', 0, 'latest')).toHaveLength(0)
    expect(await contract.queryFilter('Transfer', 0, 'pending')).toHaveLength(2)
    expect(await contract.queryFilter('Transfer', 0)).toHaveLength(2)
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
    await connection.pendingNode.seal()
    expect(await contract.queryFilter('Transfer', 0, 'latest')).toHaveLength(2)
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(1n)
  })

  test('a revert with gas given: the status of the receipt, or no gas', async () => {
    const { connection, token, other, client } = await stageOf('pending', options)
    await using _connection = connection
    const tooMuch = [other.account.address, 101n]
    const hash = await token.write.transfer?.(tooMuch, { gas: 100_000n })
    const receipt = await client.waitForTransactionReceipt({ hash: hash ?? '0x' })
    expect(receipt.status).toBe('reverted')
    await expect(token.write.transfer?.(tooMuch)).rejects.toThrow('insufficient balance')
  })

  test('automine off: frozen ticks', async () => {
    const { connection } = await stageOf('pending')
    await using _connection = connection
    const { pendingNode, rpc, send } = connection
    await rpc('evm_setAutomine', false)
    expect(await rpc('eth_getTransactionReceipt', await send())).toMatchObject({ status: '0x1' })
    await pendingNode.freeze({ ticks: true })
    const hash = await send()
    expect(await rpc('eth_getTransactionReceipt', hash)).toBe(null)
    await rpc('evm_mine')
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('what is not visible yet: frozenTicks', async () => {
    await using connection = await connect(hre, { frozenTicks: true })
    const { ethers, pendingNode, send } = connection
    const [signer] = await ethers.getSigners()
    const hash = await send()
    expect(await signer?.getNonce()).toBe(0)
    await pendingNode.tick()
    expect(await signer?.getNonce()).toBe(1)
    expect(await pendingNode.preconfirmed(hash)).toMatchObject({ status: '0x1' })
  })
})

describe.each([
  ['pending', { sealInterval: 86_400_000 }],
  ['pending', { frozen: true }],
  ['instant', {}],
  [HARDHATS, {}],
])('each cure: %s, %j', (network, options) => {
  test('matchers of balances: a block before the transaction', async () => {
    const { connection, owner, other } = await stageOf(network, options)
    await using _connection = connection
    const { viem, ethers, networkHelpers } = connection
    const { address } = other.account
    const send = () => owner.sendTransaction({ to: address, value: 5n })
    await send()
    await networkHelpers.mine()
    await viem.assertions.balancesHaveChanged(send(), [{ address, amount: 5n }])
    // As `changeEtherBalance` of the chai matchers does: alone in its block, N against N-1.
    await networkHelpers.mine()
    const receipt = await (await viem.getPublicClient()).getTransactionReceipt({
      hash: await send(),
    })
    expect((await ethers.provider.getBlock(receipt.blockHash, false))?.length).toBe(1)
    const block = Number(receipt.blockNumber)
    const [before, after] = [
      await ethers.provider.getBalance(address, block - 1),
      await ethers.provider.getBalance(address, block),
    ]
    expect(after - before).toBe(5n)
  })

  test('a block by the number of a receipt, latest, an event: a block first', async () => {
    const { connection, contract, client, transfer } = await stageOf(network, options)
    await using _connection = connection
    const { ethers, networkHelpers } = connection
    const { blockNumber } = await transfer()
    await networkHelpers.mine()
    expect(await client.getBlock({ blockNumber })).toMatchObject({ number: blockNumber })
    expect((await ethers.provider.getBlock(Number(blockNumber)))?.number).toBe(Number(blockNumber))
    expect(await contract.queryFilter('Transfer', 0, 'latest')).toHaveLength(2)
    expect(await contract.queryFilter('Transfer', 0)).toHaveLength(2)
    expect(await contract.queryFilter('Transfer', 0, 'pending')).toHaveLength(2)
  })

  test('the number of blocks: that of the receipt; two blocks: one between', async () => {
    const { connection, client, transfer } = await stageOf(network, options)
    await using _connection = connection
    const { networkHelpers } = connection
    await networkHelpers.mine()
    const before = await client.getBlockNumber({ cacheTime: 0 })
    const first = await transfer()
    expect(first.blockNumber).toBe(before + 1n)
    await networkHelpers.mine()
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBeGreaterThanOrEqual(first.blockNumber)
    const second = await transfer()
    expect(second.blockNumber).toBeGreaterThan(first.blockNumber)
    await networkHelpers.mine()
    const times = [first, second].map(async ({ blockNumber }) => {
      return (await client.getBlock({ blockNumber })).timestamp
    })
    const [one = 0n, other = 0n] = await Promise.all(times)
    expect(other).toBeGreaterThan(one)
  })

  test('a view at an exact second: latest', async () => {
    const { connection, client } = await stageOf(network, options)
    await using _connection = connection
    const { networkHelpers } = connection
    const at = (await networkHelpers.time.latest()) + 1_000
    await networkHelpers.time.increaseTo(at)
    // Returns TIMESTAMP.
    const code = { data: '0x425f5260205ff3', blockTag: 'latest' } as const
    expect(BigInt((await client.call(code)).data ?? '0x')).toBe(BigInt(at))
  })

  test('a revert: no gas', async () => {
    const { connection, token, other } = await stageOf(network, options)
    await using _connection = connection
    const tooMuch = token.write.transfer?.([other.account.address, 101n])
    await expect(tooMuch).rejects.toThrow('insufficient balance')
  })

  test('two confirmations: blocks', async () => {
    const { connection, client, owner, other } = await stageOf(network, options)
    await using _connection = connection
    const { ethers, networkHelpers } = connection
    const hash = await owner.sendTransaction({ to: other.account.address, value: 5n })
    await networkHelpers.mine(2)
    const receipt = await client.waitForTransactionReceipt({ hash, confirmations: 2 })
    const response = await ethers.provider.getTransaction(hash)
    expect((await response?.wait(2))?.blockNumber).toBe(Number(receipt.blockNumber))
  })
})
