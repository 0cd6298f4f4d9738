import { type Hex, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { toHex } from '../../../devnet/primitives/hex.ts'
import { CODE, createExecutionChain, GWEI, NOBODY, overrides, returning } from './harness.ts'
import { hashOf } from './headerHash.ts'

const word = (value: bigint | number) => pad(numberToHex(value))
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

describe('blocks like real ones', () => {
  test('gas, logs and status as when sealed', async () => {
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

  test('requests of system contracts', async () => {
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
