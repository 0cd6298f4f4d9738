import { type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatTransaction } from '../../../devnet/json/formatTransaction.ts'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import type { SimulationFormat } from '../../../devnet/rpc/heavy/formatSimulatedBlock.ts'
import {
  CODE,
  createExecutionChain,
  type ExecutionChain,
  GWEI,
  NOBODY,
  OTHER,
  overrides,
  returning,
  runOneBlock,
} from './harness.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const word = (value: bigint | number) => pad(numberToHex(value))
const BLOB: Hex = `0x01${'ab'.repeat(31)}`

/** What code at CODE, which leaves a word on the stack, answers to a call. */
async function run(code: string, call: CallRequest = {}): Promise<Hex | undefined> {
  const state = { [CODE]: { code: returning(code), balance: 100n } }
  const [block] = await runOneBlock(node, [{ to: CODE, ...call }], { state })
  return block?.calls[0]?.returnData
}

describe('fields', () => {
  test('default: the zero address calls, with nothing', async () => {
    // CALLER, ORIGIN, CALLVALUE, GASPRICE, CALLDATASIZE
    for (const code of ['33', '32', '34', '3a', '36']) expect(await run(code)).toBe(word(0))
  })

  test('args: from, value, data, gasPrice', async () => {
    expect(await run('33', { from: node.from })).toBe(pad(node.from))
    expect(await run('32', { from: node.from })).toBe(pad(node.from))
    expect(await run('34', { from: node.from, value: 7n })).toBe(word(7))
    expect(await run('5f35', { data: word(9) })).toBe(word(9))
    expect(await run('3a', { from: node.from, gas: 100_000n, gasPrice: 5n })).toBe(word(5))
  })

  test('args: to, none creates a contract', async () => {
    // Returns one byte of code, 0xfe.
    const create = { from: node.from, data: '0x60fe5f5360015ff3' as const }
    const [block] = await runOneBlock(node, [create, create])
    expect(block?.calls.map(({ status, returnData }) => [status, returnData])).toEqual([
      ['0x1', '0xfe'],
      ['0x1', '0xfe'],
    ])
  })

  test('args: nonce, which counts up by itself', async () => {
    const calls = [{ from: node.from }, { from: node.from, nonce: 77n }, { from: node.from }]
    const [block] = await node.simulate(
      { blockStateCalls: [{ calls: calls.map((call) => ({ ...call, to: NOBODY })) }] },
      { format: { transaction: ({ transaction }) => transaction.nonce } },
    )
    // A given nonce appears in the transaction; the account's still rises by one.
    expect(block?.transactions).toEqual([0n, 77n, 2n])
  })

  test('args: accessList, which costs and warms', async () => {
    const state = { [CODE]: { code: '0x5f5450' as const } }
    const gas = async (call: CallRequest) => {
      const [block] = await runOneBlock(node, [{ to: CODE, ...call }], { state })
      return Number(block?.calls[0]?.gasUsed)
    }
    const accessList = [{ address: CODE, storageKeys: [word(0)] }]
    // 2,400 for the address and 1,900 for the slot, of which 2,000 are saved (EIP-2929, EIP-2930).
    expect((await gas({ accessList })) - (await gas({}))).toBe(2400 + 1900 - 2000)
  })

  test('EIP-7825 is not applied, also with validation', async () => {
    const call = { from: node.from, to: CODE, gas: 20_000_000n, maxFeePerGas: 10n * GWEI }
    const state = { [CODE]: { code: returning('5a') } }
    for (const validation of [false, true]) {
      const [block] = await runOneBlock(node, [call], { state, validation })
      expect(Number(block?.calls[0]?.returnData)).toBeGreaterThan(2 ** 24)
    }
  })

  test('args: authorizationList', async () => {
    const authority = node.account(3)
    const authorization = await authority.signAuthorization({
      contractAddress: OTHER,
      chainId: node.options.chainId,
      nonce: 0,
    })
    const { r, s, yParity } = authorization
    if (yParity === undefined) throw new Error('The signature has a parity')
    const call: CallRequest = {
      from: node.from,
      to: authority.address.toLowerCase() as Hex,
      authorizationList: [
        {
          chainId: BigInt(node.options.chainId),
          address: OTHER,
          nonce: 0n,
          yParity: BigInt(yParity),
          r: BigInt(r),
          s: BigInt(s),
        },
      ],
    }
    // ADDRESS: the code runs for the authority.
    const state = { [OTHER]: { code: returning('30') } }
    const blocks = await node.simulate({
      blockStateCalls: [
        { stateOverrides: overrides(state), calls: [call] },
        { calls: [{ to: call.to }] },
      ],
    })
    const own = pad(authority.address.toLowerCase() as Hex)
    expect(blocks.map(({ calls }) => calls[0]?.returnData)).toEqual([own, own])
  })
})

describe('types', () => {
  const authorization = { chainId: 1n, address: OTHER, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
  const fees = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI }

  test.each<[string, CallRequest, object]>([
    [
      'no fees',
      {},
      { type: '0x2', maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0', gasPrice: '0x0' },
    ],
    ['EIP-1559 fees', fees, { type: '0x2', gasPrice: numberToHex(GWEI + 7n), accessList: [] }],
    ['a gas price', { gasPrice: GWEI }, { type: '0x0', gasPrice: numberToHex(GWEI), v: '0x0' }],
    [
      'a gas price and an access list',
      { gasPrice: GWEI, accessList: [{ address: CODE, storageKeys: [] }] },
      { type: '0x1', accessList: [{ address: CODE, storageKeys: [] }] },
    ],
    [
      'an access list',
      { accessList: [{ address: CODE, storageKeys: [word(1)] }] },
      { type: '0x2', accessList: [{ address: CODE, storageKeys: [word(1)] }] },
    ],
    [
      'blobs',
      { ...fees, blobVersionedHashes: [BLOB], maxFeePerBlobGas: 5n },
      { type: '0x3', blobVersionedHashes: [BLOB], maxFeePerBlobGas: '0x5' },
    ],
    [
      'authorizations',
      { ...fees, authorizationList: [authorization] },
      {
        type: '0x4',
        authorizationList: [
          { chainId: '0x1', address: OTHER, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
        ],
      },
    ],
    ['a type that says otherwise', { type: 4 }, { type: '0x2' }],
  ])('args: %s', async (_, call, expected) => {
    const [block] = await node.simulate(
      {
        blockStateCalls: [
          {
            blockOverrides: {
              baseFeePerGas: 'gasPrice' in call || 'maxFeePerGas' in call ? 7n : 0n,
            },
            calls: [{ from: node.from, to: NOBODY, gas: 100_000n, value: 3n, ...call }],
          },
        ],
      },
      { format: { transaction: formatTransaction } },
    )
    expect(block?.transactions).toMatchObject([
      {
        ...expected,
        from: node.from,
        to: NOBODY,
        gas: numberToHex(100_000),
        value: '0x3',
        nonce: '0x0',
        blockHash: block?.hash,
        blockNumber: '0x1',
        blockTimestamp: block?.timestamp,
        transactionIndex: '0x0',
        r: '0x0',
        s: '0x0',
      },
    ])
    expect(block?.calls[0]?.status).toBe('0x1')
  })
})

describe('results', () => {
  test('a call that fails is a transaction like the others', async () => {
    const state = { [CODE]: { code: '0x5f5ffd' as const } }
    const calls = [
      { from: node.from, to: CODE },
      { from: node.from, to: NOBODY },
    ]
    const [block] = await node.simulate(
      { blockStateCalls: [{ stateOverrides: overrides(state), calls }] },
      { format: { transaction: ({ transaction }) => transaction.nonce } },
    )
    expect(block?.calls.map(({ status }) => status)).toEqual(['0x0', '0x1'])
    expect(block?.transactions).toEqual([0n, 1n])
    const gas = block?.calls.map(({ gasUsed }) => Number(gasUsed)) ?? []
    expect(Number(block?.gasUsed)).toBe(gas.reduce((sum, used) => sum + used, 0))
  })

  test('maxUsedGas is not below the floor of the call data', async () => {
    const [block] = await runOneBlock(node, [{ to: NOBODY, data: `0x${'01'.repeat(1000)}` }])
    // 10 for each of 4 tokens a byte (EIP-7623).
    const floor = numberToHex(21_000 + 40_000)
    expect(block?.calls[0]).toMatchObject({ gasUsed: floor, maxUsedGas: floor })
  })

  describe('indexes of logs', () => {
    const LOG0 = '5f5fa0'
    const REVERT = '5f5ffd'
    const call = (to: Hex, value = 0) => `5f5f5f5f60${byte(value)}73${to.slice(2)}5af150`
    const byte = (value: number) => value.toString(16).padStart(2, '0')
    /** The index of each log of each call, in one block. */
    async function indexes(
      format: SimulationFormat,
      codes: Record<Hex, string>,
      calls: readonly Hex[],
      traceTransfers = false,
    ) {
      const state = Object.fromEntries(
        Object.entries(codes).map(([address, code]) => [
          address,
          { balance: 100n, code: `0x${code}` as const },
        ]),
      )
      const [block] = await node.simulate(
        {
          traceTransfers,
          blockStateCalls: [
            { stateOverrides: overrides(state), calls: calls.map((to) => ({ to })) },
          ],
        },
        { format },
      )
      return block?.calls.map(({ logs }) => logs.map(({ logIndex }) => Number(logIndex)))
    }
    /** Two logs that are taken back, between two that stay. */
    const codes = {
      [CODE]: `${LOG0}${call(OTHER)}${LOG0}`,
      [OTHER]: `${LOG0}${LOG0}${REVERT}`,
    }

    test('with errors as text, a log that a revert takes back leaves no gap', async () => {
      expect(await indexes({ errors: 'string' }, codes, [CODE, OTHER, CODE])).toEqual([
        [0, 1],
        [],
        [2, 3],
      ])
    })

    test('with errors as objects, such logs count, as in geth', async () => {
      expect(await indexes({ errors: 'object' }, codes, [CODE, OTHER, CODE])).toEqual([
        [0, 3],
        [],
        [6, 9],
      ])
    })

    test.each([
      [
        'a frame that reverts with what its own calls had kept',
        `${LOG0}${call(NOBODY)}${REVERT}`,
        LOG0,
      ],
      [
        'one that reverts after another that reverted',
        `${call(NOBODY)}${LOG0}${REVERT}`,
        `${LOG0}${REVERT}`,
      ],
      ['one that halts', `${LOG0}${LOG0}fe`, ''],
      // PUSH9 PUSH0 MSTORE, then CREATE with the last 9 bytes of the word.
      ['a creation that fails', `68${LOG0}${LOG0}${REVERT}5f52600960175ff050`, ''],
    ])('in all, two logs of %s', async (_name, other, nobody) => {
      const inner = { [CODE]: `${LOG0}${call(OTHER)}${LOG0}`, [OTHER]: other, [NOBODY]: nobody }
      expect(await indexes({ errors: 'object' }, inner, [CODE])).toEqual([[0, 3]])
    })

    test('transfers that are taken back count if transfers are traced', async () => {
      const paying = { ...codes, [CODE]: `${LOG0}${call(OTHER, 1)}${LOG0}` }
      expect(await indexes({ errors: 'object' }, paying, [CODE])).toEqual([[0, 3]])
      expect(await indexes({ errors: 'object' }, paying, [CODE], true)).toEqual([[0, 4]])
      expect(await indexes({ errors: 'string' }, paying, [CODE], true)).toEqual([[0, 1]])
    })
  })
})
