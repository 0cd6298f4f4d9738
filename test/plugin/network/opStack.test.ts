// The types that the plugin adds to a connection.
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { parseEther, parseGwei } from 'viem'
import { optimism } from 'viem/chains'
import { getWithdrawalHashStorageSlot, getWithdrawals } from 'viem/op-stack'
import { beforeAll, expect, test } from 'vitest'
import plugin, { pendingNode } from '../../../plugin/index.ts'

const MESSAGE_PASSER = '0x4200000000000000000000000000000000000016'
const TO = `0x${'44'.repeat(20)}` as const

let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  hre = await createHardhatRuntimeEnvironment({
    plugins: [plugin, hardhatViem],
    networks: { rollup: { ...pendingNode({ frozen: true, tickInterval: 5 }), chainType: 'op' } },
  })
})

const open = () => hre.network.create({ network: 'rollup', chainType: 'op' })

test('chain type op takes the profile optimism', async () => {
  await using connection = await open()
  expect(connection.chainType).toBe('op')
  expect(await connection.pendingNode.status()).toMatchObject({ profile: 'optimism' })
})

test('a public client of viem estimates fees of L1', async () => {
  await using connection = await open()
  const { viem } = connection
  const client = await viem.getPublicClient()
  const [sender] = await viem.getWalletClients()
  const account = sender?.account.address ?? '0x'
  const request = { account, to: TO, value: 1n, data: '0x1234' as const }
  const [fee, gas, baseFee, operatorFee, total] = [
    await client.estimateL1Fee(request),
    await client.estimateL1Gas(request),
    await client.getL1BaseFee(),
    await client.estimateOperatorFee(request),
    await client.estimateTotalFee(request),
  ]
  expect([gas, baseFee, operatorFee]).toEqual([1600n, parseGwei('10'), 0n])
  expect(total).toBeGreaterThan(fee)
  const hash = (await sender?.sendTransaction(request)) ?? '0x'
  await connection.pendingNode.preconfirmed(hash)
  const formatting = await viem.getPublicClient({ chain: { ...optimism, id: 31337 } })
  const receipt = await formatting.getTransactionReceipt({ hash })
  expect(receipt).toMatchObject({ l1Fee: fee, l1GasUsed: gas, l1GasPrice: baseFee })
})

test('viem formats deposits, and the block that they open', async () => {
  await using connection = await open()
  // Hardhat's own chain has the contracts of the OP Stack, but does not format its transactions.
  const client = await connection.viem.getPublicClient({ chain: { ...optimism, id: 31337 } })
  const mint = parseEther('2')
  const hash = (await connection.provider.request({
    method: 'preconf_deposit',
    params: [{ from: TO, to: TO, mint: `0x${mint.toString(16)}` }],
  })) as `0x${string}` // as the node's reference says
  await connection.pendingNode.preconfirmed(hash)
  const transaction = await client.getTransaction({ hash })
  expect(transaction).toMatchObject({ type: 'deposit', mint, from: TO })
  await connection.pendingNode.seal()
  const { transactions } = await client.getBlock({ blockTag: 'latest', includeTransactions: true })
  expect(transactions.map(({ type }) => type)).toEqual(['deposit', 'deposit'])
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ depositReceiptVersion: 1 })
})

test('a withdrawal can be proved by the storage of the message passer', async () => {
  await using connection = await open()
  const { viem, pendingNode: node } = connection
  const client = await viem.getPublicClient()
  const [sender] = await viem.getWalletClients()
  const request = { to: TO, value: 7n, gas: 21_000n }
  const hash = await sender?.initiateWithdrawal({ request })
  if (hash === undefined) throw new Error('no account')
  await node.preconfirmed(hash)
  await node.seal()
  const receipt = await client.getTransactionReceipt({ hash })
  const [withdrawal] = getWithdrawals({ logs: receipt.logs })
  expect(withdrawal).toMatchObject({ nonce: 1n << 240n, target: TO, value: 7n })
  const slot = getWithdrawalHashStorageSlot({ withdrawalHash: withdrawal?.withdrawalHash ?? '0x' })
  const proof = await client.getProof({
    address: MESSAGE_PASSER,
    storageKeys: [slot],
    blockNumber: receipt.blockNumber,
  })
  expect(proof.balance).toBe(7n)
  expect(proof.storageProof).toMatchObject([{ key: slot, value: 1n }])
  expect(proof.storageProof[0]?.proof.length).toBeGreaterThan(0)
})
