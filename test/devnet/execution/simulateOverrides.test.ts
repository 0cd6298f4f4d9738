import { type Hex, keccak256, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountOverride } from '../../../devnet/json/schemas/stateOverrides.ts'
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
const push = (address: Hex) => `73${address.slice(2)}`

describe('accounts', () => {
  test('overrides last through the blocks after', async () => {
    const balance = returning(`${push(NOBODY)}31`)
    const calls = [{ to: CODE }, { to: OTHER }]
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          stateOverrides: overrides({
            [CODE]: { code: balance },
            [OTHER]: {
              code: returning('60015460025401'),
              stateDiff: new Map([[word(1), word(5)]]),
            },
            [NOBODY]: { balance: 77n },
          }),
          calls,
        },
        { calls },
        {
          stateOverrides: overrides({
            [NOBODY]: { balance: 78n },
            [OTHER]: { stateDiff: new Map([[word(2), word(6)]]) },
          }),
          calls,
        },
        { stateOverrides: overrides({ [OTHER]: { state: new Map([[word(2), word(7)]]) } }), calls },
      ],
    })
    const answers = blocks.map((block) => block.calls.map((call) => Number(call.returnData)))
    expect(answers).toEqual([
      [77, 5],
      [77, 5],
      [78, 11],
      [78, 7],
    ])
  })

  test('an override makes an account, without code or storage', async () => {
    const state = (override: AccountOverride) => ({
      [CODE]: { code: returning(`${push(NOBODY)}3f`) },
      [NOBODY]: override,
    })
    // EXTCODEHASH: of an account without code; zero for a missing or empty account (EIP-161).
    for (const [override, hash] of [
      [{ balance: 1n }, keccak256('0x')],
      [{ nonce: 1n }, keccak256('0x')],
      [{ code: '0x' }, word(0)],
      [{}, word(0)],
    ] as const) {
      const [block] = await runOneBlock(node, [{ to: CODE }], { state: state(override) })
      expect(block?.calls[0]?.returnData).toBe(hash)
    }
  })

  test('neither overrides nor fees nor withdrawals are transfers', async () => {
    const withdrawals = [{ index: 0n, validatorIndex: 0n, address: NOBODY, amount: 5n }]
    const [block] = await node.simulate({
      traceTransfers: true,
      blockStateCalls: [
        {
          stateOverrides: overrides({ [NOBODY]: { balance: 5n * GWEI } }),
          blockOverrides: { withdrawals, feeRecipient: OTHER, baseFeePerGas: GWEI },
          calls: [
            {
              from: node.from,
              to: NOBODY,
              gas: 21_000n,
              maxFeePerGas: 3n * GWEI,
              maxPriorityFeePerGas: GWEI,
            },
          ],
        },
      ],
    })
    expect(block?.calls).toMatchObject([{ status: '0x1', logs: [] }])
    expect(block?.transactions).toHaveLength(1)
  })

  test('an overridden account that destroys itself keeps its code (EIP-6780)', async () => {
    const destroy: Hex = `0x${push(NOBODY)}ff`
    const [block] = await runOneBlock(node, [{ to: CODE }, { to: OTHER }, { to: CODE }], {
      state: {
        [CODE]: { code: destroy, balance: 9n },
        [OTHER]: { code: returning(`${push(CODE)}31${push(CODE)}3b60201b01`) },
      },
    })
    // Balance, and size of the code times 2^32.
    expect(BigInt(block?.calls[1]?.returnData ?? '0x')).toBe(22n * 2n ** 32n)
    expect(block?.calls[2]?.status).toBe('0x1')
  })
})

describe('precompiles', () => {
  const SHA256: Hex = '0x0000000000000000000000000000000000000002'
  const IDENTITY: Hex = '0x0000000000000000000000000000000000000004'
  const data: Hex = '0x0102'
  const sha256: Hex = '0xa12871fee210fb8619291eaea194581cbd2531e4b23759d225f6806923f63222'

  const answers = async (state: Record<Hex, AccountOverride>, ...targets: Hex[]) => {
    const calls = targets.map((to) => ({ to, data }))
    const [block] = await runOneBlock(node, calls, { state })
    return block?.calls.map(({ returnData }) => returnData)
  }

  test('two to one address: the second stays', async () => {
    const state = {
      [SHA256]: { movePrecompileToAddress: OTHER },
      [IDENTITY]: { movePrecompileToAddress: OTHER },
    }
    expect(await answers(state, OTHER, SHA256, IDENTITY)).toEqual([data, '0x', '0x'])
  })

  test('one onto another, which is gone then', async () => {
    const state = { [SHA256]: { movePrecompileToAddress: IDENTITY } }
    expect(await answers(state, IDENTITY, SHA256)).toEqual([sha256, '0x'])
  })

  test('any override takes it away, for its block only', async () => {
    const calls = [{ to: SHA256, data }]
    const blocks = await node.simulate({
      blockStateCalls: [
        { stateOverrides: overrides({ [SHA256]: { balance: 1n } }), calls },
        { stateOverrides: overrides({ [SHA256]: { code: returning('602a') } }), calls },
        { calls },
      ],
    })
    expect(blocks.map((block) => block.calls[0]?.returnData)).toEqual(['0x', word(42), sha256])
  })

  test('storage and balance at the destination stay', async () => {
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          stateOverrides: overrides({
            [OTHER]: { balance: 5n, stateDiff: new Map([[word(1), word(6)]]) },
          }),
        },
        { stateOverrides: overrides({ [SHA256]: { movePrecompileToAddress: OTHER } }) },
        {
          stateOverrides: overrides({ [OTHER]: { code: returning('6001544701') } }),
          calls: [{ to: OTHER }],
        },
      ],
    })
    expect(blocks[2]?.calls[0]?.returnData).toBe(word(11))
  })

  test('contracts find it at its new place', async () => {
    // STATICCALL of 2 bytes 0x0102, and what came back.
    const code: Hex = `0x6101025f5260205f6002601e${push(OTHER)}5afa5060205ff3`
    const state = { [CODE]: { code }, [SHA256]: { movePrecompileToAddress: OTHER } }
    expect(await answers(state, CODE)).toEqual([sha256])
  })
})

describe('fees of blobs', () => {
  const blobVersionedHashes: Hex[] = [`0x01${'00'.repeat(31)}`]
  const call = (cap: bigint, fees = 0n) => ({
    from: node.from,
    to: NOBODY,
    gas: 100_000n,
    maxFeePerGas: fees,
    maxFeePerBlobGas: cap,
    blobVersionedHashes,
  })

  test.each([false, true])(
    'a cap below the price is refused, with validation %s',
    async (validation) => {
      const run = runOneBlock(node, [call(6n, 10n * GWEI)], {
        validation,
        block: { blobBaseFee: 7n },
      })
      await expect(run).rejects.toMatchObject({ code: -32603 })
    },
  )

  test('a cap that is high enough is paid', async () => {
    const balance = {
      [CODE]: { code: returning(`${push(NOBODY)}31`) },
      [NOBODY]: { balance: 10n ** 7n },
    }
    const [block] = await runOneBlock(
      node,
      [{ ...call(9n), from: NOBODY, to: OTHER }, { to: CODE }],
      { state: balance, block: { blobBaseFee: 7n } },
    )
    expect(BigInt(block?.calls[1]?.returnData ?? '0x')).toBe(10n ** 7n - 7n * 131_072n)
  })

  test.each<[string, object]>([
    ['no recipient', { to: undefined }],
    ['no hashes', { blobVersionedHashes: [] }],
    ['too many', { blobVersionedHashes: Array(7).fill(blobVersionedHashes[0]) }],
    ['a hash of another version', { blobVersionedHashes: [`0x02${'00'.repeat(31)}`] }],
  ])('%s', async (_, fields) => {
    await expect(runOneBlock(node, [{ ...call(1n), ...fields }])).rejects.toMatchObject({
      code: -32603,
    })
  })
})

describe('authorizations', () => {
  const authorization = { chainId: 1n, address: OTHER, nonce: 0n, yParity: 0n, r: 1n, s: 1n }

  test.each<[string, object]>([
    ['no recipient', { to: undefined, authorizationList: [authorization] }],
    ['an empty list', { authorizationList: [] }],
    ['a parity of two bytes', { authorizationList: [{ ...authorization, yParity: 256n }] }],
  ])('%s', async (_, fields) => {
    await expect(runOneBlock(node, [{ to: NOBODY, ...fields }])).rejects.toMatchObject({
      code: -32603,
    })
  })

  test('one that is not valid is passed over', async () => {
    const [block] = await runOneBlock(node, [
      { to: NOBODY, authorizationList: [authorization, { ...authorization, r: 2n ** 256n - 1n }] },
    ])
    expect(block?.calls[0]?.status).toBe('0x1')
  })
})
