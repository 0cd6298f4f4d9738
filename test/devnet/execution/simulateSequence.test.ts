import { type Hex, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import type { SimulationFormat } from '../../../devnet/rpc/heavy/formatSimulatedBlock.ts'
import { START } from '../../support/chain.ts'
import {
  CODE,
  createExecutionChain,
  NOBODY,
  OTHER,
  overrides,
  returning,
  type SimulatedBlockJson,
} from './harness.ts'
import { hashOf } from './headerHash.ts'

const word = (value: bigint | number) => pad(numberToHex(value))
const ZERO = word(0)

describe('sequence', () => {
  test('storage and nonces go on from block to block', async () => {
    const node = await createExecutionChain()
    const { address: to, encode } = await node.deploy('Playground')
    const transaction: SimulationFormat['transaction'] = (executed) => executed.transaction.nonce
    const blocks = await node.simulate(
      {
        blockStateCalls: [
          {
            calls: [
              { from: node.from, to, data: encode('store', 1n, 5n) },
              { from: node.from, to: NOBODY },
            ],
          },
          { calls: [{ from: node.from, to, data: encode('stored', 1n) }] },
        ],
      },
      { format: { transaction } },
    )
    expect(blocks[1]?.calls[0]?.returnData).toBe(word(5))
    // The deployment had nonce 0.
    expect(blocks.map(({ transactions }) => transactions)).toEqual([[1n, 2n], [3n]])
  })

  test('numbers and times', async () => {
    const node = await createExecutionChain()
    const code = overrides({ [CODE]: { code: returning('43') } })
    const blocks = await node.simulate({
      blockStateCalls: [
        { calls: [{ to: CODE }], stateOverrides: code },
        { blockOverrides: { number: 4n }, calls: [{ to: CODE }] },
        { blockOverrides: { time: BigInt(START + 1000) } },
        {},
      ],
    })
    expect(
      blocks.map(({ number, timestamp, calls }) => [
        Number(number),
        Number(timestamp) - START,
        calls.map(({ returnData }) => Number(returnData)),
      ]),
    ).toEqual([
      [1, 12, [1]],
      [2, 24, []],
      [3, 36, []],
      [4, 48, [4]],
      [5, 1000, []],
      [6, 1012, []],
    ])
    for (const [index, block] of blocks.entries()) {
      expect(block.parentHash).toBe(blocks[index - 1]?.hash ?? node.chain.head.hash)
      expect(block.hash).toBe(hashOf(block))
    }
  })

  test('what is inherited, and what is not', async () => {
    const node = await createExecutionChain()
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          blockOverrides: {
            gasLimit: 12_345_678n,
            feeRecipient: OTHER,
            prevRandao: word(7),
            baseFeePerGas: 9n,
            beaconRoot: word(8),
            blobBaseFee: 99n,
          },
        },
        {},
      ],
    })
    const fields = ({
      gasLimit,
      miner,
      mixHash,
      baseFeePerGas,
      parentBeaconBlockRoot,
    }: SimulatedBlockJson) => [gasLimit, miner, mixHash, baseFeePerGas, parentBeaconBlockRoot]
    expect(blocks.map(fields)).toEqual([
      [numberToHex(12_345_678), OTHER, word(7), '0x9', word(8)],
      [numberToHex(12_345_678), OTHER, ZERO, '0x0', ZERO],
    ])
  })

  test('on pending, from the newest sealed block with the pre-confirmed state', async () => {
    const node = await createExecutionChain()
    const { address: to, encode } = await node.deploy('Playground')
    await node.seal()
    await node.send({ to, data: encode('store', 1n, 5n) })
    await node.tick()
    const read = { blockStateCalls: [{ calls: [{ to, data: encode('stored', 1n) }] }] }
    const [pending] = await node.simulate(read)
    expect(pending).toMatchObject({ number: '0x2', parentHash: node.chain.head.hash })
    expect(pending?.calls[0]?.returnData).toBe(word(5))
    const [latest] = await node.simulate(read, { block: node.chain.head })
    expect(latest).toMatchObject({ number: '0x2', parentHash: node.chain.head.hash })
    expect(latest?.calls[0]?.returnData).toBe(word(0))
    const genesis = node.chain.history.byNumber(0)
    if (genesis === undefined) throw new Error('There is a genesis block')
    const [old] = await node.simulate(read, { block: genesis })
    expect(old).toMatchObject({ number: '0x1', parentHash: genesis.hash })
    expect(old?.calls[0]?.returnData).toBe('0x')
  })

  test('the pending state is laid under once', async () => {
    const node = await createExecutionChain()
    const { address: to, encode } = await node.deploy('Playground')
    await node.send({ to, data: encode('store', 1n, 5n) })
    await node.tick()
    const [, second] = await node.simulate({
      blockStateCalls: [
        { calls: [{ to, data: encode('store', 1n, 6n) }] },
        { calls: [{ to, data: encode('stored', 1n) }] },
      ],
    })
    expect(second?.calls[0]?.returnData).toBe(word(6))
  })

  test('commits nothing', async () => {
    const node = await createExecutionChain()
    const { pending, store } = node.chain
    const version = store.head
    await node.simulate({
      blockStateCalls: [{ calls: [{ from: node.from, to: NOBODY, value: 5n }] }, {}],
    })
    expect([node.chain.pending, store.head]).toEqual([pending, version])
  })
})

describe('ancestors', () => {
  /** BLOCKHASH(number). */
  const hashAt = (number: number) => returning(`60${number.toString(16).padStart(2, '0')}40`)

  test('BLOCKHASH of simulated, filled and real blocks', async () => {
    const node = await createExecutionChain()
    await node.seal()
    const asked = [0, 1, 2, 3, 4, 5]
    // Addresses 0x…c0de0010 and up, one for each block number.
    const address = (number: number): Hex => `0x00000000000000000000000000000000c0de001${number}`
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          stateOverrides: overrides(
            Object.fromEntries(asked.map((number) => [address(number), { code: hashAt(number) }])),
          ),
        },
        {
          blockOverrides: { number: 4n },
          calls: asked.map((number) => ({ to: address(number) })),
        },
      ],
    })
    expect(blocks.at(-1)?.calls.map(({ returnData }) => returnData)).toEqual([
      node.chain.history.byNumber(0)?.hash,
      node.chain.head.hash,
      blocks[0]?.hash,
      blocks[1]?.hash,
      ZERO,
      ZERO,
    ])
  })

  test('args: blockHash', async () => {
    const node = await createExecutionChain()
    const calls = [{ to: CODE }]
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          stateOverrides: overrides({ [CODE]: { code: hashAt(0) } }),
          blockOverrides: { blockHash: new Map([[0n, word(5)]]) },
          calls,
        },
        { calls },
      ],
    })
    expect(blocks.map((block) => block.calls[0]?.returnData)).toEqual([
      word(5),
      node.chain.head.hash,
    ])
  })

  test('EIP-2935 and EIP-4788 in each block', async () => {
    const node = await createExecutionChain()
    const history = '0x0000f90827f1c53a10cb7a02335b175320002935' as const
    const beacon = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' as const
    const blocks = await node.simulate({
      blockStateCalls: [
        { blockOverrides: { beaconRoot: word(77) } },
        {
          calls: [
            { to: history, data: word(0) },
            { to: history, data: word(1) },
            { to: beacon, data: word(START + 12) },
            { to: beacon, data: word(START + 24) },
          ],
        },
      ],
    })
    expect(blocks[1]?.calls.map(({ returnData }) => returnData)).toEqual([
      node.chain.head.hash,
      blocks[0]?.hash,
      word(77),
      ZERO,
    ])
  })
})
