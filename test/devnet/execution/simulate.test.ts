import { keccak256, numberToHex, pad, toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import { formatTransaction } from '../../../devnet/json/formatTransaction.ts'
import { START } from '../../support/chain.ts'
import { CODE, createExecutionChain, NOBODY, overrides } from './harness.ts'
import { hashOf } from './headerHash.ts'

const word = (value: bigint | number) => pad(numberToHex(value))
const ZERO = word(0)
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

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

  test('logs', async () => {
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

  test('maxUsedGas is before refunds', async () => {
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

  test('fields that the hardfork lacks are left out', async () => {
    const node = await createExecutionChain({ hardfork: 'paris' })
    const [block] = await node.simulate({ blockStateCalls: [{}] })
    expect(Object.keys(block ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/withdrawals|blob|beacon|requests/i)]),
    )
  })
})
