import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SimulationLimits } from '../../../devnet/execution/simulate.ts'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import type { BlockStateCall } from '../../../devnet/json/schemas/simulationPayload.ts'
import { START } from '../../support/chain.ts'
import {
  CODE,
  createExecutionChain,
  type ExecutionChain,
  GWEI,
  NOBODY,
  type OneBlock,
  OTHER,
  runOneBlock,
} from './harness.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const run = (...args: OneBlock) => runOneBlock(node, ...args)

describe('sequence', () => {
  const simulate = (blocks: BlockStateCall[], limits: Partial<SimulationLimits> = {}) =>
    node.simulate({ blockStateCalls: blocks }, { limits })

  test.each<[string, BlockStateCall[], number, string]>([
    ['no block', [], -32602, 'empty input: blockStateCalls must hold at least one block'],
    [
      'the number of the base block',
      [{ blockOverrides: { number: 0n } }],
      -38020,
      'block numbers must be in order: 0 <= 0',
    ],
    [
      'a number twice',
      [{ blockOverrides: { number: 5n } }, { blockOverrides: { number: 5n } }],
      -38020,
      'block numbers must be in order: 5 <= 5',
    ],
    [
      'the time of the base block',
      [{ blockOverrides: { time: BigInt(START) } }],
      -38021,
      `block timestamps must be in order: ${START} <= ${START}`,
    ],
    [
      'a time that the blocks in between have passed',
      [{ blockOverrides: { number: 3n, time: BigInt(START + 24) } }],
      -38021,
      `block timestamps must be in order: ${START + 24} <= ${START + 24}`,
    ],
    ['257 blocks', Array(257).fill({}), -38026, 'too many blocks'],
    ['a gap of 256 blocks', [{ blockOverrides: { number: 257n } }], -38026, 'too many blocks'],
    [
      'a block with too many calls',
      [{ calls: Array(5001).fill({}) }],
      -38026,
      'too many calls in block: 5001 > 5000',
    ],
    [
      'too many calls',
      Array(3).fill({ calls: Array(5000).fill({}) }),
      -38026,
      'too many calls: 15000 > 10000',
    ],
  ])('%s', async (_, blocks, code, message) => {
    await expect(simulate(blocks)).rejects.toMatchObject({ code, message })
  })

  test('default: 256 blocks', async () => {
    expect(await simulate([{ blockOverrides: { number: 256n } }])).toHaveLength(256)
    expect(await simulate(Array(256).fill({}))).toHaveLength(256)
  })

  test('args: limits', async () => {
    await expect(simulate([{}, {}], { blocks: 1 })).rejects.toMatchObject({ code: -38026 })
    const calls = [{}, {}]
    await expect(simulate([{ calls }], { callsPerBlock: 1 })).rejects.toMatchObject({
      code: -38026,
    })
    await expect(simulate([{ calls }], { calls: 1 })).rejects.toMatchObject({ code: -38026 })
  })

  test('the sequence is looked at before anything runs', async () => {
    const impossible = { calls: [{ from: NOBODY, value: 1n }] }
    await expect(simulate([impossible, { blockOverrides: { number: 1n } }])).rejects.toMatchObject({
      code: -38020,
    })
  })
})

describe('calls that no block could hold', () => {
  const paid = { maxFeePerGas: 2n * GWEI }

  test.each<[string, CallRequest, boolean, number, string]>([
    ['nonce too low', { nonce: 0n }, true, -38010, 'nonce too low: address FROM, tx: 0 state: 5'],
    ['nonce too high', { nonce: 6n }, true, -38011, 'nonce too high: address FROM, tx: 6 state: 5'],
    [
      'no fees with validation',
      {},
      true,
      -38012,
      'max fee per gas less than block base fee: address FROM, maxFeePerGas: 0, baseFee: 875000000',
    ],
    [
      'tip above the fee cap',
      { maxFeePerGas: 1n, maxPriorityFeePerGas: 2n },
      false,
      -32602,
      'max priority fee per gas higher than max fee per gas: address FROM, maxPriorityFeePerGas: 2, maxFeePerGas: 1',
    ],
    [
      'too little gas',
      { gas: 20_999n },
      false,
      -38013,
      'intrinsic gas too low: have 20999, want 21000',
    ],
    [
      'value without funds',
      { from: NOBODY, value: 1n },
      false,
      -38014,
      `insufficient funds for gas * price + value: address ${NOBODY} have 0 want 1`,
    ],
    [
      'gas without funds',
      { from: NOBODY, gas: 21_000n, ...paid },
      false,
      -38014,
      `insufficient funds for gas * price + value: address ${NOBODY} have 0 want 42000000000000`,
    ],
    [
      'more gas than the block has',
      { gas: 60_000_001n },
      false,
      -38015,
      'block gas limit reached: remaining: 60000000, required: 60000001',
    ],
    [
      'init code too long',
      { to: undefined, data: `0x${'00'.repeat(49_153)}` },
      false,
      -38025,
      'max initcode size exceeded: code size 49153, limit 49152',
    ],
    [
      'both kinds of fees',
      { gasPrice: 1n, maxFeePerGas: 1n },
      false,
      -32000,
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    ],
    [
      'another chain',
      { chainId: 1n },
      false,
      -32000,
      "chainId does not match node's (have=1, want=31337)",
    ],
    [
      'blobs without a fee, with validation',
      { ...paid, gas: 100_000n, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] },
      true,
      -32603,
      'max fee per blob gas less than block blob gas fee: address FROM blobGasFeeCap: 0, blobBaseFee: 1',
    ],
  ])('%s', async (_, call, validation, code, message) => {
    await expect(
      run([{ from: node.from, to: NOBODY, ...call }], {
        validation,
        state: { [node.from as Hex]: { nonce: 5n } },
      }),
    ).rejects.toMatchObject({ code, message: message.replace('FROM', node.from) })
  })

  test('the highest nonce', async () => {
    const call = { from: node.from, to: NOBODY, gas: 21_000n, ...paid }
    const state = { [node.from]: { nonce: 2n ** 64n - 1n } }
    await expect(run([call], { state, validation: true })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^nonce has max value/),
    })
    // Without validation the account begins again: at nonce 0 it makes the address that a fresh one
    // makes.
    const creation = { from: node.from, data: '0x60015ff3' as const }
    const [wrapped] = await run([{ from: node.from, to: NOBODY }, creation], { state })
    const [fresh] = await run([creation])
    expect(wrapped?.calls[1]).toEqual(fresh?.calls[0])
  })

  test('an override is refused', async () => {
    await expect(
      run([], { state: { [OTHER]: { movePrecompileToAddress: CODE } } }),
    ).rejects.toMatchObject({ code: -32000, message: `account ${OTHER} is not a precompile` })
  })
})
