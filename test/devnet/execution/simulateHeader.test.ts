import { createMPT } from '@ethereumjs/mpt'
import { bytesToHex, concat, fromRlp, type Hex, hexToBytes, numberToHex, pad, toRlp } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BlockStateCall } from '../../../devnet/json/schemas/simulationPayload.ts'
import { toHex } from '../../../devnet/primitives/hex.ts'
import {
  CODE,
  createExecutionChain,
  type ExecutionChain,
  NOBODY,
  OTHER,
  overrides,
  returning,
  runOneBlock,
} from './harness.ts'
import { bloomOf, hashOf, headerFields, rlpNumber } from './headerHash.ts'

let node: ExecutionChain

beforeAll(async () => {
  node = await createExecutionChain()
})

const word = (value: bigint | number) => pad(numberToHex(value))
const BLOB: Hex = `0x01${'ab'.repeat(31)}`

/** The root of a trie of these values by their indexes, by another implementation. */
async function rootOf(values: readonly Hex[]): Promise<Hex> {
  const trie = await createMPT()
  for (const [index, value] of values.entries()) {
    await trie.put(toRlp(index === 0 ? '0x' : numberToHex(index), 'bytes'), hexToBytes(value))
  }
  return bytesToHex(trie.root())
}

describe('fields', () => {
  const always = [
    'calls',
    'difficulty',
    'extraData',
    'gasLimit',
    'gasUsed',
    'hash',
    'logsBloom',
    'miner',
    'mixHash',
    'nonce',
    'number',
    'parentHash',
    'receiptsRoot',
    'sha3Uncles',
    'size',
    'stateRoot',
    'timestamp',
    'transactions',
    'transactionsRoot',
    'uncles',
    'baseFeePerGas',
  ]
  const shanghai = [...always, 'withdrawals', 'withdrawalsRoot']
  const cancun = [...shanghai, 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot']
  const prague = [...cancun, 'requestsHash']

  test.each([
    ['london', always],
    ['paris', always],
    ['shanghai', shanghai],
    ['cancun', cancun],
    ['prague', prague],
    ['osaka', prague],
    ['bpo1', prague],
    ['bpo2', prague],
  ] as const)('those of %s, and no others', async (hardfork, fields) => {
    const own = await createExecutionChain({ hardfork })
    // What later hardforks brought is ignored.
    const blockOverrides = {
      withdrawals: [{ index: 0n, validatorIndex: 0n, address: NOBODY, amount: 1n }],
      beaconRoot: word(5),
      difficulty: 99n,
    }
    const [block] = await own.simulate({ blockStateCalls: [{ blockOverrides }] })
    expect(Object.keys(block ?? {}).sort()).toEqual([...fields].sort())
    expect(block?.hash).toBe(block && hashOf(block))
    expect(block?.difficulty).toBe(hardfork === 'london' ? numberToHex(99) : '0x0')
  })

  test('the difficulty of the parent, before Paris', async () => {
    const own = await createExecutionChain({ hardfork: 'london' })
    const [block] = await own.simulate({ blockStateCalls: [{}] })
    expect(block?.difficulty).toBe(numberToHex(own.chain.head.header.difficulty))
  })

  test('PREVRANDAO is mixHash, zero by default', async () => {
    const state = { [CODE]: { code: returning('44') } }
    const prevRandao = word(0xabcdef)
    const [chosen] = await runOneBlock(node, [{ to: CODE }], { state, block: { prevRandao } })
    expect([chosen?.mixHash, chosen?.calls[0]?.returnData]).toEqual([prevRandao, prevRandao])
    const [usual] = await runOneBlock(node, [{ to: CODE }], { state })
    expect([usual?.mixHash, usual?.calls[0]?.returnData]).toEqual([word(0), word(0)])
  })

  test('the blob base fee is no field, and not inherited', async () => {
    const read = { calls: [{ to: CODE }] }
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          ...read,
          blockOverrides: { blobBaseFee: 1234n },
          stateOverrides: overrides({ [CODE]: { code: returning('4a') } }),
        },
        read,
      ],
    })
    expect(blocks.map(({ calls }) => calls[0]?.returnData)).toEqual([word(1234), word(1)])
    expect(blocks.map(({ excessBlobGas }) => excessBlobGas)).toEqual(['0x0', '0x0'])
  })

  test('excess blob gas follows from the block before', async () => {
    const blobs = (count: number): BlockStateCall => ({
      calls: Array.from({ length: count / 6 }, () => ({
        from: node.from,
        to: NOBODY,
        blobVersionedHashes: Array.from({ length: 6 }, () => BLOB),
      })),
    })
    const blocks = await node.simulate({ blockStateCalls: [blobs(18), {}, blobs(18), {}] })
    const gas = (count: number) => numberToHex(count * 131_072)
    expect(blocks.map(({ blobGasUsed }) => blobGasUsed)).toEqual([gas(18), gas(0), gas(18), gas(0)])
    // BPO2 aims at 14 (EIP-7892); a base fee of 0 leaves EIP-7918 out of it.
    expect(blocks.map(({ excessBlobGas }) => excessBlobGas)).toEqual([
      gas(0),
      gas(4),
      gas(0),
      gas(4),
    ])
  })
})

describe('roots', () => {
  test('as another implementation has them', async () => {
    const { address, encode } = await node.deploy('Playground')
    const withdrawals = [
      { index: 1n, validatorIndex: 0x80n, address: NOBODY, amount: 3n },
      { index: 2n, validatorIndex: 0n, address: OTHER, amount: 0n },
    ]
    const calls = Array.from({ length: 130 }, (_, index) => ({
      from: node.from,
      to: address,
      data: encode('store', BigInt(index), 5n),
      gas: 60_000n,
      // Legacy and typed transactions, which a block holds in two ways.
      ...(index % 3 === 0 ? { gasPrice: 0n } : {}),
    }))
    const raw: Hex[] = []
    const [block] = await node.simulate(
      { blockStateCalls: [{ blockOverrides: { withdrawals }, calls }] },
      {
        format: {
          transaction: ({ transaction }) => {
            raw.push(toHex(transaction.raw))
            return transaction.hash
          },
        },
      },
    )
    if (block === undefined) throw new Error('There is one block')
    expect(block.transactionsRoot).toBe(await rootOf(raw))
    expect(raw.filter((one) => one.startsWith('0x02')).length).toBe(86)
    const items = withdrawals.map((one) => [
      rlpNumber(one.index),
      rlpNumber(one.validatorIndex),
      one.address,
      rlpNumber(one.amount),
    ])
    expect(block.withdrawalsRoot).toBe(await rootOf(items.map((item) => toRlp(item))))
    // Status, gas so far, bloom and logs; the bloom of each is that of its one log.
    let gas = 0n
    const receipts = block.calls.map(({ gasUsed, logs }, index) => {
      gas += BigInt(gasUsed)
      const bloom = bloomOf(logs.flatMap((log) => [log.address, ...log.topics]))
      const entries = logs.map((log) => [log.address, [...log.topics], log.data])
      // Its types know no nesting as deep as that.
      const encoded = toRlp(['0x01', rlpNumber(gas), bloom, entries] as Parameters<typeof toRlp>[0])
      return index % 3 === 0 ? encoded : concat(['0x02', encoded])
    })
    expect(block.receiptsRoot).toBe(await rootOf(receipts))
    expect(block.logsBloom).toBe(
      bloomOf(
        block.calls.flatMap(({ logs }) => logs.flatMap((log) => [log.address, ...log.topics])),
      ),
    )
    expect(block.hash).toBe(hashOf(block))
    // In a block, a legacy transaction is a list and a typed one a string (EIP-2718).
    const body = raw.map((one) => (one.startsWith('0x02') ? one : fromRlp(one, 'hex')))
    // As above.
    const rlp = toRlp([headerFields(block), body, [], items] as Parameters<typeof toRlp>[0])
    expect(Number(block.size)).toBe(rlp.length / 2 - 1)
  })
})
