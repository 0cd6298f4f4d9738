import { concatHex, keccak256, numberToHex, toHex } from 'viem'
import { expect, test } from 'vitest'
import type { SealedBlock } from '../../../../devnet/protocol/block.ts'
import { nextTimeMs } from '../../../../devnet/protocol/rollup/baseTime.ts'
import { createRpcChain } from '../../rpc/methods/rpcChain.ts'

const BASE_TIME = '0x4200000000000000000000000000000000000030'
const DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
/** `timestampMs()` and `timestampMillisPart()`. */
const [MS, PART] = ['0x5745a677', '0x7b2fea99']

interface Block {
  readonly number: string
  readonly timestamp: string
  readonly timestampMs: string
  readonly transactions: readonly { readonly input: string }[]
}

/** Time begins at the start of a second. */
async function createBase(options: Parameters<typeof createRpcChain>[0] = {}) {
  const node = await createRpcChain({ profile: 'base', ...options })
  const { call } = node
  const block = (tag = 'latest') => call<Block>('eth_getBlockByNumber', tag, true)
  /** Seals a block; returns its time in ms since the first block's. */
  const seal = async () => {
    await call('preconf_seal')
    const { timestamp, timestampMs } = await block()
    expect(Math.floor(Number(timestampMs) / 1000)).toBe(Number(timestamp))
    return Number(timestampMs)
  }
  const read = async (data: string, tag = 'latest') =>
    Number(await call('eth_call', { to: BASE_TIME, data }, tag))
  return { ...node, block, seal, read }
}

test('the second transaction of a block tells its milliseconds, as Base specifies', async () => {
  const { block, call, seal } = await createBase()
  await call('evm_setNextBlockTimestamp', 4_000_000_000)
  await seal()
  await seal()
  const { number, transactions } = await block()
  const source = keccak256(
    concatHex([numberToHex(3, { size: 32 }), keccak256(numberToHex(Number(number), { size: 32 }))]),
  )
  expect(transactions).toMatchObject([
    { type: '0x7e', to: '0x4200000000000000000000000000000000000015' },
    {
      type: '0x7e',
      from: DEPOSITOR,
      to: BASE_TIME,
      value: '0x0',
      gas: toHex(1_000_000),
      sourceHash: source,
      input: `0x86bdf394${(200).toString(16).padStart(64, '0')}`,
    },
  ])
  const receipts = await call<{ status: string }[]>('eth_getBlockReceipts', 'latest')
  expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1'])
})

test('a block is 200 ms after its parent, and contracts read its time', async () => {
  const { call, seal, read } = await createBase()
  await call('evm_setNextBlockTimestamp', 4_000_000_000)
  const times: number[] = []
  for (let count = 0; count < 7; count++) {
    times.push(await seal())
    expect(await read(MS)).toBe(times.at(-1))
    expect(await read(PART)).toBe((times.at(-1) ?? 0) % 1000)
  }
  const first = 4_000_000_000_000
  expect(times).toEqual([0, 200, 400, 600, 800, 1000, 1200].map((passed) => first + passed))
})

test('a clock that goes ahead begins a second, and one that commands hold does not go back', async () => {
  const { call, seal } = await createBase({ allowBlocksWithSameTimestamp: true })
  await call('evm_setNextBlockTimestamp', 4_000_000_000)
  await seal()
  await seal()
  await call('evm_increaseTime', 3600)
  const later = await seal()
  expect(later % 1000).toBe(0)
  expect(later).toBeGreaterThanOrEqual(4_000_003_600_000)
  expect(await seal()).toBe(later + 200)
  for (let count = 0; count < 3; count++) await seal()
  await call('evm_setNextBlockTimestamp', Math.floor(later / 1000))
  expect(await seal()).toBe(later + 800)
})

test('only the protocol sets it', async () => {
  const { call, failure } = await createBase()
  const data = `0x86bdf394${(400).toString(16).padStart(64, '0')}`
  expect(await failure('eth_call', { to: BASE_TIME, data })).toMatchObject({ code: 3 })
  const odd = `0x86bdf394${(300).toString(16).padStart(64, '0')}`
  expect(await failure('eth_call', { from: DEPOSITOR, to: BASE_TIME, data: odd })).toMatchObject({
    code: 3,
  })
  expect(await call('eth_call', { from: DEPOSITOR, to: BASE_TIME, data })).toBe('0x')
})

test('a revert and a reorganisation leave each block 200 ms after its parent', async () => {
  const { call, block, seal } = await createBase()
  await call('evm_setNextBlockTimestamp', 4_000_000_000)
  await seal()
  const snapshot = await call('evm_snapshot')
  const after = await seal()
  await seal()
  await call('evm_revert', snapshot)
  expect(await seal()).toBe(after)
  await call('anvil_reorg', 1, [])
  expect(Number((await block()).timestampMs)).toBe(after)
  expect(await seal()).toBe(after + 200)
})

test('a block that holds only its deposits is empty for commands', async () => {
  const { call, block } = await createBase()
  await call('preconf_advance', { ticks: 1 })
  await call('evm_setNextBlockTimestamp', 4_100_000_000)
  await call('preconf_seal')
  expect(await block()).toMatchObject({ timestamp: toHex(4_100_000_000) })
})

test('a chain without the contract of the L1 attributes tells the milliseconds, too', async () => {
  const { call, seal, read } = await createBase()
  await call('evm_setNextBlockTimestamp', 4_000_000_000)
  await seal()
  await call('hardhat_setCode', '0x4200000000000000000000000000000000000015', '0x')
  await seal()
  const time = await seal()
  expect(time).toBe(4_000_000_000_400)
  expect(await read(MS)).toBe(time)
})

test('time does not go back behind a block that does not tell its milliseconds', () => {
  const at = (number: bigint) =>
    // Nothing else of the header is read.
    nextTimeMs({ header: { number, timestamp: 5n } as SealedBlock['header'], executed: [] })
  expect([at(0n), at(7n)]).toEqual([5200n, 5800n])
})

test('a filter returns the removed log of a block with the time that the block had', async () => {
  const { call, seal } = await createBase()
  const [from] = await call<string[]>('eth_accounts')
  const to = `0x${'77'.repeat(20)}`
  await call('hardhat_setCode', to, '0x60006000a0')
  const filter = await call('eth_newFilter', {})
  await call('eth_sendTransaction', { from, to, gas: '0x30d40' })
  await call('preconf_advance', { ticks: 1 })
  const blockTimestampMs = toHex(await seal())
  expect(await call('eth_getFilterChanges', filter)).toMatchObject([
    { removed: false, blockTimestampMs },
  ])
  await call('anvil_reorg', 1, [])
  expect(await call('eth_getFilterChanges', filter)).toMatchObject([
    { removed: true, blockTimestampMs },
  ])
})
