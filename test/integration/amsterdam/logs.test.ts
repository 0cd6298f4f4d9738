import { Interface, JsonRpcProvider } from 'ethers'
import {
  encodeFunctionData,
  erc20Abi,
  getAbiItem,
  getAddress,
  getContractAddress,
  type Hex,
  parseEventLogs,
  toEventSelector,
  toHex,
} from 'viem'
import { expect, test } from 'vitest'
import { artifact } from '../../support/solidity.ts'
import { createStage, NOBODY, type Receipt, SYSTEM, underBoth } from './stage.ts'

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

const meter = artifact('Meter')
const token = artifact('Token')
const playground = artifact('Playground')
const metered = (functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi: meter.abi, functionName, args })

/** The transfers of ether among the logs of a receipt. */
const transfers = ({ logs }: Receipt) =>
  logs
    .filter(({ address }) => address === SYSTEM)
    .map(({ topics, data }) => ({ topics: topics.slice(1), wei: BigInt(data) }))

test('a transfer of ether emits Transfer, of the address 0xffff…fffe', async () => {
  const { bpo2, amsterdam } = await underBoth(async ({ send, account, other }) => {
    const { logs, logsBloom } = await send({ to: other, value: 5n })
    const named = logs.map(({ address, topics, data, logIndex }) => ({
      address,
      topics,
      data,
      logIndex,
    }))
    return { named, logsBloom, from: account.address, other }
  })
  expect(bpo2.named).toEqual([])
  expect(amsterdam.named).toEqual([
    {
      address: SYSTEM,
      topics: [TRANSFER, padded(amsterdam.from), padded(amsterdam.other)],
      data: toHex(5, { size: 32 }),
      logIndex: 0,
    },
  ])
  expect(BigInt(bpo2.logsBloom)).toBe(0n)
  expect(BigInt(amsterdam.logsBloom)).not.toBe(0n)
})

test('no ether, and ether to oneself, emit nothing', async () => {
  const { amsterdam } = await underBoth(async ({ send, account, other }) => [
    ...(await send({ to: other, value: 0n })).logs,
    ...(await send({ to: account.address, value: 1n })).logs,
  ])
  expect(amsterdam).toEqual([])
})

test('a transfer that fails emits nothing', async () => {
  await using stage = await createStage('amsterdam')
  const { status, logs } = await stage.send({ to: NOBODY, value: 1n, gas: 21_000n })
  expect({ status, logs }).toEqual({ status: 'reverted', logs: [] })
})

test('logs[0] of a payable call is the transfer, and the events of contracts are behind it', async () => {
  const emitted = await underBoth(async (stage) => {
    const coin = await stage.deploy('Token', { args: [0n] })
    const to = await stage.deploy('Vault', { args: [coin] })
    const data = encodeFunctionData({ abi: artifact('Vault').abi, functionName: 'deposit' })
    const { logs } = await stage.send({ to, data, value: 3n, gas: 1_000_000n })
    const names = new Map<string, string>([
      [SYSTEM, 'ether'],
      [coin, 'minted'],
      [to, 'Deposited'],
    ])
    return logs.map(({ address, logIndex }) => [names.get(address), logIndex])
  })
  expect(emitted).toEqual({
    bpo2: [
      ['minted', 0],
      ['Deposited', 1],
    ],
    amsterdam: [
      ['ether', 0],
      ['minted', 1],
      ['Deposited', 2],
    ],
  })
})

test('a contract that pays emits the transfer where it pays', async () => {
  const emitted = await underBoth(async (stage) => {
    const to = await stage.deploy('Meter', { value: 10n })
    const receipt = await stage.send({ to, data: metered('pay', stage.other), gas: 1_000_000n })
    return {
      order: receipt.logs.map(({ address }) => (address === SYSTEM ? 'ether' : 'event')),
      transfers: transfers(receipt).map(({ wei }) => wei),
    }
  })
  expect(emitted).toEqual({
    bpo2: { order: ['event'], transfers: [] },
    amsterdam: { order: ['ether', 'event'], transfers: [1n] },
  })
})

test('a deployment with ether, CREATE2 with ether and SELFDESTRUCT emit transfers', async () => {
  await using stage = await createStage('amsterdam')
  const { account, client } = stage
  const nonce = BigInt(await client.getTransactionCount({ address: account.address }))
  const made = getContractAddress({ from: account.address, nonce })
  const deployed = await stage.send({ data: meter.bytecode, value: 7n, gas: 5_000_000n })
  expect(transfers(deployed)).toEqual([
    { topics: [padded(account.address), padded(made)], wei: 7n },
  ])
  const to = await stage.deploy('Playground')
  const create = (heir: Hex) =>
    encodeFunctionData({ abi: playground.abi, functionName: 'create', args: [1n, heir] })
  const dying = await stage.send({ to, data: create(NOBODY), value: 2n, gas: 5_000_000n })
  const [paid, endowed, inherited, ...rest] = transfers(dying)
  expect(rest).toEqual([])
  expect([paid?.wei, endowed?.wei, inherited?.wei]).toEqual([2n, 2n, 2n])
  expect(paid?.topics).toEqual([padded(account.address), padded(to)])
  expect(endowed?.topics[0]).toBe(padded(to))
  expect(inherited?.topics).toEqual([endowed?.topics[1], padded(NOBODY)])
})

test('a parser of ERC-20 takes transfers of ether for those of a token at 0xffff…fffe', async () => {
  const read = await underBoth(async (stage) => {
    const { account, client, other } = stage
    const to = await stage.deploy('Token', { args: [100n] })
    const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [other, 4n] })
    const fromBlock = await client.getBlockNumber()
    const ether = await stage.send({ to: other, value: 9n })
    const tokens = await stage.send({ to, data, gas: 1_000_000n })
    const parsed = parseEventLogs({
      abi: erc20Abi,
      eventName: 'Transfer',
      logs: [...ether.logs, ...tokens.logs],
    })
    const range = { event: transferEvent, fromBlock: fromBlock + 1n, toBlock: 'latest' } as const
    const everywhere = await client.getLogs({ ...range, args: { from: account.address } })
    const ofToken = await client.getLogs({ ...range, address: to })
    return {
      parsed: parsed.map(({ args }) => args.value),
      everywhere: everywhere.map(({ args }) => args.value),
      ofToken: ofToken.map(({ args }) => args.value),
    }
  })
  expect(read).toEqual({
    bpo2: { parsed: [4n], everywhere: [4n], ofToken: [4n] },
    amsterdam: { parsed: [9n, 4n], everywhere: [9n, 4n], ofToken: [4n] },
  })
})

test('ethers reads them as logs of any contract', async () => {
  await using stage = await createStage('amsterdam')
  const { devnet, account, other } = stage
  const { transactionHash } = await stage.send({ to: other, value: 6n })
  const provider = new JsonRpcProvider(devnet.url)
  try {
    const receipt = await provider.getTransactionReceipt(transactionHash)
    const [log] = receipt?.logs ?? []
    if (log === undefined) throw new Error('There is a log')
    const erc20 = new Interface([
      'event Transfer(address indexed from, address indexed to, uint256 value)',
    ])
    expect(erc20.parseLog(log)?.args.toArray()).toEqual([account.address, getAddress(other), 6n])
    const found = await provider.getLogs({ address: SYSTEM, fromBlock: 0, toBlock: 'latest' })
    expect(found.map((one) => one.transactionHash)).toEqual([transactionHash])
  } finally {
    provider.destroy()
  }
})

const transferEvent = getAbiItem({ abi: erc20Abi, name: 'Transfer' })

/** As a topic. */
function padded(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}
