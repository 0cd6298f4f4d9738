import { type Hex, keccak256, numberToHex, pad, toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import { toHex } from '../../../devnet/chain/bytes.ts'
import type { SimulationFormat } from '../../../devnet/execution/simulateResult.ts'
import { formatTransaction } from '../../../devnet/rpc/format/transaction.ts'
import { START } from '../../support/chain.ts'
import {
  CODE,
  createExecutionChain,
  GWEI,
  NOBODY,
  OTHER,
  overrides,
  returning,
  type SimulatedBlockJson,
} from './harness.ts'

const word = (value: bigint | number) => pad(numberToHex(value))
const ZERO = word(0)
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** The hash of a block by its own fields. */
function hashOf(block: SimulatedBlockJson): Hex {
  const number = (name: string) => (block[name] === '0x0' ? '0x' : even(block[name] as Hex))
  const even = (hex: Hex): Hex => (hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`)
  const bytes = (name: string) => block[name] as Hex
  return keccak256(
    toRlp([
      bytes('parentHash'),
      bytes('sha3Uncles'),
      bytes('miner'),
      bytes('stateRoot'),
      bytes('transactionsRoot'),
      bytes('receiptsRoot'),
      bytes('logsBloom'),
      number('difficulty'),
      number('number'),
      number('gasLimit'),
      number('gasUsed'),
      number('timestamp'),
      bytes('extraData'),
      bytes('mixHash'),
      bytes('nonce'),
      number('baseFeePerGas'),
      bytes('withdrawalsRoot'),
      number('blobGasUsed'),
      number('excessBlobGas'),
      bytes('parentBeaconBlockRoot'),
      bytes('requestsHash'),
    ]),
  )
}

describe('results', () => {
  test('default: one block with one call', async () => {
    const node = await createExecutionChain()
    const [block] = await node.simulate({
      blockStateCalls: [{ calls: [{ from: node.from, to: NOBODY, value: 1n, gas: 21_000n }] }],
    })
    if (block === undefined) throw new Error('There is one block')
    // 0x02 || rlp([chainId, nonce, tip, cap, gas, to, value, data, accessList, 0, 0, 0])
    const hash = keccak256(
      `0x02${toRlp(['0x7a69', '0x', '0x', '0x', '0x5208', NOBODY, '0x01', '0x', [], '0x', '0x', '0x']).slice(2)}`,
    )
    expect(block).toEqual({
      number: '0x1',
      hash: hashOf(block),
      parentHash: node.chain.head.hash,
      nonce: '0x0000000000000000',
      mixHash: ZERO,
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      logsBloom: `0x${'00'.repeat(256)}`,
      stateRoot: ZERO,
      miner: `0x${'00'.repeat(20)}`,
      difficulty: '0x0',
      extraData: '0x',
      gasLimit: numberToHex(60_000_000),
      gasUsed: '0x5208',
      timestamp: numberToHex(START + 12),
      transactionsRoot: expect.not.stringMatching(EMPTY_ROOT),
      receiptsRoot: expect.not.stringMatching(EMPTY_ROOT),
      baseFeePerGas: '0x0',
      withdrawalsRoot: EMPTY_ROOT,
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: ZERO,
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      size: expect.stringMatching(/^0x2/),
      transactions: [hash],
      uncles: [],
      withdrawals: [],
      calls: [
        { status: '0x1', returnData: '0x', gasUsed: '0x5208', maxUsedGas: '0x5208', logs: [] },
      ],
    })
  })

  test('behavior: logs', async () => {
    const node = await createExecutionChain()
    const { address, encode } = await node.deploy('Playground')
    const [block] = await node.simulate({
      blockStateCalls: [
        {
          calls: [
            { from: node.from, to: address, data: encode('store', 1n, 2n) },
            { from: node.from, to: address, data: encode('storeMany', 3n, 2n, 4n) },
          ],
        },
      ],
    })
    const log = (transaction: number, logIndex: number, slot: number, value: number) => ({
      address,
      topics: [expect.stringMatching(/^0x[0-9a-f]{64}$/), word(slot)],
      data: `${word(value)}${pad(node.from).slice(2)}`,
      blockNumber: '0x1',
      transactionHash: block?.transactions[transaction],
      transactionIndex: numberToHex(transaction),
      blockHash: block?.hash,
      blockTimestamp: block?.timestamp,
      logIndex: numberToHex(logIndex),
      removed: false,
    })
    expect(block?.calls.map(({ logs }) => logs)).toEqual([
      [log(0, 0, 1, 2)],
      [log(1, 1, 3, 4), log(1, 2, 4, 4)],
    ])
    expect(block?.logsBloom).not.toBe(`0x${'00'.repeat(256)}`)
    expect(block?.hash).toBe(block && hashOf(block))
  })

  test('args: errors', async () => {
    const node = await createExecutionChain()
    const { address: to, encode } = await node.deploy('Playground')
    const payload = {
      blockStateCalls: [
        {
          stateOverrides: overrides({ [CODE]: { code: '0x5b5f56' } }),
          calls: [
            { to, data: encode('failWithReason', 'nope') },
            { to, data: '0xffffffff' as const },
            { to: CODE, gas: 50_000n },
          ],
        },
      ],
    }
    const bytes = expect.stringMatching(/^0x08c379a0/)
    const gas = { gasUsed: expect.any(String), maxUsedGas: expect.any(String) }
    const failed = { status: '0x0', logs: [], ...gas }
    const [strings] = await node.simulate(payload, { format: { errors: 'string' } })
    expect(strings?.calls).toEqual([
      { ...failed, returnData: bytes, error: 'execution reverted: nope' },
      { ...failed, returnData: '0x', error: 'execution reverted' },
      { ...failed, returnData: '0x', error: 'out of gas' },
    ])
    const [objects] = await node.simulate(payload, { format: { errors: 'object' } })
    expect(objects?.calls).toEqual([
      {
        ...failed,
        returnData: '0x',
        error: { code: 3, message: 'execution reverted: nope', data: bytes },
      },
      {
        ...failed,
        returnData: '0x',
        error: { code: 3, message: 'execution reverted', data: '0x' },
      },
      { ...failed, returnData: '0x', error: { code: -32015, message: 'out of gas' } },
    ])
    expect(objects?.calls[2]?.gasUsed).toBe(numberToHex(50_000))
  })

  test('args: returnFullTransactions', async () => {
    const node = await createExecutionChain()
    const payload = {
      blockStateCalls: [{ calls: [{ from: node.from, to: NOBODY, gas: 30_000n, value: 3n }] }],
    }
    const [hashes] = await node.simulate(payload)
    const [block] = await node.simulate(payload, { format: { transaction: formatTransaction } })
    expect(block?.transactions).toEqual([
      expect.objectContaining({
        hash: hashes?.transactions[0],
        blockHash: block?.hash,
        blockNumber: '0x1',
        blockTimestamp: block?.timestamp,
        transactionIndex: '0x0',
        from: node.from,
        to: NOBODY,
        gas: numberToHex(30_000),
        gasPrice: '0x0',
        nonce: '0x0',
        type: '0x2',
        value: '0x3',
        v: '0x0',
        r: '0x0',
        s: '0x0',
        yParity: '0x0',
      }),
    ])
  })

  test('behavior: maxUsedGas is before refunds', async () => {
    const node = await createExecutionChain()
    const [block] = await node.simulate({
      blockStateCalls: [
        {
          stateOverrides: overrides({
            [CODE]: { code: '0x5f5f55', stateDiff: new Map([[ZERO, word(1)]]) },
          }),
          calls: [{ to: CODE }],
        },
      ],
    })
    // PUSH0 twice, and 5,000 for the write, of which 4,800 come back (EIP-3529).
    expect(block?.calls[0]).toMatchObject({
      maxUsedGas: numberToHex(21_004 + 5000),
      gasUsed: numberToHex(21_004 + 5000 - 4800),
    })
  })

  test('behavior: fields that the hardfork lacks are left out', async () => {
    const node = await createExecutionChain({ hardfork: 'paris' })
    const [block] = await node.simulate({ blockStateCalls: [{}] })
    expect(Object.keys(block ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/withdrawals|blob|beacon|requests/i)]),
    )
  })
})

describe('sequence', () => {
  test('behavior: storage and nonces go on from block to block', async () => {
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

  test('behavior: numbers and times', async () => {
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

  test('behavior: what is inherited, and what is not', async () => {
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

  test('behavior: on pending, from the newest sealed block with the pre-confirmed state', async () => {
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

  test('behavior: the pending state is laid under once', async () => {
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

  test('behavior: commits nothing', async () => {
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

  test('behavior: BLOCKHASH of simulated, filled and real blocks', async () => {
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

  test('behavior: EIP-2935 and EIP-4788 in each block', async () => {
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

describe('blocks like real ones', () => {
  test('behavior: gas, logs and status as when sealed', async () => {
    const node = await createExecutionChain()
    const { address: to, encode } = await node.deploy('Playground')
    await node.seal()
    const base = node.chain.head
    const requests: { to?: Hex; data: Hex; value?: bigint }[] = [
      { to, data: encode('storeMany', 1n, 3n, 7n) },
      { to, data: encode('storeMany', 1n, 3n, 0n) },
      { to, data: encode('tryAndFail', 1n, 3n) },
      { to, data: encode('failWithReason', 'nope') },
      { to, data: encode('create', 1n, NOBODY), value: 5n },
      { to, data: encode('create', 2n, `0x${'00'.repeat(20)}`), value: 6n },
      { to, data: encode('endLast', NOBODY) },
      { to: NOBODY, data: '0x0001', value: 1n },
      { data: '0x60015ff3' },
    ]
    for (const request of requests) await node.send({ ...request, gas: 1_000_000n })
    await node.tick()
    await node.seal()
    const sealed = node.chain.head
    const [block] = await node.simulate(
      {
        validation: true,
        blockStateCalls: [
          {
            blockOverrides: {
              time: sealed.header.timestamp,
              feeRecipient: toHex(sealed.header.coinbase),
              prevRandao: toHex(sealed.header.mixHash),
            },
            calls: requests.map((request) => ({
              from: node.from,
              gas: 1_000_000n,
              maxFeePerGas: 10n * GWEI,
              maxPriorityFeePerGas: 1n,
              ...request,
            })),
          },
        ],
      },
      { block: base },
    )
    expect(block).toMatchObject({
      number: numberToHex(sealed.number),
      parentHash: base.hash,
      baseFeePerGas: numberToHex(sealed.header.baseFeePerGas ?? 0n),
      gasUsed: numberToHex(sealed.header.gasUsed),
      logsBloom: toHex(sealed.header.logsBloom),
      receiptsRoot: toHex(sealed.header.receiptsRoot),
    })
    expect(block?.calls.map(({ gasUsed, status, logs }) => [gasUsed, status, logs.length])).toEqual(
      sealed.executed.map(({ gasUsed, success, logs }) => [
        numberToHex(gasUsed),
        success ? '0x1' : '0x0',
        logs.length,
      ]),
    )
  })

  test('args: withdrawals', async () => {
    const node = await createExecutionChain()
    const withdrawal = { index: 1n, validatorIndex: 2n, address: NOBODY, amount: 3n }
    const blocks = await node.simulate({
      blockStateCalls: [
        {
          blockOverrides: { withdrawals: [withdrawal] },
          stateOverrides: overrides({ [CODE]: { code: returning(`73${NOBODY.slice(2)}31`) } }),
          calls: [{ to: CODE }],
        },
        { calls: [{ to: CODE }] },
      ],
    })
    expect(blocks.map((block) => block.withdrawals)).toEqual([
      [{ index: '0x1', validatorIndex: '0x2', address: NOBODY, amount: '0x3' }],
      [],
    ])
    expect(blocks.map((block) => block.calls[0]?.returnData)).toEqual([word(0), word(3n * GWEI)])
    const [first] = blocks
    expect(first?.withdrawalsRoot).not.toBe(EMPTY_ROOT)
    expect(first?.hash).toBe(first && hashOf(first))
  })

  test('behavior: requests of system contracts', async () => {
    const node = await createExecutionChain()
    const contract = '0x00000961ef480eb55e80d19ad83579a64c007002' as const
    const data: Hex = `0x${'ab'.repeat(48)}${'00'.repeat(8)}`
    const [quiet, asking] = await node.simulate({
      blockStateCalls: [{}, { calls: [{ from: node.from, to: contract, value: 1n, data }] }],
    })
    expect(asking?.calls[0]?.status).toBe('0x1')
    expect(asking?.requestsHash).not.toBe(quiet?.requestsHash)
    expect(asking?.hash).toBe(asking && hashOf(asking))
  })
})
