import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { BaseContract, toBeHex } from 'ethers'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import plugin from '../../../../plugin/index.ts'
import type { PendingNodeUserConfig } from '../../../../plugin/types.ts'
import { createProject, type TemporaryProject } from '../../temporaryProject.ts'
import { connect } from '../stage.ts'

const nobody = `0x${'44'.repeat(20)}`
const zeroHash = `0x${'00'.repeat(32)}`
const options = { frozen: true, tickInterval: 5 }

let project: TemporaryProject

beforeAll(() => {
  project = createProject('Token')
})
afterAll(() => project[Symbol.dispose]())

describe.each([
  ['first', [plugin, hardhatEthers]],
  ['last', [hardhatEthers, plugin]],
])('listed %s', (_place, plugins) => {
  let hre: HardhatRuntimeEnvironment

  beforeAll(async () => {
    hre = await createHardhatRuntimeEnvironment({ plugins }, {}, project.path)
  })

  /** A pre-confirmed token, of which `other` got 7 of 100. */
  async function stageOf(more: PendingNodeUserConfig = {}) {
    const connection = await connect(hre, { ...options, ...more })
    const { ethers } = connection
    const [owner, other] = await ethers.getSigners()
    if (owner === undefined || other === undefined) throw new Error('There are signers')
    const token = await ethers.deployContract('Token', [100n])
    const response = await token.getFunction('transfer').send(other.address, 7n)
    const receipt = await response.wait()
    if (receipt === null) throw new Error('wait() resolves with a receipt')
    const { provider } = ethers
    const address = await token.getAddress()
    return { connection, ethers, provider, owner, other, token, address, receipt }
  }

  test('signer: without the funds, the error says what there is and where the test sent', async () => {
    const stage = await stageOf()
    await using _connection = stage.connection
    const { owner, other } = stage
    for (const fields of [{}, { maxFeePerGas: 10n ** 10n }, { gasLimit: 21_000n }]) {
      const request = { to: other.address, value: 10n ** 30n, ...fields }
      const error: Error = await owner.sendTransaction(request).catch((error) => error)
      expect(error.message).toMatch(/^insufficient funds for .*: have \d+ want \d{31}$/)
      expect(error.stack).toContain('ethers.test.ts')
    }
  })

  test('provider: reads what is pre-confirmed', async () => {
    const stage = await stageOf()
    await using _connection = stage.connection
    const { provider, owner, token, address } = stage
    const read = async (block?: string) => ({
      balance: await provider.getBalance(nobody, block),
      count: await provider.getTransactionCount(owner, block),
      isDeployed: (await provider.getCode(address, block)) !== '0x',
      // The total supply.
      slot: BigInt(await provider.getStorage(address, 0, block)),
      call: await provider.call({
        to: address,
        data: token.interface.encodeFunctionData('totalSupply'),
        ...(block !== undefined && { blockTag: block }),
      }),
      logs: (await provider.getLogs({ address, fromBlock: 0, toBlock: block })).length,
    })
    await (await owner.sendTransaction({ to: nobody, value: 5n })).wait()
    const pending = {
      balance: 5n,
      count: 3,
      isDeployed: true,
      slot: 100n,
      call: toBeHex(100n, 32),
      logs: 2,
    }
    expect(await read()).toEqual(pending)
    expect(await read('pending')).toEqual(pending)
    const sealed = { balance: 0n, count: 0, isDeployed: false, slot: 0n, call: '0x', logs: 0 }
    expect(await read('latest')).toEqual(sealed)
    expect(await read('0x0')).toEqual(sealed)
    expect(await provider.getBlockNumber()).toBe(0)
    expect((await provider.getBlock('latest'))?.number).toBe(0)
    expect(await provider.getLogs({ blockHash: zeroHash, address })).toHaveLength(2)
  })

  test('signers and contracts: read what is pre-confirmed', async () => {
    const stage = await stageOf()
    await using _connection = stage.connection
    const { ethers, provider, owner, other, token, address } = stage
    expect(await owner.getNonce()).toBe(2)
    expect(await token.getFunction('balanceOf')(other.address)).toBe(7n)
    const contracts = [
      token,
      token.connect(provider),
      await ethers.getContractAt('Token', address),
      (await ethers.getContractFactory('Token', other)).attach(address),
      new BaseContract(address, token.interface, other),
    ]
    for (const contract of contracts) {
      expect(await contract.getFunction('totalSupply')()).toBe(100n)
      expect(await contract.queryFilter('Transfer')).toHaveLength(2)
      expect(await contract.queryFilter('Transfer', 0)).toHaveLength(2)
      expect(await contract.queryFilter('Transfer', 0, 'latest')).toHaveLength(0)
      const sealed = contract.getFunction('totalSupply').staticCall({ blockTag: 'latest' })
      await expect(sealed).rejects.toMatchObject({ code: 'BAD_DATA', value: '0x' })
    }
    // The second needs the allowance or balance that the first one gives.
    await (await token.getFunction('transfer').send(other.address, 93n)).wait()
    const spend = other.sendTransaction(
      await token.getFunction('transfer').populateTransaction(nobody, 100n),
    )
    expect(await (await spend).wait()).toMatchObject({ status: 1, blockNumber: 1 })
  })

  test('waitForTransaction: ends when a transaction is pre-confirmed', async () => {
    const { connection, provider, owner, receipt } = await stageOf()
    await using _connection = connection
    const waited = await provider.waitForTransaction(receipt.hash)
    expect(waited).toMatchObject({ hash: receipt.hash, blockNumber: 1, blockHash: zeroHash })
    // For a second confirmation, a transaction of the next block.
    const confirmed = provider.waitForTransaction(receipt.hash, 2)
    await connection.pendingNode.seal()
    await owner.sendTransaction({ to: nobody })
    const { hash } = (await provider.getBlock(1)) ?? {}
    expect(await confirmed).toMatchObject({ blockNumber: 1, blockHash: hash })
  })

  test.each([{ defaultBlock: 'latest' }, { instant: true, frozen: false }] as const)(
    'args: %j: reads the sealed state',
    async (more) => {
      await using connection = await connect(hre, { ...options, ...more })
      const { ethers, send } = connection
      const { provider } = ethers
      await connection.rpc('evm_setAutomine', false)
      const hash = await send({ to: nobody, value: '0x5' })
      if (!('instant' in more)) {
        await connection.pendingNode.preconfirmed(hash)
        expect(await provider.getBalance(nobody, 'pending')).toBe(5n)
      }
      expect(await provider.getBalance(nobody)).toBe(0n)
      const contract = new BaseContract(nobody, ['event None()'], provider)
      expect(await contract.queryFilter('*')).toEqual([])
      await connection.rpc('evm_mine')
      expect(await provider.getBalance(nobody)).toBe(5n)
    },
  )

  test("contracts on Hardhat's own network are left alone", async () => {
    const { ethers } = await hre.network.create('default')
    await ethers.provider.send('evm_setAutomine', [false])
    const token = await ethers.deployContract('Token', [100n])
    await ethers.provider.send('evm_mine', [])
    expect(await token.queryFilter('Transfer')).toHaveLength(1)
    await token.getFunction('transfer').send(nobody, 7n)
    expect(await token.getFunction('balanceOf')(nobody)).toBe(0n)
    expect(await token.queryFilter('Transfer')).toHaveLength(1)
  })

  test.each(['pending', 'instant'])('%s: signer.authorize', async (network) => {
    const phrase = 'candy maple cake sugar pudding cream honey rich smooth crumble sweet treat'
    for (const mnemonic of [undefined, phrase]) {
      const given = { tickInterval: 5, ...(mnemonic !== undefined && { mnemonic }) }
      await using connection = await connect(hre, given, { network })
      const { ethers } = connection
      const [sponsor, signer] = await ethers.getSigners()
      if (sponsor === undefined || signer === undefined) throw new Error('There are signers')
      const token = await ethers.deployContract('Token', [100n])
      const target = await token.getAddress()
      const authorization = await signer.authorize({ address: target })
      expect(authorization).toMatchObject({ address: target, nonce: 0n, chainId: 31337n })
      const authorizationList = [authorization]
      const response = await sponsor.sendTransaction({ type: 4, to: nobody, authorizationList })
      expect(await response.wait()).toMatchObject({ status: 1 })
      const delegated = `0xef0100${target.slice(2).toLowerCase()}`
      expect(await ethers.provider.getCode(signer)).toBe(delegated)
      // Each way to a signer.
      const { address } = signer
      const others = [
        await ethers.getSigner(address),
        await ethers.provider.getSigner(1),
        await ethers.getImpersonatedSigner(address),
        signer.connect(ethers.provider),
      ]
      for (const other of others) {
        expect(await other.authorize({ address: target })).toMatchObject({ nonce: 1n })
      }
      expect(others[0]).toEqual(others[1])
    }
  })

  test('an account without a key cannot authorize, but send', async () => {
    await using connection = await connect(hre, { tickInterval: 5 })
    const { ethers, rpc } = connection
    await rpc('hardhat_setBalance', nobody, '0xde0b6b3a7640000')
    const signer = await ethers.getImpersonatedSigner(nobody)
    await expect(signer.authorize({ address: nobody })).rejects.toThrow('remote accounts')
    const response = await signer.sendTransaction({ to: nobody })
    expect(await response.wait()).toMatchObject({ status: 1, from: signer.address })
  })
})
