import { type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  CODE,
  createExecutionChain,
  ETHER,
  type ExecutionChain,
  GWEI,
  NOBODY,
  type OneBlock,
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

const run = (...args: OneBlock) => runOneBlock(node, ...args)

describe('validation', () => {
  test('off, nonces and base fee do not matter', async () => {
    const [block] = await run([
      { from: node.from, to: NOBODY, nonce: 99n },
      { from: node.from, to: NOBODY, nonce: 0n },
    ])
    expect(block?.calls.map(({ status }) => status)).toEqual(['0x1', '0x1'])
  })

  test('off, a call without fees sees the base fee of the override', async () => {
    const [block] = await run([{ from: node.from, to: CODE }], {
      state: { [CODE]: { code: returning('48') } },
      block: { baseFeePerGas: 7n },
    })
    expect(block).toMatchObject({ baseFeePerGas: '0x7' })
    expect(block?.calls[0]?.returnData).toBe(word(7))
  })

  test('off, a call with too low a fee is refused under an override', async () => {
    const block = { baseFeePerGas: 7n }
    await expect(
      run([{ from: node.from, to: NOBODY, maxFeePerGas: 6n }], { block }),
    ).rejects.toMatchObject({ code: -38012 })
  })

  test('off, BLOBBASEFEE is true where blobs cost nothing', async () => {
    const blobVersionedHashes: Hex[] = [`0x01${'00'.repeat(31)}`]
    const [block] = await run([{ from: node.from, to: CODE, blobVersionedHashes }], {
      state: { [CODE]: { code: returning('4a') } },
      block: { blobBaseFee: 7n },
    })
    expect(block?.calls[0]?.returnData).toBe(word(7))
    expect(block?.blobGasUsed).toBe(numberToHex(131_072))
  })

  test('on, the base fee follows from the block before', async () => {
    const call = { from: node.from, to: CODE, maxFeePerGas: 10n * GWEI }
    // A loop that burns all its gas: the block is fuller than its target.
    const blocks = await node.simulate({
      validation: true,
      blockStateCalls: [
        {
          stateOverrides: overrides({ [CODE]: { code: '0xfe' } }),
          calls: [{ ...call, gas: 45_000_000n }],
        },
        {},
        {},
      ],
    })
    expect(blocks.map(({ baseFeePerGas }) => Number(baseFeePerGas))).toEqual([
      875_000_000,
      Math.floor(875_000_000 * (1 + 0.5 / 8)),
      // Not an integer: 929687500 * 7 / 8.
      929_687_500 - Math.floor(929_687_500 / 8),
    ])
  })

  test('fees are paid to the fee recipient, and burnt', async () => {
    const balance = (address: Hex) => returning(`73${address.slice(2)}31`)
    const [block] = await run(
      [
        {
          from: node.from,
          to: NOBODY,
          gas: 21_000n,
          maxFeePerGas: 10n,
          maxPriorityFeePerGas: 2n,
        },
        { to: CODE },
        { to: OTHER },
      ],
      {
        block: { feeRecipient: NOBODY, baseFeePerGas: 5n },
        state: {
          [node.from]: { balance: ETHER },
          [CODE]: { code: balance(NOBODY) },
          [OTHER]: { code: balance(node.from) },
        },
      },
    )
    expect(block?.calls.slice(1).map(({ returnData }) => BigInt(returnData))).toEqual([
      42_000n,
      ETHER - 21_000n * 7n,
    ])
  })
})

describe('gas of the request', () => {
  const endless = { [CODE]: { code: '0x5b5f56' as const } }

  test('a call is cut to what is left, and told so', async () => {
    const [block] = await run([{ to: NOBODY }, { to: CODE }], {
      state: endless,
      limits: { gas: 100_000n },
    })
    expect(block?.calls[1]).toMatchObject({
      status: '0x0',
      gasUsed: numberToHex(79_000),
      error: {
        code: -32015,
        message: "out of gas (gas limit was capped by the RPC server's global gas cap)",
      },
    })
  })

  test('once it is used up, the next call is refused', async () => {
    await expect(
      run([{ to: CODE }, { to: NOBODY }], { state: endless, limits: { gas: 100_000n } }),
    ).rejects.toMatchObject({ code: -38013, message: 'intrinsic gas too low: have 0, want 21000' })
  })

  test('it counts through all blocks', async () => {
    const calls = [{ to: NOBODY }]
    const simulate = (gas: bigint) =>
      node.simulate({ blockStateCalls: [{ calls }, { calls }] }, { limits: { gas } })
    expect(await simulate(42_000n)).toHaveLength(2)
    await expect(simulate(41_999n)).rejects.toMatchObject({ code: -38013 })
  })

  test('default: a call gets what is left of its block', async () => {
    const [block] = await run([{ to: NOBODY }, { to: CODE }], {
      state: { [CODE]: { code: returning('5a') } },
      block: { gasLimit: 1_000_000n },
    })
    expect(block?.calls[1]?.returnData).toBe(word(1_000_000 - 21_000 - 21_000 - 2))
  })
})

describe('precompiles', () => {
  const SHA256: Hex = '0x0000000000000000000000000000000000000002'

  test('moved for one block', async () => {
    const calls = [{ to: OTHER }, { to: SHA256 }]
    const blocks = await node.simulate({
      blockStateCalls: [
        { stateOverrides: overrides({ [SHA256]: { movePrecompileToAddress: OTHER } }), calls },
        { calls },
      ],
    })
    const hash = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    expect(blocks.map((block) => block.calls.map(({ returnData }) => returnData))).toEqual([
      [hash, '0x'],
      ['0x', hash],
    ])
  })
})
