import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain } from './rpcChain.ts'

const BITS_64 = `0x${'f'.repeat(16)}`
const BITS_256 = `0x${'f'.repeat(64)}`
const OTHER: Hex = `0x${'ab'.repeat(20)}`

type Request = readonly [method: string, ...params: unknown[]]

/** Requests in a row, each with the largest values that its fields take: sums of them do not fit. */
const ROWS: readonly (readonly [string, (me: Hex) => readonly Request[]])[] = [
  [
    'a tip without a cap',
    (from) =>
      ['eth_sendTransaction', 'eth_signTransaction', 'eth_fillTransaction', 'eth_estimateGas'].map(
        (method) => [
          method,
          { from, to: OTHER, gas: '0x5208', nonce: '0x0', maxPriorityFeePerGas: BITS_256 },
        ],
      ),
  ],
  [
    'prices and values',
    (from) => [
      ['eth_sendTransaction', { from, to: OTHER, gasPrice: BITS_256, gas: '0xffffff' }],
      ['eth_call', { from, to: OTHER, gasPrice: BITS_256, value: BITS_256 }],
      ['eth_sendTransaction', { from, to: OTHER, value: BITS_256 }],
      ['eth_estimateGas', { from, to: OTHER, value: BITS_256 }],
    ],
  ],
  [
    'a base fee',
    (from) => [
      ['hardhat_setNextBlockBaseFeePerGas', BITS_256],
      ['eth_sendTransaction', { from, to: OTHER }],
      ['eth_fillTransaction', { from, to: OTHER, gas: '0x5208' }],
      ['eth_gasPrice'],
      ['eth_feeHistory', '0x2', 'pending', [50]],
      ['evm_mine'],
      ['eth_getBlockByNumber', 'pending', true],
      ['evm_mine'],
    ],
  ],
  [
    'simulated blocks',
    (from) =>
      [
        { baseFeePerGas: BITS_256 },
        { blobBaseFee: BITS_256 },
        { gasLimit: BITS_64 },
        { time: BITS_64 },
        { number: BITS_64 },
        { number: BITS_256 },
      ].map((blockOverrides) => [
        'eth_simulateV1',
        {
          blockStateCalls: [{ blockOverrides, calls: [{ from, to: OTHER }] }, { calls: [] }],
        },
        'latest',
      ]),
  ],
  [
    'balances',
    (from) => [
      ['hardhat_setBalance', OTHER, BITS_256],
      ['hardhat_addBalance', OTHER, BITS_256],
      ['hardhat_setCoinbase', OTHER],
      ['eth_sendTransaction', { from, to: OTHER, value: '0x1' }],
      ['evm_mine'],
      ['eth_getBalance', OTHER, 'latest'],
    ],
  ],
  [
    'nonces',
    (from) => [
      ['eth_sendTransaction', { from, to: OTHER, nonce: BITS_64 }],
      ['hardhat_setNonce', from, BITS_64],
      ['eth_sendTransaction', { from, to: OTHER }],
      ['eth_call', { from, data: '0x00' }],
      ['evm_mine'],
      ['eth_getTransactionCount', from, 'pending'],
    ],
  ],
  [
    'times and numbers',
    () => [
      ['evm_increaseTime', BITS_64],
      ['evm_setTime', BITS_64],
      ['hardhat_mine', BITS_64],
      ['hardhat_mine', '0xa', BITS_64],
      ['evm_setNextBlockTimestamp', 8_640_000_000_000],
      ['evm_mine'],
      ['evm_increaseTime', 1],
      ['evm_mine'],
      ['eth_getBlockByNumber', 'pending', false],
    ],
  ],
]

describe.each([false, true])('instant: %s', (instant) => {
  test.each(ROWS)('%s: an answer or a sentence, and the node goes on', async (_, requests) => {
    const node = await createRpcChain({ instant })
    const me = node.account(0).address
    for (const [method, ...params] of requests(me)) {
      const code = await node.call(method, ...params).then(
        () => 0,
        (error: { code?: number }) => error.code,
      )
      expect(code, method).not.toBe(-32603)
      expect(code, method).toBeTypeOf('number')
    }
    expect(await node.call('eth_blockNumber')).toMatch(/^0x/)
  })
})

test('a simulated number of more than 64 bits is over the limit of the client', async () => {
  const { failure } = await createRpcChain()
  const blockStateCalls = [{ blockOverrides: { number: '0x10000000000000000' } }]
  expect(await failure('eth_simulateV1', { blockStateCalls }, 'latest')).toMatchObject({
    code: -38026,
    message: 'too many blocks',
  })
})

test('commands take 0x as 0, and reads do not', async () => {
  const { call, failure } = await createRpcChain()
  for (const method of ['hardhat_setBalance', 'anvil_setBalance', 'tenderly_setBalance']) {
    await call('hardhat_setBalance', OTHER, '0x5')
    await call(method, OTHER, '0x')
    expect(await call('eth_getBalance', OTHER, 'latest')).toBe('0x0')
  }
  await call('hardhat_setNonce', OTHER, '0x')
  await call('evm_increaseTime', '0x')
  expect(await failure('eth_getBlockByNumber', '0x', false)).toMatchObject({ code: -32602 })
})

test('beside a type, an empty access list asks for nothing', async () => {
  const { call, failure, account } = await createRpcChain()
  const request = { from: account(0).address, to: OTHER, accessList: [], gas: '0x5208' }
  const hash = await call('eth_sendTransaction', { ...request, type: '0x0' })
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ type: '0x0' })
  const accessList = [{ address: OTHER, storageKeys: [] }]
  expect(await failure('eth_sendTransaction', { ...request, accessList, type: '0x0' })).toEqual({
    code: -32602,
    message: 'a transaction of type 0 has no accessList',
  })
})

test.each([true, false])(
  'a sent transaction as a call, with the option anvil: %s',
  async (anvil) => {
    const { call, account } = await createRpcChain({ anvil })
    const hash = await call('eth_sendTransaction', { from: account(0).address, to: OTHER })
    await call('evm_mine')
    const sent = await call<object>('eth_getTransactionByHash', hash)
    const code = await call('eth_call', sent, 'latest').then(
      () => 0,
      (error: { code?: number }) => error.code,
    )
    // anvil leaves out the gas price, which such a transaction has beside its caps.
    expect(code).toBe(anvil ? 0 : -32000)
  },
)

test('eth_networkId is net_version', async () => {
  const { call } = await createRpcChain()
  expect(await call('eth_networkId')).toBe(await call('net_version'))
})
