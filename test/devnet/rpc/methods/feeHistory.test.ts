import { expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { FeeHistory } from '../../../../devnet/rpc/queries/feeHistory.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

const GWEI = 1_000_000_000n

/** Base fee of block 1: block 0 is empty, and has 1 gwei. */
const FIRST_FEE = 875_000_000n

async function send({ call, account }: RpcChain, index: number, tip: bigint): Promise<void> {
  await call('eth_sendTransaction', {
    from: account(index).address,
    to: account(9).address,
    maxFeePerGas: hex(10n * GWEI),
    maxPriorityFeePerGas: hex(tip),
  })
}

/** Block 1 with tips of 1, 2 and 3 gwei, in another order; a tip of 5 gwei pre-confirmed in block 2. */
async function createWithTips() {
  const node = await createRpcChain({ gasLimit: 30_000_000 })
  await send(node, 0, 3n * GWEI)
  await send(node, 1, GWEI)
  await send(node, 2, 2n * GWEI)
  await node.call('preconf_advance', { blocks: 1 })
  await send(node, 3, 5n * GWEI)
  await node.call('preconf_advance', { ticks: 1 })
  const history = (...args: unknown[]) => node.call<FeeHistory>('eth_feeHistory', ...args)
  return { ...node, history }
}

test('default: base fees and ratios, one fee more than blocks', async () => {
  const { history } = await createWithTips()
  const second = nextBaseFee(FIRST_FEE, 63_000n)
  const third = nextBaseFee(second, 21_000n)
  expect(await history('0x3', 'pending')).toEqual({
    oldestBlock: '0x0',
    baseFeePerGas: [GWEI, FIRST_FEE, second, third].map(hex),
    gasUsedRatio: [0, 63_000 / 30_000_000, 21_000 / 30_000_000],
    baseFeePerBlobGas: ['0x1', '0x1', '0x1', '0x1'],
    blobGasUsedRatio: [0, 0, 0],
  })
})

/** EIP-1559, for a block of 30 M gas under its target. */
function nextBaseFee(baseFee: bigint, gasUsed: bigint): bigint {
  return baseFee - (baseFee * (15_000_000n - gasUsed)) / 15_000_000n / 8n
}

test('args: percentiles', async () => {
  const { history } = await createWithTips()
  const { reward } = await history(3, 'pending', [0, 33, 34, 66, 67, 100])
  const gwei = (...tips: bigint[]) => tips.map((tip) => hex(tip * GWEI))
  expect(reward).toEqual([
    gwei(0n, 0n, 0n, 0n, 0n, 0n),
    gwei(1n, 1n, 2n, 2n, 3n, 3n),
    gwei(5n, 5n, 5n, 5n, 5n, 5n),
  ])
})

test('args: newest block and count', async () => {
  const { history } = await createWithTips()
  const oldest = async (count: unknown, newest: string) => {
    const { oldestBlock, gasUsedRatio } = await history(count, newest)
    return [oldestBlock, gasUsedRatio.length]
  }
  expect(await oldest('0x1', 'latest')).toEqual(['0x1', 1])
  expect(await oldest('0x1', 'pending')).toEqual(['0x2', 1])
  expect(await oldest('0x400', 'pending')).toEqual(['0x0', 3])
  expect(await oldest(1024, '0x1')).toEqual(['0x0', 2])
  expect(await oldest(2, 'earliest')).toEqual(['0x0', 1])
})

test('a commanded base fee is the next one, behind what is pre-confirmed', async () => {
  const { call, history } = await createWithTips()
  await call('hardhat_setNextBlockBaseFeePerGas', '0x7')
  const second = nextBaseFee(FIRST_FEE, 63_000n)
  const { oldestBlock, baseFeePerGas } = await history('0x1', 'latest')
  expect([oldestBlock, ...baseFeePerGas]).toEqual(['0x2', hex(second), '0x7'])
  expect((await history('0x2', '0x2')).baseFeePerGas[2]).toBe('0x7')
  expect((await history('0x1', '0x1')).baseFeePerGas).toEqual([FIRST_FEE, second].map(hex))
})

test('an empty block has rewards too, as hardhat reads the first', async () => {
  const { call } = await createRpcChain()
  expect(await call('eth_feeHistory', '0x1', 'latest', [50])).toMatchObject({ reward: [['0x0']] })
})

test('arguments out of range', async () => {
  const { failure } = await createWithTips()
  const message = async (...args: unknown[]) => await failure('eth_feeHistory', ...args)
  expect(await message('0x0', 'latest')).toEqual({
    code: -32602,
    message: 'block count must be from 1 to 1024, not 0',
  })
  expect(await message(1025, 'latest')).toEqual({
    code: -32602,
    message: 'block count must be from 1 to 1024, not 1025',
  })
  expect(await message('0x1', '0x2')).toEqual({ code: -32001, message: 'block not found: 0x2' })
  for (const percentiles of [[-1], [101], [50, 20]]) {
    expect(await message('0x1', 'latest', percentiles)).toMatchObject({ code: -32602 })
  }
  expect(await message('0x1', 'latest', Array(101).fill(5))).toMatchObject({ code: -32602 })
  expect(await message('0x1', 'latest', ['50'])).toMatchObject({ code: -32602 })
})

test('percentiles rise; networks of the plugin take equal ones, as Hardhat does', async () => {
  const asks = async (options: OptionsInput, percentiles: readonly number[]) => {
    const { failure, call } = await createRpcChain(options)
    const args = ['0x1', 'latest', percentiles] as const
    return await call('eth_feeHistory', ...args).then(
      () => 'taken',
      () => failure('eth_feeHistory', ...args),
    )
  }
  const refused = (percentile: number, order: string) => ({
    code: -32602,
    message: `invalid reward percentile: ${percentile}; they go from 0 to 100 and ${order}`,
  })
  expect(await asks({}, [0, 25, 100])).toBe('taken')
  expect(await asks({}, [25, 25])).toEqual(refused(25, 'rise'))
  expect(await asks({}, [-1])).toEqual(refused(-1, 'rise'))
  for (const options of [{ likeHardhat: true }, { anvil: true }]) {
    expect(await asks(options, [0, 0, 25, 25, 100, 100])).toBe('taken')
    expect(await asks(options, [50, 25])).toEqual(refused(25, 'do not fall'))
    expect(await asks(options, [101])).toEqual(refused(101, 'do not fall'))
  }
})
