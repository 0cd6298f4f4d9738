import { decodeFunctionResult, encodeFunctionData, type Hex, pad } from 'viem'
import { expect, test } from 'vitest'
import type { FormattedReceipt } from '../../../../devnet/json/receiptForm.ts'
import { START } from '../../../support/chain.ts'
import { artifact } from '../../../support/solidity.ts'
import { createRpcChain, hex } from './rpcChain.ts'

const { abi, bytecode } = artifact('Playground')

/** A playground sealed in block 1, with slot 7 set to 1 in it, and to 2 in the pending block. */
async function createPlayground() {
  const node = await createRpcChain()
  const { call, account } = node
  const from = account(0).address
  const encode = (functionName: string, ...args: unknown[]) =>
    encodeFunctionData({ abi, functionName, args })
  const creation = await call('eth_sendTransaction', { from, data: bytecode })
  await call('preconf_advance', { ticks: 1 })
  const receipt = await call<FormattedReceipt>('eth_getTransactionReceipt', creation)
  const to = receipt.contractAddress
  if (to === null) throw new Error('No contract was created')
  await call('eth_sendTransaction', { from, to, data: encode('store', 7n, 1n) })
  await call('preconf_advance', { blocks: 1 })
  await call('eth_sendTransaction', { from, to, data: encode('store', 7n, 2n) })
  await call('preconf_advance', { ticks: 1 })
  const read = (...rest: unknown[]) =>
    call<Hex>('eth_call', { to, data: encode('stored', 7n) }, ...rest)
  return { ...node, from, to, encode, read }
}

test('default: eth_call reads latest, and on pending what is pre-confirmed', async () => {
  const { read } = await createPlayground()
  expect(await read()).toBe(pad('0x1'))
  expect(await read('latest')).toBe(pad('0x1'))
  expect(await read('pending')).toBe(pad('0x2'))
  expect(await read('0x0')).toBe('0x')
  expect(await read({ blockNumber: '0x1' })).toBe(pad('0x1'))
})

test('code sees the block that it is called on', async () => {
  const { call, to, encode, chain } = await createPlayground()
  const environment = async (block: string) => {
    const data = await call<Hex>('eth_call', { to, data: encode('environment') }, block)
    // The contract's own declaration says that these are the first two.
    const [number, time] = decodeFunctionResult({
      abi,
      functionName: 'environment',
      data,
    }) as bigint[]
    return { number, time }
  }
  expect(await environment('latest')).toEqual({ number: 1n, time: BigInt(START + 2) })
  expect(await environment('pending')).toEqual({
    number: 2n,
    time: chain.pending.environment.timestamp,
  })
})

test('args: overrides', async () => {
  const { call, read, to, encode } = await createPlayground()
  expect(await read('latest', { [to]: { code: '0x602a60005260206000f3' } })).toBe(pad('0x2a'))
  const data = await call<Hex>(
    'eth_call',
    { to, data: encode('environment') },
    'latest',
    {},
    { number: '0x64' },
  )
  expect(data.slice(0, 66)).toBe(pad('0x64'))
})

test('reverts, in calls and estimates alike', async () => {
  const { failure, from, to, encode } = await createPlayground()
  const request = { from, to, data: encode('failWithReason', 'nope') }
  for (const method of ['eth_call', 'eth_estimateGas']) {
    expect(await failure(method, request)).toEqual({
      code: 3,
      message: 'execution reverted: nope',
      data: expect.stringMatching(/^0x08c379a0/),
    })
  }
})

test('default: eth_estimateGas runs on pending', async () => {
  const { call, from, account } = await createPlayground()
  expect(await call('eth_estimateGas', { from, to: account(1).address, value: '0x1' })).toBe(
    hex(21_000),
  )
  // What is gone in the pending block cannot be spent there.
  const pauper = account(5).address
  const all = await call<Hex>('eth_getBalance', pauper)
  const half = hex((BigInt(all) * 2n) / 3n)
  await call('eth_sendTransaction', { from: pauper, to: from, value: half })
  await call('preconf_advance', { ticks: 1 })
  const request = { from: pauper, to: from, value: half }
  expect(await call('eth_estimateGas', request, 'latest')).toBe(hex(21_000))
  await expect(call('eth_estimateGas', request)).rejects.toMatchObject({
    message: expect.stringContaining('insufficient funds'),
  })
})

test('args: unknown block', async () => {
  const { failure, to } = await createPlayground()
  for (const method of ['eth_call', 'eth_estimateGas']) {
    expect(await failure(method, { to }, '0x64')).toEqual({
      code: -32001,
      message: 'block not found: 0x64',
    })
  }
})
