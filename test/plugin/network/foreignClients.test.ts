import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import hardhatIgnitionViem from '@nomicfoundation/hardhat-ignition-viem'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { BrowserProvider, Contract } from 'ethers'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { createPublicClient, custom } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  assertNotPreconfirmed,
  assertNotSealed,
  assertPreconfirmed,
  assertSealed,
} from '../../../plugin/assertions/index.ts'
import plugin from '../../../plugin/index.ts'
import type { PendingNodeUserConfig } from '../../../plugin/types.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'
import { connect } from './stage.ts'

/*
 * Clients and programs that know nothing of pre-confirmation, on networks of the plugin: what they
 * find by the options `latest` and `receipts`.
 */

const single = buildModule('Single', (builder) => ({ token: builder.contract('Token', [100n]) }))

let project: TemporaryProject
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  project = createProject('Token')
  const plugins = [hardhatViem, hardhatEthers, hardhatIgnitionViem, plugin]
  hre = await createHardhatRuntimeEnvironment({ plugins }, {}, project.path)
})
afterAll(() => project[Symbol.dispose]())

describe('clients that no plugin made', () => {
  /** What they read of a token that was just deployed. */
  async function readings(options: PendingNodeUserConfig) {
    await using connection = await connect(hre, { frozen: true, tickInterval: 5, ...options })
    const { ethers, viem, provider } = connection
    const { abi, address } = await viem.deployContract('Token', [100n])
    const client = createPublicClient({ transport: custom(provider) })
    const browser = new BrowserProvider(provider)
    const token = new Contract(
      address,
      (await ethers.getContractAt('Token', address)).interface,
      browser,
    )
    const [owner = ''] = await connection.rpc<string[]>('eth_accounts')
    return await Promise.all([
      client.readContract({ abi, address, functionName: 'totalSupply' }).catch(() => undefined),
      client.getCode({ address }).then((code) => code !== undefined),
      Promise.resolve(token.getFunction('totalSupply')()).catch(() => undefined),
      browser.getCode(address).then((code) => code !== '0x'),
      browser.getTransactionCount(owner),
      browser.getBlockNumber(),
    ])
  }

  test('default: they read latest, which is sealed', async () => {
    expect(await readings({})).toEqual([undefined, false, undefined, false, 0, 0])
  })

  test('with `latest: ticks` they read what was sent before', async () => {
    expect(await readings({ latest: 'ticks' })).toEqual([100n, true, 100n, true, 1, 0])
  })
})

const SENTENCE = 'sealing is frozen: resume() first, or leave receipts out'

describe('receipts: sealed', () => {
  const sealed = { receipts: 'sealed', tickInterval: 5, sealInterval: 20 } as const

  test('deployments wait for the seal', async () => {
    await using connection = await connect(hre, sealed)
    const { ethers, ignition, viem } = connection
    const { address } = await viem.deployContract('Token', [100n])
    expect(await connection.rpc('eth_getCode', address, 'latest')).not.toBe('0x')
    const token = await (await ethers.deployContract('Token', [100n])).waitForDeployment()
    expect(await connection.rpc('eth_getCode', await token.getAddress(), 'latest')).not.toBe('0x')
    await ignition.deploy(single)
  })

  test('error: while sealing is frozen, a deployment fails with a sentence', async () => {
    await using connection = await connect(hre, { ...sealed, frozen: true })
    const { ethers, ignition, pendingNode, viem } = connection
    await expect(viem.deployContract('Token', [100n])).rejects.toThrow(SENTENCE)
    await expect(ignition.deploy(single)).rejects.toThrow(SENTENCE)
    const token = await ethers.deployContract('Token', [100n])
    await expect(token.waitForDeployment()).rejects.toThrow(SENTENCE)
    await pendingNode.seal()
    expect(await token.waitForDeployment()).toBe(token)
    await pendingNode.resume()
    await viem.deployContract('Token', [100n])
  })

  test('without it, deployments while sealing is frozen are as ever', async () => {
    await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
    const { ethers, viem } = connection
    await viem.deployContract('Token', [100n])
    await (await ethers.deployContract('Token', [100n])).waitForDeployment()
  })

  test.each([
    ['in-process', {}],
    ['http', {}],
    ['http', { readOwnWrites: false, tickInterval: 50 }],
  ] as const)('controls and assertions see the tick, %s %o', async (transport, more) => {
    await using connection = await connect(hre, { ...sealed, frozen: true, transport, ...more })
    const { pendingNode } = connection
    const hash = await connection.send({ gas: '0x5208' })
    await assertPreconfirmed(hash, connection.provider)
    await assertNotSealed(hash, connection.provider)
    expect(await pendingNode.preconfirmed(hash)).toMatchObject({ transactionHash: hash })
    const next = await connection.send({ gas: '0x5208' })
    // Looks once, after the next tick.
    await expect(assertNotPreconfirmed(next, connection.provider)).rejects.toThrow(
      'it is pre-confirmed',
    )
    expect(await connection.rpc('eth_getTransactionReceipt', hash)).toBeNull()
    await pendingNode.seal()
    await assertSealed(hash, connection.provider)
  })
})
