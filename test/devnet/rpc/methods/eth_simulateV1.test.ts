import { type Hex, pad } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { START } from '../../../support/chain.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

const CODE = '0x00000000000000000000000000000000c0de0001'
const POOR = '0x00000000000000000000000000000000000000dd'
const SHA256 = '0x0000000000000000000000000000000000000002'
const word = (value: bigint | number) => pad(hex(value))

/** Code that returns the word which `code` leaves on the stack. */
const returning = (code: string) => `0x${code}5f5260205ff3`

interface Block {
  readonly number: Hex
  readonly parentHash: Hex
  readonly hash: Hex
  readonly transactions: readonly unknown[]
  readonly calls: readonly { readonly returnData: Hex; readonly status: Hex }[]
}

let own: RpcChain
const simulate = (payload: unknown, ...block: unknown[]) =>
  own.call<Block[]>('eth_simulateV1', payload, ...block)

/** A chain of three sealed blocks. */
beforeEach(async () => {
  own = await createRpcChain()
  await own.call('preconf_advance', { blocks: 3 })
})

describe('block', () => {
  const empty = { blockStateCalls: [{}] }

  test.each<[string, (hashOf: (number: number) => Hex) => unknown[], number]>([
    ['nothing: latest', () => [], 3],
    ['null: latest', () => [null], 3],
    ['latest', () => ['latest'], 3],
    ['safe', () => ['safe'], 3],
    ['finalized', () => ['finalized'], 3],
    ['earliest', () => ['earliest'], 0],
    // The newest sealed block, with the pre-confirmed state laid under.
    ['pending', () => ['pending'], 3],
    ['a number', () => ['0x1'], 1],
    ['a hash', (hashOf) => [hashOf(2)], 2],
    ['EIP-1898, a number', () => [{ blockNumber: '0x1' }], 1],
    ['EIP-1898, a hash', (hashOf) => [{ blockHash: hashOf(2) }], 2],
    [
      'EIP-1898, a canonical hash',
      (hashOf) => [{ blockHash: hashOf(2), requireCanonical: true }],
      2,
    ],
  ])('args: %s', async (_, parameters, base) => {
    const hashOf = (number: number) => own.chain.history.byNumber(number)?.hash ?? '0x'
    const [block] = await simulate(empty, ...parameters(hashOf))
    expect(block).toMatchObject({ number: hex(base + 1), parentHash: hashOf(base) })
  })
})

describe('payload', () => {
  test('unknown keys are ignored', async () => {
    const plain = { blockStateCalls: [{ blockOverrides: {}, calls: [{ to: POOR }] }] }
    const more = {
      extra: 1,
      blockStateCalls: [
        { extra: [], blockOverrides: { extra: {} }, calls: [{ to: POOR, extra: 'x' }] },
      ],
    }
    expect(await simulate(more)).toEqual(await simulate(plain))
  })

  test('an unknown key in the override of an account is refused', async () => {
    // Whoever writes "storage" means to change it; as in alloy, and so in reth, Base and anvil.
    const stateOverrides = { [CODE]: { storage: { '0x0': word(1) } } }
    await expect(simulate({ blockStateCalls: [{ stateOverrides }] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('unknown field "storage"'),
    })
  })

  test('null is absent, and so is false', async () => {
    const nothing = { blockOverrides: null, stateOverrides: null, calls: null }
    const flags = { traceTransfers: null, validation: null, returnFullTransactions: null }
    const plain = await simulate({ blockStateCalls: [{}] })
    expect(await simulate({ blockStateCalls: [nothing], ...flags })).toEqual(plain)
    const off = { traceTransfers: false, validation: false, returnFullTransactions: false }
    expect(await simulate({ blockStateCalls: [{}], ...off })).toEqual(plain)
  })

  test.each<[string, string, unknown]>([
    ['number', 'blockNumber', '0x9'],
    ['time', 'timestamp', hex(START + 999)],
    ['feeRecipient', 'coinbase', POOR],
    ['prevRandao', 'random', word(7)],
    ['baseFeePerGas', 'baseFee', '0x7'],
    ['beaconRoot', 'parentBeaconBlockRoot', word(8)],
  ])('args: %s, or %s', async (name, alias, value) => {
    const run = (blockOverrides: object) => simulate({ blockStateCalls: [{ blockOverrides }] })
    const blocks = await run({ [name]: value })
    expect(await run({ [alias]: value })).toEqual(blocks)
    expect(await run({ [name]: value, [alias]: value })).toEqual(blocks)
    expect(blocks).not.toEqual(await run({}))
  })
})

describe('order of checks', () => {
  const unknown = '0x64'
  const backwards = { blockOverrides: { number: '0x0' } }

  test('the number of blocks, before the base block', async () => {
    const payload = { blockStateCalls: Array(257).fill({}) }
    await expect(simulate(payload, unknown)).rejects.toMatchObject({ code: -38026 })
    await expect(simulate({ blockStateCalls: [] }, unknown)).rejects.toMatchObject({
      code: -32602,
    })
  })

  test('the number of calls, before the base block', async () => {
    const payload = { blockStateCalls: [{ calls: Array(5001).fill({}) }] }
    await expect(simulate(payload, unknown)).rejects.toMatchObject({ code: -38026 })
  })

  test('the base block, before the sequence', async () => {
    await expect(simulate({ blockStateCalls: [backwards] }, unknown)).rejects.toMatchObject({
      code: -32000,
      message: 'header not found',
    })
  })

  test('the sequence, before overrides and calls', async () => {
    const refused = {
      stateOverrides: { [POOR]: { movePrecompileToAddress: CODE } },
      calls: [{ gas: '0x1' }],
    }
    await expect(simulate({ blockStateCalls: [refused, backwards] })).rejects.toMatchObject({
      code: -38020,
    })
  })

  test('overrides, before calls', async () => {
    const refused = {
      stateOverrides: { [POOR]: { movePrecompileToAddress: CODE } },
      calls: [{ gas: '0x1' }],
    }
    await expect(simulate({ blockStateCalls: [refused] })).rejects.toMatchObject({
      code: -32000,
      message: `account ${POOR} is not a precompile`,
    })
  })
})

describe('codes', () => {
  const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
  const call = (fields: object, more: object = {}) => ({
    ...more,
    blockStateCalls: [
      { stateOverrides: { [from]: { nonce: '0x5' } }, calls: [{ from, to: POOR, ...fields }] },
    ],
  })
  const block = (fields: object) => ({ blockStateCalls: [fields] })
  const valid = { validation: true }
  const paid = { maxFeePerGas: hex(10n ** 10n), gas: '0x186a0' }

  test.each<[number, string, unknown]>([
    [-32602, 'missing blocks', {}],
    [-32602, 'no block', { blockStateCalls: [] }],
    [-32602, 'undecodable', call({ value: 5 })],
    [-32602, 'tip above fee cap', call({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' })],
    [-32602, 'data unlike input', call({ data: '0x12', input: '0x34' })],
    [
      -32602,
      'state beside stateDiff',
      block({ stateOverrides: { [CODE]: { state: {}, stateDiff: {} } } }),
    ],
    [-32000, 'conflicting fees', call({ gasPrice: '0x1', maxFeePerGas: '0x1' })],
    [-32000, 'another chain', call({ chainId: '0x1' })],
    [
      -32000,
      'no precompile',
      block({ stateOverrides: { [POOR]: { movePrecompileToAddress: CODE } } }),
    ],
    [
      -32000,
      'no precompile, onto itself',
      block({ stateOverrides: { [POOR]: { movePrecompileToAddress: POOR } } }),
    ],
    [
      -32000,
      'a precompile onto itself',
      block({ stateOverrides: { [SHA256]: { movePrecompileToAddress: SHA256 } } }),
    ],
    [
      -32000,
      'onto an overridden account',
      block({ stateOverrides: { [SHA256]: { movePrecompileToAddress: CODE }, [CODE]: {} } }),
    ],
    [
      -32603,
      'highest nonce',
      {
        ...valid,
        ...block({
          stateOverrides: { [from]: { nonce: '0xffffffffffffffff' } },
          calls: [{ from, to: POOR, ...paid }],
        }),
      },
    ],
    [
      -32603,
      'blob fee cap',
      call({ ...paid, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, valid),
    ],
    [-38010, 'nonce too low', call({ ...paid, nonce: '0x4' }, valid)],
    [-38011, 'nonce too high', call({ ...paid, nonce: '0x6' }, valid)],
    [-38012, 'fee cap below base fee', call({ ...paid, maxFeePerGas: '0x1' }, valid)],
    [-38012, 'no fees, and no funds either', call({ from: POOR, value: '0x1' }, valid)],
    [-38013, 'intrinsic gas', call({ gas: '0x5207' })],
    [-38014, 'funds', call({ from: POOR, value: '0x1' })],
    [-38015, 'gas above what is left in the block', call({ gas: hex(60_000_001) })],
    [-38020, 'number', block({ blockOverrides: { number: '0x3' } })],
    [-38021, 'time', block({ blockOverrides: { time: hex(START) } })],
    [
      -38021,
      'time, run over its 64 bits',
      { blockStateCalls: [{ blockOverrides: { time: '0xffffffffffffffff' } }, {}] },
    ],
    [
      -38021,
      'time in a gap, run over its 64 bits',
      {
        blockStateCalls: [
          { blockOverrides: { time: '0xffffffffffffffff' } },
          { blockOverrides: { number: '0x9' } },
        ],
      },
    ],
    [-38025, 'init code', call({ to: undefined, data: `0x${'00'.repeat(49_153)}` })],
    [-38026, 'blocks', { blockStateCalls: Array(257).fill({}) }],
    [-38026, 'blocks, with those in gaps', block({ blockOverrides: { number: hex(3 + 257) } })],
    [-38026, 'calls in a block', block({ calls: Array(5001).fill({}) })],
    [-38026, 'calls', { blockStateCalls: Array(3).fill({ calls: Array(4000).fill({}) }) }],
  ])('%i for %s', async (code, _, payload) => {
    const before = own.chain.pending
    expect(await own.failure('eth_simulateV1', payload, 'latest')).toEqual({
      code,
      message: expect.any(String),
    })
    expect(own.chain.pending).toBe(before)
  })

  test('none for senders that are no EOA, also with validation', async () => {
    const rich = { balance: hex(10n ** 18n) }
    const [result] = await simulate({
      ...valid,
      blockStateCalls: [
        {
          stateOverrides: { [CODE]: { ...rich, code: '0x00' }, [SHA256]: rich },
          calls: [
            { from: CODE, to: POOR, value: '0x5', ...paid },
            { from: SHA256, to: POOR, value: '0x5', ...paid },
          ],
        },
      ],
    })
    expect(result?.calls.map(({ status }) => status)).toEqual(['0x1', '0x1'])
  })
})

test('what is simulated on one block is not seen on another', async () => {
  const [block] = await simulate({
    blockStateCalls: [
      { stateOverrides: { [CODE]: { code: returning('43') } }, calls: [{ to: CODE }] },
    ],
  })
  expect(block?.calls[0]?.returnData).toBe(word(4))
  expect(await own.call('eth_getCode', CODE, 'latest')).toBe('0x')
  expect(await own.call('eth_getCode', CODE, 'pending')).toBe('0x')
})

test('args: simulateTimeout, for calls and estimates too', async () => {
  const { failure } = await createRpcChain({ simulateTimeout: 30, callGasLimit: 10 ** 12 })
  // MULMODs, which take the longest for their gas: an estimate has no more than 2^24.
  const code = `0x7f${'ff'.repeat(32)}5b${'8080800950'.repeat(200)}602156`
  const loop = { [CODE]: { code } }
  const message = 'execution aborted (timeout: longer than the option simulateTimeout allows)'
  const blockOverrides = { gasLimit: hex(10 ** 12) }
  const payload = {
    blockStateCalls: [{ stateOverrides: loop, blockOverrides, calls: [{ to: CODE }] }],
  }
  expect(await failure('eth_simulateV1', payload)).toEqual({ code: -32016, message })
  expect(await failure('eth_call', { to: CODE }, 'latest', loop)).toEqual({ code: -32000, message })
  expect(await failure('eth_estimateGas', { to: CODE }, 'latest', loop)).toEqual({
    code: -32000,
    message,
  })
})
