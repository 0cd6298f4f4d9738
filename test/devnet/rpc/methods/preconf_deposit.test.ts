import {
  decodeFunctionResult,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  toHex,
} from 'viem'
import { expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { opStackProfiles } from '../../../../devnet/options/profileTable.ts'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { fastLzLength } from '../../../../devnet/protocol/rollup/fastLz.ts'
import { l1Fee, l1FeeTerms } from '../../../../devnet/protocol/rollup/l1Fee.ts'
import { Random } from '../../../support/random.ts'
import { createRpcChain } from './rpcChain.ts'

const L1_USER: Hex = `0x${'ab'.repeat(20)}`
const ETHER = 10n ** 18n
const BASE_FEE_VAULT = '0x4200000000000000000000000000000000000019'
const L1_FEE_VAULT = '0x420000000000000000000000000000000000001a'
const OPERATOR_FEE_VAULT = '0x420000000000000000000000000000000000001b'
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f'
const ORACLE_ABI = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])
const L1_BLOCK = '0x4200000000000000000000000000000000000015'

/** Stores 42 at slot 0, then reverts if there is calldata. */
const STORES = '0x602a5f5536600957005b5f5ffd'

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly contractAddress: Hex | null
  readonly l1Fee?: Hex
  readonly l1GasUsed?: Hex
  readonly operatorFeeScalar?: Hex
}

/** A chain of the OP Stack whose clocks stand still. */
async function createRollup(options: OptionsInput = {}) {
  const node = await createRpcChain({ profile: 'base-flashblocks', ...options })
  const { call } = node
  const [alice, bob] = [node.account(0).address, node.account(1).address]
  return {
    ...node,
    alice,
    bob,
    deposit: (fields: object) => call<Hex>('preconf_deposit', fields),
    send: (fields: object) => call<Hex>('eth_sendTransaction', { from: alice, to: bob, ...fields }),
    tick: () => call('preconf_advance', { ticks: 1 }),
    receipt: (hash: Hex) => call<Receipt>('eth_getTransactionReceipt', hash),
    balance: async (address: string, block = 'pending') =>
      BigInt(await call<Hex>('eth_getBalance', address, block)),
    nonce: (address: string) => call('eth_getTransactionCount', address, 'pending'),
  }
}

const ENGINES = ['fast', 'library'] as const

test.each(ENGINES)('a deposit mints, and costs no fee (%s)', async (engine) => {
  const { alice, bob, call, deposit, tick, receipt, balance, nonce } = await createRollup({
    engine,
  })
  const before = await balance(bob)
  const hash = await deposit({
    from: L1_USER,
    to: bob,
    mint: toHex(5n * ETHER),
    value: toHex(ETHER),
  })
  expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
  await tick()
  expect(await receipt(hash)).toMatchObject({
    type: '0x7e',
    status: '0x1',
    from: L1_USER,
    gasUsed: '0x5208',
    effectiveGasPrice: '0x0',
    transactionIndex: '0x1',
    depositNonce: '0x0',
    depositReceiptVersion: '0x1',
  })
  expect(await receipt(hash)).not.toHaveProperty('l1Fee')
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({
    type: '0x7e',
    mint: toHex(5n * ETHER),
    value: toHex(ETHER),
    nonce: '0x0',
    gasPrice: '0x0',
    v: '0x0',
    r: '0x0',
    s: '0x0',
    sourceHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect([await balance(L1_USER), (await balance(bob)) - before]).toEqual([4n * ETHER, ETHER])
  expect([await nonce(L1_USER), await nonce(alice)]).toEqual(['0x1', '0x0'])
})

test.each(ENGINES)('a deposit that fails keeps what it mints (%s)', async (engine) => {
  const { bob, call, deposit, tick, receipt, balance, nonce } = await createRollup({ engine })
  const contract: Hex = `0x${'c0'.repeat(20)}`
  await call('hardhat_setCode', contract, STORES)
  const from = L1_USER
  const reverted = await deposit({ from, to: contract, mint: '0x5', value: '0x3', data: '0x01' })
  const poor = await deposit({ from, to: bob, mint: '0x7', value: toHex(ETHER) })
  const short = await deposit({ from, to: bob, mint: '0x9', gas: '0x5207' })
  const stored = await deposit({ from, to: contract, value: '0x2' })
  await tick()
  const outcomes = await Promise.all([reverted, poor, short, stored].map(receipt))
  expect(outcomes.map(({ status }) => status)).toEqual(['0x0', '0x0', '0x0', '0x1'])
  // What does not begin has used all of its gas.
  expect(outcomes.slice(1, 3).map(({ gasUsed }) => gasUsed)).toEqual([toHex(1_000_000), '0x5207'])
  expect(Number(outcomes[0]?.gasUsed)).toBeLessThan(100_000)
  expect([await balance(from), await balance(contract)]).toEqual([5n + 7n + 9n - 2n, 2n])
  expect(await nonce(from)).toBe('0x4')
  const traces = await call('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' })
  expect(traces).toMatchObject([
    { result: { to: L1_BLOCK } },
    { result: { error: 'execution reverted' } },
    { result: { error: 'insufficient balance for transfer', gasUsed: toHex(1_000_000) } },
    { result: { error: 'intrinsic gas too low' } },
    { result: { type: 'CALL', to: contract } },
  ])
})

test.each(ENGINES)(
  'a deposit creates a contract, and its sender may be one (%s)',
  async (engine) => {
    const { call, deposit, tick, receipt } = await createRollup({ engine })
    await call('hardhat_setCode', L1_USER, STORES)
    await call('hardhat_setNonce', L1_USER, '0x7')
    const hash = await deposit({ from: L1_USER, data: '0x6001600c60003960016000f300' })
    await tick()
    const contractAddress = getContractAddress({ from: L1_USER, nonce: 7n }).toLowerCase()
    expect(await receipt(hash)).toMatchObject({
      status: '0x1',
      contractAddress,
      depositNonce: '0x7',
    })
    await call('preconf_seal')
    expect(await call('eth_getCode', contractAddress)).toBe('0x00')
  },
)

test('deposits keep the order of arrival, and make nonces signed before them stale', async () => {
  const { alice, bob, call, deposit, send, tick } = await createRollup({ order: 'fifo' })
  const first = await send({ nonce: '0x0' })
  const between = await deposit({ from: alice, to: bob, value: '0x1' })
  const late = await send({ nonce: '0x1' })
  await tick()
  const { transactions } = await call<{ transactions: Hex[] }>(
    'eth_getBlockByNumber',
    'pending',
    false,
  )
  expect(transactions.slice(1)).toEqual([first, between])
  const { dropped } = await call<{ dropped: object[] }>('preconf_status')
  expect(dropped).toMatchObject([{ hash: late, reason: 'nonce too low: next nonce 2, tx nonce 1' }])
})

test('with the order by fees, deposits come first', async () => {
  const { bob, call, deposit, send, tick } = await createRollup({ order: 'fees' })
  const paid = await send({
    maxFeePerGas: toHex(10n ** 11n),
    maxPriorityFeePerGas: toHex(10n ** 10n),
  })
  const free = await deposit({ from: L1_USER, to: bob, mint: '0x1' })
  await tick()
  const { transactions } = await call<{ transactions: Hex[] }>(
    'eth_getBlockByNumber',
    'pending',
    false,
  )
  expect(transactions.slice(1)).toEqual([free, paid])
})

test('equal deposits get different hashes, also after a drop', async () => {
  const { bob, call, deposit, tick } = await createRollup()
  const make = () => deposit({ from: L1_USER, to: bob, mint: '0x1' })
  const [first, second] = [await make(), await make()]
  await tick()
  const third = await make()
  await call('hardhat_dropTransaction', first)
  const fourth = await make()
  await tick()
  expect(new Set([first, second, third, fourth]).size).toBe(4)
  expect(await call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x4')
})

test('what stood behind a dropped deposit runs again, with its own nonce', async () => {
  const { bob, call, deposit, receipt, tick } = await createRollup()
  const first = await deposit({ from: L1_USER, to: bob, mint: '0x1' })
  const second = await deposit({ from: L1_USER, to: bob, mint: '0x1' })
  await tick()
  expect(await receipt(second)).toMatchObject({ depositNonce: '0x1', transactionIndex: '0x2' })
  await call('hardhat_dropTransaction', first)
  expect(await receipt(second)).toMatchObject({ depositNonce: '0x0', transactionIndex: '0x1' })
})

test.each(ENGINES)('senders pay for L1, and no fee is burned (%s)', async (engine) => {
  const { alice, bob, call, send, tick, receipt, balance } = await createRollup({ engine })
  // Scalar 2 and constant 1000 of the operator.
  await call(
    'hardhat_setStorageAt',
    L1_BLOCK,
    '0x8',
    toHex((2_000_000n << 64n) | 1000n, { size: 32 }),
  )
  const coinbase = await call<string>('eth_coinbase')
  const people = [alice, bob, coinbase, BASE_FEE_VAULT, L1_FEE_VAULT, OPERATOR_FEE_VAULT]
  const balances = () => Promise.all(people.map((one) => balance(one)))
  const before = await balances()
  const hash = await send({ value: '0x64', gas: '0x7530' })
  await tick()
  const { gasUsed, effectiveGasPrice, ...rest } = await receipt(hash)
  const after = await balances()
  const { baseFeePerGas } = await call<{ baseFeePerGas: Hex }>(
    'eth_getBlockByNumber',
    'pending',
    false,
  )
  const fee = BigInt(rest.l1Fee ?? 0)
  const gas = BigInt(gasUsed)
  const gasFee = gas * BigInt(effectiveGasPrice)
  const burnt = gas * BigInt(baseFeePerGas)
  const operator = 2n * gas + 1000n
  expect(fee).toBeGreaterThan(0n)
  expect(after.map((one, index) => one - (before[index] ?? 0n))).toEqual([
    -100n - gasFee - fee - operator,
    100n,
    gasFee - burnt,
    burnt,
    fee,
    operator,
  ])
  expect(rest).toMatchObject({
    l1GasPrice: toHex(10n ** 10n),
    l1BlobBaseFee: toHex(10n ** 10n),
    l1BaseFeeScalar: toHex(5227),
    l1BlobBaseFeeScalar: toHex(1_014_213),
    operatorFeeScalar: toHex(2_000_000),
    operatorFeeConstant: toHex(1000),
  })
})

test('L1 fees are those of the GasPriceOracle', async () => {
  const { call, chain, send, tick, receipt } = await createRollup()
  const oracle = async (functionName: 'getL1Fee', data: Hex) => {
    const request = encodeFunctionData({ abi: ORACLE_ABI, functionName, args: [data] })
    const output = await call<Hex>('eth_call', {
      to: GAS_PRICE_ORACLE,
      data: request,
    })
    return decodeFunctionResult({ abi: ORACLE_ABI, functionName, data: output })
  }
  const random = new Random(3)
  for (const length of [0, 10, 100, 300, 1000, 3000]) {
    const bytes = Uint8Array.from({ length }, () => random.below(random.pick([2, 256])))
    const { fee } = l1Fee(l1FeeTerms(chain.pending.state), fastLzLength(bytes) + 68)
    // The oracle adds room for a signature.
    expect(fee).toBe(await oracle('getL1Fee', toHex(bytes)))
  }
  const hash = await send({
    data: toHex(Uint8Array.from({ length: 500 }, () => random.below(256))),
  })
  await tick()
  const raw = await call<Hex>('debug_getRawTransaction', hash)
  const { fee, gasUsed } = l1Fee(l1FeeTerms(chain.pending.state), fastLzLength(fromHex(raw)))
  expect(await receipt(hash)).toMatchObject({ l1Fee: toHex(fee), l1GasUsed: toHex(gasUsed) })
})

test('a sender must own the L1 fee, too', async () => {
  const { alice, call, failure } = await createRollup()
  const gasPrice = toHex(2n * 10n ** 9n)
  await call('hardhat_setBalance', alice, toHex(21_000n * 2n * 10n ** 9n))
  const request = { from: alice, to: L1_USER, gas: '0x5208', gasPrice }
  expect(await failure('eth_sendTransaction', request)).toMatchObject({
    code: -32003,
    message: expect.stringMatching(
      /^insufficient funds for gas \* price \+ value: have 42000000000000 want 43/,
    ),
  })
})

test('each block opens with what is known of L1, which goes on with time', async () => {
  const { call, tick, send } = await createRollup({ timestamp: 1_800_000_000 })
  const l1 = async () => {
    const [place, fees] = await Promise.all(
      ['0x0', '0x3'].map((slot) => call<Hex>('eth_getStorageAt', L1_BLOCK, slot)),
    )
    const words = Buffer.from(`${place}`.slice(2), 'hex')
    return {
      number: words.readBigUInt64BE(24),
      time: words.readBigUInt64BE(16),
      sequence: BigInt(fees ?? 0) & (2n ** 64n - 1n),
    }
  }
  expect(await l1()).toEqual({ number: 1n, time: 1_800_000_000n, sequence: 0n })
  // That deposit is the first transaction of the pending block, whatever else comes.
  await tick()
  expect(await call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1')
  expect(await call('eth_getBlockByNumber', 'pending', false)).toMatchObject({ number: '0x1' })
  await call('preconf_seal')
  expect(await call('eth_getBlockTransactionCountByNumber', 'latest')).toBe('0x1')
  expect(await l1()).toEqual({ number: 1n, time: 1_800_000_000n, sequence: 1n })
  await send({})
  await call('evm_increaseTime', '0x19')
  await call('preconf_seal')
  expect(await l1()).toEqual({ number: 3n, time: 1_800_000_024n, sequence: 0n })
  const { transactions } = await call<{ transactions: object[] }>(
    'eth_getBlockByNumber',
    'latest',
    true,
  )
  expect(transactions).toMatchObject([
    { type: '0x7e', from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001', to: L1_BLOCK },
  ])
})

test('prices of L1 that a cheat sets last', async () => {
  const { call, send, tick, receipt } = await createRollup()
  await call('hardhat_setStorageAt', L1_BLOCK, '0x1', toHex(7n, { size: 32 }))
  await call('hardhat_setStorageAt', L1_BLOCK, '0x7', toHex(0n, { size: 32 }))
  await call('preconf_seal')
  const hash = await send({})
  await tick()
  expect(await receipt(hash)).toMatchObject({
    l1GasPrice: '0x7',
    l1BlobBaseFee: '0x0',
    l1Fee: '0x3a',
  })
})

test('error: chains that are not of the OP Stack have no deposits', async () => {
  const { failure } = await createRpcChain()
  expect(await failure('preconf_deposit', { to: L1_USER })).toEqual({
    code: -32000,
    message: `only a chain of the OP Stack has deposits: start the node with --profile ${opStackProfiles()}`,
  })
  expect(opStackProfiles()).toMatch(/^(?:[\w-]+, )+or megaeth$/)
})

test('error: what is wrong with a deposit is said', async () => {
  const { bob, call, deposit, failure, tick } = await createRollup()
  const refusal = (fields: object) => failure('preconf_deposit', fields)
  expect(await refusal({ to: bob, mint: toHex(2n ** 128n) })).toMatchObject({ code: -32602 })
  expect(await refusal({ to: bob, gasPrice: '0x1' })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('unknown field "gasPrice"'),
  })
  expect(await refusal({})).toEqual({
    code: -32000,
    message: 'contract creation without any data provided',
  })
  expect(await refusal({ to: bob, gas: toHex(10n ** 9n) })).toMatchObject({
    message: expect.stringContaining('exceeds block gas limit: tx gas 1000000000'),
  })
  const sourceHash = toHex(1n, { size: 32 })
  const hash = await deposit({ to: bob, sourceHash })
  expect(await refusal({ to: bob, sourceHash })).toEqual({
    code: -32000,
    message: 'already known; it waits in the mempool for a tick, and ticks are frozen',
  })
  await tick()
  const raw = await call<Hex>('debug_getRawTransaction', hash)
  expect(await failure('eth_sendRawTransaction', raw)).toEqual({
    code: -32003,
    message:
      'transaction type not supported: a deposit comes from L1; make one with preconf_deposit',
  })
})

test('a reorganisation lets deposits wait again, but opens its blocks anew', async () => {
  const { bob, call, deposit, receipt, tick } = await createRollup()
  const sealed = await deposit({ from: L1_USER, to: bob, mint: '0x1' })
  await call('preconf_seal')
  const pending = await deposit({ from: L1_USER, to: bob, mint: '0x2' })
  await tick()
  await call('anvil_rollback', '0x1')
  await tick()
  const { transactions } = await call<{ transactions: { hash: Hex; to: Hex }[] }>(
    'eth_getBlockByNumber',
    'pending',
    true,
  )
  expect(transactions.map(({ to }) => to)).toEqual([L1_BLOCK, bob, bob])
  expect(transactions.slice(1).map(({ hash }) => hash)).toEqual([sealed, pending])
  expect(await receipt(pending)).toMatchObject({ blockNumber: '0x1', depositNonce: '0x1' })
})
