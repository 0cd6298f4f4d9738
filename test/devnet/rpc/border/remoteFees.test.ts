import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { FeeHistory } from '../../../../devnet/rpc/queries/feeHistory.ts'
import { createBorderChain } from './borderChain.ts'

/** What an upstream answers for its blocks up to 3; the base fee of block 4 is what it foresees. */
const UPSTREAM = {
  oldestBlock: '0x2',
  baseFeePerGas: ['0x20', '0x30', '0x40'],
  gasUsedRatio: [0.2, 0.3],
  baseFeePerBlobGas: ['0x2', '0x3', '0x4'],
  blobGasUsedRatio: [0, 0.5],
  reward: [['0x21'], ['0x31']],
  l1Fees: ['0x7e'],
}

describe('eth_feeHistory', () => {
  test('blocks before the fork block are upstream’s', async () => {
    const { asked, call } = await createBorderChain({ eth_feeHistory: UPSTREAM })
    expect(await call('eth_feeHistory', '0x2', '0x2', [50])).toEqual(UPSTREAM)
    expect(await call('eth_feeHistory', 1, 'earliest')).toEqual(UPSTREAM)
    expect(asked).toEqual([
      ['eth_feeHistory', '0x2', '0x2', [50]],
      ['eth_feeHistory', '0x1', '0x0', []],
    ])
  })

  test('behind the fork block comes an own base fee', async () => {
    const { asked, call } = await createBorderChain({ eth_feeHistory: UPSTREAM })
    const block = await call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', '0x4', false)
    expect(await call('eth_feeHistory', '0x2', '0x3', [50])).toEqual({
      ...UPSTREAM,
      baseFeePerGas: ['0x20', '0x30', block.baseFeePerGas],
      baseFeePerBlobGas: ['0x2', '0x3', '0x1'],
    })
    expect(asked).toEqual([['eth_feeHistory', '0x2', '0x3', [50]]])
  })

  test('joins both parts', async () => {
    const { asked, call, answers } = await createBorderChain({ eth_feeHistory: UPSTREAM })
    const own = await call<FeeHistory>('eth_feeHistory', '0x2', 'latest', [50])
    expect(own.oldestBlock).toBe('0x4')
    expect(asked).toEqual([])
    const both = await call<FeeHistory>('eth_feeHistory', '0x4', 'latest', [50])
    expect(both).toEqual({
      ...UPSTREAM,
      baseFeePerGas: ['0x20', '0x30', ...own.baseFeePerGas],
      gasUsedRatio: [0.2, 0.3, ...own.gasUsedRatio],
      baseFeePerBlobGas: ['0x2', '0x3', ...own.baseFeePerBlobGas],
      blobGasUsedRatio: [0, 0.5, ...own.blobGasUsedRatio],
      reward: [['0x21'], ['0x31'], ...(own.reward ?? [])],
    })
    expect(asked.splice(0)).toEqual([['eth_feeHistory', '0x2', '0x3', [50]]])
    // As many as the upstream has, which may be fewer than asked for, and may know no blobs.
    const { baseFeePerBlobGas, blobGasUsedRatio, reward, ...plain } = UPSTREAM
    answers.eth_feeHistory = plain
    const pending = await call<FeeHistory>('eth_feeHistory', '0x400', 'pending')
    expect(pending.oldestBlock).toBe('0x2')
    expect(pending.baseFeePerGas).toHaveLength(6)
    expect(pending.gasUsedRatio).toHaveLength(5)
    expect(pending.baseFeePerBlobGas).toEqual(['0x0', '0x0', '0x1', '0x1', '0x1', '0x1'])
    expect(pending.blobGasUsedRatio).toEqual([0, 0, 0, 0, 0])
    expect(pending.reward).toBeUndefined()
    expect(asked).toEqual([['eth_feeHistory', '0x3fd', '0x3', []]])
  })

  test('blocks between both parts that are not kept', async () => {
    const { asked, call } = await createBorderChain({ eth_feeHistory: UPSTREAM }, { keepBlocks: 1 })
    const kept = await call<FeeHistory>('eth_feeHistory', '0x5', 'latest')
    expect([kept.oldestBlock, kept.gasUsedRatio.length]).toEqual(['0x5', 1])
    expect(asked).toEqual([])
    expect(await call('eth_feeHistory', '0x2', '0x3', [50])).toEqual(UPSTREAM)
  })

  test('error: an answer without rewards or lists', async () => {
    const { answers, failure } = await createBorderChain()
    for (const [answer, name] of [
      [{ ...UPSTREAM, reward: null }, 'reward'],
      [{ ...UPSTREAM, gasUsedRatio: {} }, 'gasUsedRatio'],
      [null, 'gasUsedRatio'],
    ] as const) {
      answers.eth_feeHistory = answer
      expect(await failure('eth_feeHistory', '0x4', 'latest', [50])).toEqual({
        code: -32000,
        message: `upstream answered eth_feeHistory without a list in ${name}`,
      })
    }
  })

  test('error: what is refused without asking', async () => {
    const { asked, failure } = await createBorderChain({ eth_feeHistory: UPSTREAM })
    expect(await failure('eth_feeHistory', '0x0', '0x2')).toMatchObject({ code: -32602 })
    expect(await failure('eth_feeHistory', '0x401', '0x2')).toMatchObject({ code: -32602 })
    expect(await failure('eth_feeHistory', '0x1', '0x9')).toMatchObject({ code: -32001 })
    expect(asked).toEqual([])
  })
})
