import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import hardhatIgnitionViem from '@nomicfoundation/hardhat-ignition-viem'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { configVariable } from 'hardhat/config'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import plugin, { pendingNode } from '../../../plugin/index.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'
import { connect, type OpenConnection } from './stage.ts'

const nobody = `0x${'55'.repeat(20)}` as const

let project: TemporaryProject
let hre: HardhatRuntimeEnvironment
let upstream: OpenConnection
let token: Hex

beforeAll(async () => {
  project = createProject('Token')
  const plugins = [hardhatEthers, hardhatViem, hardhatNetworkHelpers, hardhatIgnitionViem, plugin]
  const forking = { url: configVariable('FORKED_URL') }
  const options = { forking, noForkCache: true, frozen: true, tickInterval: 5 }
  const networks = { forked: pendingNode(options) }
  hre = await createHardhatRuntimeEnvironment({ plugins, networks }, {}, project.path)
  upstream = await connect(hre, { frozen: true, tickInterval: 5 })
  const deployed = await upstream.viem.deployContract('Token', [100n])
  token = deployed.address
  await upstream.pendingNode.seal(3)
  vi.stubEnv('FORKED_URL', upstream.pendingNode.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await upstream.close()
  project[Symbol.dispose]()
})

const fork = () => connect(hre, {}, { network: 'forked' })

test('viem: reads, writes, and an error with its place in Solidity', async () => {
  await using connection = await fork()
  const { viem, pendingNode: clocks } = connection
  expect((await clocks.status()).fork).toMatchObject({
    origin: upstream.pendingNode.url,
    number: 3,
  })
  const contract = await viem.getContractAt('Token', token)
  const [sender] = await viem.getWalletClients()
  expect(await contract.read.balanceOf?.([sender?.account.address])).toBe(100n)
  const hash = await contract.write.transfer?.([nobody, 40n])
  expect(await clocks.preconfirmed(hash as Hex)).toMatchObject({ status: '0x1' })
  expect(await contract.read.balanceOf?.([nobody])).toBe(40n)
  const latest = { blockTag: 'latest' } as const
  expect(await contract.read.balanceOf?.([nobody], latest)).toBe(0n)
  await clocks.seal()
  expect(await contract.read.balanceOf?.([nobody], latest)).toBe(40n)
  await expect(contract.write.transfer?.([nobody, 1000n])).rejects.toThrow('insufficient balance')
  const client = await viem.getPublicClient()
  const old = await client.getBlock({ blockNumber: 1n })
  const there = await (await upstream.viem.getPublicClient()).getBlock({ blockNumber: 1n })
  expect(old).toEqual(there)
})

test('ethers: reads, writes, waits', async () => {
  await using connection = await fork()
  const { ethers, pendingNode: clocks } = connection
  const [sender] = await ethers.getSigners()
  const contract = await ethers.getContractAt('Token', token)
  expect(await contract.getFunction('balanceOf')(sender?.address)).toBe(100n)
  const sent = await contract.getFunction('transfer')(nobody, 1n)
  expect((await sent.wait())?.status).toBe(1)
  expect(await contract.getFunction('balanceOf')(nobody)).toBe(1n)
  await clocks.seal()
  expect(await ethers.provider.getBlockNumber()).toBe(4)
  expect((await contract.queryFilter('Transfer', 0, 'latest')).length).toBeGreaterThan(0)
})

test('network-helpers: fixtures, storage, impersonation, time and a reset to another block', async () => {
  await using connection = await fork()
  const { networkHelpers, viem, rpc } = connection
  let runs = 0
  async function fixture() {
    runs++
    const contract = await viem.getContractAt('Token', token)
    await contract.write.transfer?.([nobody, 5n])
    return contract
  }
  const contract = await networkHelpers.loadFixture(fixture)
  await contract.write.transfer?.([nobody, 5n])
  expect(await contract.read.balanceOf?.([nobody])).toBe(10n)
  await networkHelpers.loadFixture(fixture)
  expect(await contract.read.balanceOf?.([nobody])).toBe(5n)
  expect(runs).toBe(1)

  await networkHelpers.impersonateAccount(token)
  await networkHelpers.setBalance(token, 10n ** 18n)
  await networkHelpers.setStorageAt(token, 0, 7)
  expect(Number(await networkHelpers.getStorageAt(token, 0))).toBe(7)
  const client = await viem.getWalletClient(token)
  await client.sendTransaction({ to: nobody, value: 3n })
  expect(await rpc('eth_getBalance', nobody, 'pending')).toBe('0x3')
  const now = await networkHelpers.time.latest()
  await networkHelpers.time.increaseTo(now + 1000)
  await networkHelpers.mine()
  expect(await networkHelpers.time.latest()).toBeGreaterThanOrEqual(now + 1000)

  await rpc('hardhat_reset', { forking: { jsonRpcUrl: upstream.pendingNode.url, blockNumber: 2 } })
  expect(await networkHelpers.time.latestBlock()).toBe(2)
  expect(await contract.read.balanceOf?.([nobody])).toBe(0n)
})

test('ignition: deploys beside what is there', async () => {
  await using connection = await fork()
  const module = buildModule('Forked', (builder) => {
    const known = builder.contractAt('Token', token, { id: 'known' })
    const minted = builder.call(known, 'mint', [nobody, 7n])
    const supply = builder.staticCall(known, 'totalSupply', [], 0, { after: [minted] })
    return { known, second: builder.contract('Token', [supply], { id: 'second' }) }
  })
  const deployed: Record<string, { address: Hex }> = await connection.ignition.deploy(module)
  expect(deployed.known?.address).toBe(token)
  const second = await connection.viem.getContractAt('Token', deployed.second?.address ?? '0x')
  expect(await second.read.totalSupply?.()).toBe(107n)
  const there = await upstream.viem.getContractAt('Token', token)
  expect(await there.read.totalSupply?.()).toBe(100n)
})

test('override: another block, and no fork', async () => {
  const forking = { url: upstream.pendingNode.url, blockNumber: 1n }
  await using old = await connect(hre, { forking }, { network: 'forked' })
  expect(await old.rpc('eth_blockNumber')).toBe('0x1')
  const disabled = { forking: { url: upstream.pendingNode.url, enabled: false } }
  await using plain = await connect(hre, disabled, { network: 'forked' })
  expect(await plain.rpc('eth_blockNumber')).toBe('0x0')
  expect(await plain.pendingNode.status()).not.toHaveProperty('fork')
})

test('a node that cannot start says so, and shows no secret', async () => {
  const url = 'http://user:secret@127.0.0.1:1/secret?key=secret'
  const forking = { url, httpHeaders: { Authorization: 'secret' } }
  const error: unknown = await connect(
    hre,
    { forking, forkTimeout: 200 },
    { network: 'forked' },
  ).catch((reason) => reason)
  if (!(error instanceof Error)) throw new Error('It connected')
  expect(error.message).toMatch(/^The node of network "forked" cannot start: http:\/\/127.0.0.1:1 /)
  expect(`${error.message}${error.stack}${String(error.cause)}`).not.toContain('secret')
})

test('a recording makes the URL unnecessary, which is not resolved', async () => {
  const file = join(project.path, 'fork.json')
  const open = (recording: string) =>
    connect(
      hre,
      { forking: { url: configVariable('FORKED_URL'), recording } },
      { network: 'forked' },
    )
  const read = async (connection: OpenConnection) => {
    const contract = await connection.viem.getContractAt('Token', token)
    const [sender] = await connection.viem.getWalletClients()
    return await contract.read.balanceOf?.([sender?.account.address])
  }
  {
    await using first = await open(file)
    expect(await read(first)).toBe(100n)
  }
  // Under another name, as this process adds to the one that it made.
  const copy = join(project.path, 'copy.json')
  copyFileSync(file, copy)
  vi.stubEnv('FORKED_URL', undefined)
  await using played = await open(copy)
  expect(await read(played)).toBe(100n)
  expect((await played.pendingNode.status()).fork).toMatchObject({ origin: copy, requests: 0 })
  vi.stubEnv('FORKED_URL', upstream.pendingNode.url)
})
