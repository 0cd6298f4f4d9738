// The types that the plugins add to a connection.
import hardhatViem from '@nomicfoundation/hardhat-viem'
import hardhatViemAssertions from '@nomicfoundation/hardhat-viem-assertions'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { publicActions } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import plugin from '../../../../plugin/index.ts'
import { createProject, type TemporaryProject } from '../../temporaryProject.ts'
import { connect } from '../stage.ts'

let project: TemporaryProject

beforeAll(() => {
  project = createProject('Token')
})
afterAll(() => project[Symbol.dispose]())

describe.each([
  ['first', [plugin, hardhatViem, hardhatViemAssertions]],
  ['last', [hardhatViem, hardhatViemAssertions, plugin]],
])('listed %s', (_place, plugins) => {
  let hre: HardhatRuntimeEnvironment

  beforeAll(async () => {
    hre = await createHardhatRuntimeEnvironment({ plugins }, {}, project.path)
  })

  test('getPublicClient: reads what is pre-confirmed', async () => {
    await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
    const { viem, pendingNode } = connection
    const client = await viem.getPublicClient()
    const [sender] = await viem.getWalletClients()
    const to = `0x${'44'.repeat(20)}` as const
    const hash = (await sender?.sendTransaction({ to, value: 5n })) ?? '0x'
    await pendingNode.preconfirmed(hash)
    expect(await client.getBalance({ address: to })).toBe(5n)
    expect(await client.getBalance({ address: to, blockTag: 'latest' })).toBe(0n)
    expect((await client.getBlock()).transactions).toEqual([hash])
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ blockNumber: 1n })
    expect((await viem.getTestClient()).mode).toBe('hardhat')
  })

  test('getPublicClient: reads of code, nonces and storage, which viem leaves at latest', async () => {
    await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
    const { viem } = connection
    const { address } = await viem.deployContract('Token', [100n])
    const [sender] = await viem.getWalletClients()
    const account = sender?.account.address ?? '0x'
    const client = await viem.getPublicClient()
    const extended = client.extend(() => ({ isMine: true })).extend(() => ({ isTwice: true }))
    const wallet = (await viem.getWalletClient(account)).extend(publicActions)
    const tester = (await viem.getTestClient()).extend(publicActions)
    for (const reader of [client, extended, sender?.extend(publicActions), wallet, tester]) {
      if (reader === undefined) throw new Error('There is a sender')
      expect(await reader.getBalance({ address: account })).toBeLessThan(10n ** 22n)
      const read = async (block: { blockTag?: 'latest' | 'pending' }) => ({
        code: (await reader.getCode({ address, ...block })) !== undefined,
        nonce: await reader.getTransactionCount({ address: account, ...block }),
        supply: BigInt((await reader.getStorageAt({ address, slot: '0x0', ...block })) ?? 0),
        transactions: await reader.getBlockTransactionCount(block),
        proof: BigInt(
          (await reader.getProof({ address: account, storageKeys: [], ...block })).nonce,
        ),
      })
      const pending = { code: true, nonce: 1, supply: 100n, transactions: 1, proof: 1n }
      expect(await read({})).toEqual(pending)
      expect(await read({ blockTag: 'pending' })).toEqual(pending)
      const sealed = { code: false, nonce: 0, supply: 0n, transactions: 0, proof: 0n }
      expect(await read({ blockTag: 'latest' })).toEqual(sealed)
      expect(await reader.getCode({ address, blockNumber: 0n })).toBeUndefined()
    }
    const latest = await viem.getPublicClient({ experimental_blockTag: 'latest' })
    expect(await latest.getTransactionCount({ address: account })).toBe(0)
  })

  test("args: experimental_blockTag: 'latest'", async () => {
    await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
    const { viem, send, pendingNode } = connection
    const to = `0x${'44'.repeat(20)}` as const
    await pendingNode.preconfirmed(await send({ to, value: '0x5' }))
    const client = await viem.getPublicClient({ experimental_blockTag: 'latest' })
    expect(await client.getBalance({ address: to })).toBe(0n)
  })

  test("args: defaultBlock: 'latest'", async () => {
    const options = { frozen: true, tickInterval: 5, defaultBlock: 'latest' } as const
    await using connection = await connect(hre, options)
    const { viem, pendingNode } = connection
    const token = await viem.deployContract('Token', [100n])
    await expect(token.read.totalSupply?.()).rejects.toThrow('returned no data')
    const read = await viem.getContractAt('Token', token.address)
    await expect(read.read.totalSupply?.()).rejects.toThrow('returned no data')
    await pendingNode.seal()
    expect(await read.read.totalSupply?.()).toBe(100n)
  })

  test('contracts read what is pre-confirmed', async () => {
    await using connection = await connect(hre, { frozen: true, tickInterval: 5 })
    const { viem, pendingNode } = connection
    const token = await viem.deployContract('Token', [100n])
    const [, other] = await viem.getWalletClients()
    const to = other?.account.address ?? '0x'
    const hash = (await token.write.transfer?.([to, 7n])) ?? '0x'
    await viem.assertions.emit(Promise.resolve(hash), token, 'Transfer')
    expect(await token.read.balanceOf?.([to])).toBe(7n)
    const same = await viem.getContractAt('Token', token.address)
    expect(await same.read.balanceOf?.([to])).toBe(7n)
    expect((await pendingNode.status()).latest.number).toBe(0)
    const client = await viem.getPublicClient({ experimental_blockTag: 'latest' })
    const sealed = await viem.getContractAt('Token', token.address, { client: { public: client } })
    await expect(sealed.read.balanceOf?.([to])).rejects.toThrow('returned no data')
  })

  test('instant mode and other networks read latest', async () => {
    await using connection = await connect(hre, { instant: true })
    expect((await (await connection.viem.getPublicClient()).getBlock()).number).toBe(0n)
    const { viem } = await hre.network.create('default')
    expect((await (await viem.getPublicClient()).getBlock()).number).toBe(0n)
  })
})
