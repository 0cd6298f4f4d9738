import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import hardhatIgnitionViem from '@nomicfoundation/hardhat-ignition-viem'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import plugin from '../../../plugin/index.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'
import { connect } from './stage.ts'

const others = [hardhatEthers, hardhatViem, hardhatNetworkHelpers, hardhatIgnitionViem]
const options = { frozen: true, tickInterval: 5, sealInterval: 50 }
const nobody = `0x${'55'.repeat(20)}`

/** Which contracts a module answers, only types that Hardhat generates know. */
const tokens = buildModule('Tokens', (builder) => ({
  token: builder.contractAt('Token', builder.contract('Token', [100n]), { id: 'again' }),
}))

let project: TemporaryProject
const deployments = () => join(project.path, 'ignition/deployments')

beforeAll(() => {
  project = createProject('Token')
})
afterAll(() => project[Symbol.dispose]())

describe.each([
  ['first', [plugin, ...others]],
  ['last', [...others, plugin]],
])('listed %s', (place, plugins) => {
  let hre: HardhatRuntimeEnvironment

  beforeAll(async () => {
    hre = await createHardhatRuntimeEnvironment({ plugins }, {}, project.path)
  })

  test('network-helpers: loadFixture', async () => {
    await using connection = await connect(hre, options)
    const { networkHelpers, pendingNode, send, rpc } = connection
    let runs = 0
    async function fixture() {
      runs++
      return await pendingNode.preconfirmed(await send({ to: nobody, value: '0x1' }))
    }
    const first = await networkHelpers.loadFixture(fixture)
    await pendingNode.preconfirmed(await send({ to: nobody, value: '0x1' }))
    await pendingNode.seal()
    expect(await networkHelpers.loadFixture(fixture)).toBe(first)
    expect(runs).toBe(1)
    // Back in the midst of an unsealed block.
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('eth_getBalance', nobody, 'pending')).toBe('0x1')
  })

  test('network-helpers: mine, time, snapshots, impersonation', async () => {
    await using connection = await connect(hre, options)
    const { networkHelpers, pendingNode, send, rpc } = connection
    await networkHelpers.mine(3)
    expect(await networkHelpers.time.latestBlock()).toBe(3)
    const now = await networkHelpers.time.latest()
    await networkHelpers.time.increaseTo(now + 1000)
    expect(await networkHelpers.time.latest()).toBe(now + 1000)
    const snapshot = await networkHelpers.takeSnapshot()
    await networkHelpers.setBalance(nobody, 10n ** 18n)
    await networkHelpers.impersonateAccount(nobody)
    const hash = await send({ from: nobody })
    expect(await pendingNode.preconfirmed(hash)).toMatchObject({ from: nobody, status: '0x1' })
    await networkHelpers.stopImpersonatingAccount(nobody)
    await expect(send({ from: nobody })).rejects.toThrow()
    await snapshot.restore()
    expect(await rpc('eth_getBalance', nobody, 'pending')).toBe('0x0')
  })

  test('network-helpers: time counts from the pending block while it holds transactions', async () => {
    await using connection = await connect(hre, { ...options, sealInterval: 2000 })
    const { networkHelpers, pendingNode, send, rpc } = connection
    const { time } = networkHelpers
    const timeOf = async (block: string) =>
      Number((await rpc<{ timestamp: Hex }>('eth_getBlockByNumber', block, false)).timestamp)
    const sealed = await time.latest()
    expect(sealed).toBe(await timeOf('latest'))
    for (const amount of [1, 86_400]) {
      await pendingNode.preconfirmed(await send())
      const pending = await time.latest()
      expect(pending).toBe(await timeOf('pending'))
      expect(pending).toBeGreaterThan(sealed)
      expect(await time.increase(amount)).toBe(pending + amount)
      expect(await timeOf('latest')).toBe(pending + amount)
    }
    await pendingNode.preconfirmed(await send())
    const block = await time.latestBlock()
    expect(block).toBe(Number(await rpc('eth_blockNumber')))
    const next = (await time.latest()) + 10
    await time.setNextBlockTimestamp(next)
    await pendingNode.preconfirmed(await send())
    expect(await time.latest()).toBe(next)
    await time.increaseTo(next + 5)
    expect(await time.latest()).toBe(next + 5)
    expect(await timeOf('latest')).toBe(next + 5)
  })

  test('network-helpers: getStorageAt reads pending if it is given no block', async () => {
    await using connection = await connect(hre, options)
    const { address } = await connection.viem.deployContract('Token', [100n])
    const { getStorageAt } = connection.networkHelpers
    expect(BigInt(await getStorageAt(address, 0))).toBe(100n)
    expect(BigInt(await getStorageAt(address, 0, 'latest'))).toBe(0n)
    await using sealed = await connect(hre, { ...options, defaultBlock: 'latest' })
    await sealed.viem.deployContract('Token', [100n])
    expect(BigInt(await sealed.networkHelpers.getStorageAt(address, 0))).toBe(0n)
    expect(BigInt(await sealed.networkHelpers.getStorageAt(address, 0, 'pending'))).toBe(100n)
  })

  test('hardhat-ethers', async () => {
    await using connection = await connect(hre, options)
    const { ethers, pendingNode } = connection
    const token = await ethers.deployContract('Token', [100n])
    await token.waitForDeployment()
    const [, other] = await ethers.getSigners()
    const response = await token.getFunction('transfer').send(other?.address, 7n)
    expect(await response.wait()).toMatchObject({ status: 1, hash: response.hash })
    await pendingNode.seal()
    expect(await token.getFunction('balanceOf')(other?.address)).toBe(7n)
    await expect(token.getFunction('transfer').send(other?.address, 10n ** 30n)).rejects.toThrow()
  })

  test('hardhat-ignition: each chain gets its own deployment', async () => {
    for (let chain = 0; chain < 2; chain++) {
      await using connection = await connect(hre, { instant: true })
      const deployed: Record<string, { address: Hex }> = await connection.ignition.deploy(tokens)
      const address = deployed.token?.address ?? '0x'
      const read = await connection.viem.getContractAt('Token', address)
      const [client] = await connection.viem.getWalletClients()
      expect(await read.read.balanceOf?.([client?.account.address])).toBe(100n)
    }
    expect(existsSync(deployments())).toBe(false)
  })

  test('hardhat-ignition, args: deploymentId', async () => {
    await using connection = await connect(hre, { instant: true })
    const deploymentId = `kept-${place}`
    await connection.ignition.deploy(tokens, { deploymentId })
    const [client] = await connection.viem.getWalletClients()
    const nonce = () =>
      connection.rpc('eth_getTransactionCount', client?.account.address, 'pending')
    const before = await nonce()
    await connection.ignition.deploy(tokens, { deploymentId })
    expect(await nonce()).toBe(before)
    expect(existsSync(join(deployments(), deploymentId))).toBe(true)
    rmSync(deployments(), { recursive: true })
  })

  test('viem: test actions', async () => {
    await using connection = await connect(hre, options)
    const client = await connection.viem.getTestClient()
    await client.mine({ blocks: 2 })
    await client.setBalance({ address: '0x5555555555555555555555555555555555555555', value: 3n })
    const reader = await connection.viem.getPublicClient()
    expect(await reader.getBlockNumber()).toBe(2n)
    expect(await reader.getBalance({ address: '0x5555555555555555555555555555555555555555' })).toBe(
      3n,
    )
  })
})
