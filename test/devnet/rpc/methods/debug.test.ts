import { type Hex, keccak256, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import { tracerNames } from '../../../../devnet/json/schemas/tracerChoice.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { encodeBlock } from '../../../../devnet/protocol/block.ts'
import { createRpcChain, ZERO_HASH } from './rpcChain.ts'

const OTHER: Hex = `0x${'cc'.repeat(20)}`
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`
const CALLS = { tracer: 'callTracer' }

/** A chain with one transfer sealed in block 1, one pre-confirmed in block 2, and one in the mempool. */
async function createTransfers() {
  const node = await createRpcChain()
  const { call, account } = node
  const from = account(0).address
  const send = () => call<Hex>('eth_sendTransaction', { from, to: OTHER, value: '0x1' })
  const sealed = await send()
  await call('preconf_advance', { blocks: 1 })
  const pending = await send()
  await call('preconf_advance', { ticks: 1 })
  const queued = await send()
  return { ...node, from, sealed, pending, queued }
}

const frame = (from: Hex) => ({ type: 'CALL', from, to: OTHER, value: '0x1', gasUsed: '0x5208' })

describe('debug_traceTransaction', () => {
  test('default: sealed and pre-confirmed', async () => {
    const { call, sealed, pending, from } = await createTransfers()
    const steps = { gas: 21_000, failed: false, returnValue: '0x', structLogs: [] }
    for (const hash of [sealed, pending]) {
      expect(await call('debug_traceTransaction', hash)).toEqual(steps)
      expect(await call('debug_traceTransaction', hash, null)).toEqual(steps)
      expect(await call('debug_traceTransaction', hash, CALLS)).toMatchObject(frame(from))
    }
  })

  test('in the mempool, and nowhere', async () => {
    const { failure, queued } = await createTransfers()
    expect(await failure('debug_traceTransaction', queued)).toEqual({
      code: -32000,
      message: `transaction ${queued} is still in the mempool: it can be traced once a tick has pre-confirmed it`,
    })
    expect(await failure('debug_traceTransaction', UNKNOWN)).toEqual({
      code: -32000,
      message: 'transaction not found',
    })
  })

  test('a tracer that is not there', async () => {
    const { failure, sealed } = await createTransfers()
    expect(await failure('debug_traceTransaction', sealed, { tracer: 'x' })).toEqual({
      code: -32602,
      message: `invalid argument 1: tracer: unknown tracer "x": there are ${tracerNames}, and struct logs if none is named; tracers in JavaScript are not supported: a bundler takes erc7562Tracer`,
    })
  })

  test('args: --max-trace-size', async () => {
    const { call, failure, account } = await createRpcChain({ maxTraceSize: 1024 })
    const data: Hex = `0x${'5b'.repeat(100)}`
    const hash = await call<Hex>('eth_sendTransaction', { from: account(0).address, data })
    await call('preconf_advance', { ticks: 1 })
    expect(await failure('debug_traceTransaction', hash)).toMatchObject({
      code: -32005,
      message: expect.stringContaining('limit'),
    })
    expect(await call('debug_traceTransaction', hash, { limit: 5 })).toMatchObject({
      failed: false,
    })
    expect(await call('debug_traceTransaction', hash, CALLS)).toMatchObject({ type: 'CREATE' })
  })
})

describe('debug_traceBlockByNumber, debug_traceBlockByHash, debug_traceBlock', () => {
  test('default: all transactions of a block', async () => {
    const { call, sealed, from, chain } = await createTransfers()
    const traces = await call('debug_traceBlockByNumber', '0x1', CALLS)
    expect(traces).toEqual([{ txHash: sealed, result: expect.objectContaining(frame(from)) }])
    expect(await call('debug_traceBlockByNumber', 'latest', CALLS)).toEqual(traces)
    expect(await call('debug_traceBlockByHash', chain.head.hash, CALLS)).toEqual(traces)
    expect(await call('debug_traceBlock', toHex(encodeBlock(chain.head)), CALLS)).toEqual(traces)
    expect(await call('debug_traceBlockByNumber', '0x1')).toMatchObject([
      { txHash: sealed, result: { gas: 21_000, structLogs: [] } },
    ])
  })

  test('pending', async () => {
    const { call, pending, from } = await createTransfers()
    expect(await call('debug_traceBlockByNumber', 'pending', CALLS)).toEqual([
      { txHash: pending, result: expect.objectContaining(frame(from)) },
    ])
  })

  test('genesis, and blocks that are not there', async () => {
    const { failure } = await createTransfers()
    const error = (message: string) => ({ code: -32000, message })
    expect(await failure('debug_traceBlockByNumber', 'earliest')).toEqual(
      error('genesis is not traceable'),
    )
    expect(await failure('debug_traceBlockByNumber', '0x2')).toEqual(error('block not found: 0x2'))
    expect(await failure('debug_traceBlockByHash', UNKNOWN)).toEqual(
      error(`block not found: ${UNKNOWN}`),
    )
    expect(await failure('debug_traceBlock', '0xc0')).toMatchObject({ code: -32000 })
  })
})

describe('debug_traceCall', () => {
  const READ = { to: OTHER }

  test('default: on latest, with overrides', async () => {
    const { call } = await createTransfers()
    // BALANCE of itself, returned.
    const code = '0x30315f5260205ff3'
    const balance = async (...rest: unknown[]) =>
      (await call<{ returnValue: Hex }>('debug_traceCall', READ, ...rest)).returnValue
    const stateOverrides = { [OTHER]: { code } }
    expect(await balance(null, { stateOverrides })).toBe(pad('0x1'))
    expect(await balance('latest', { stateOverrides })).toBe(pad('0x1'))
    expect(await balance('pending', { stateOverrides })).toBe(pad('0x2'))
    expect(await balance({ blockNumber: '0x0' }, { stateOverrides })).toBe(pad('0x0'))
    const number = { [OTHER]: { code: '0x435f5260205ff3' } }
    expect(await balance('pending', { stateOverrides: number })).toBe(pad('0x2'))
    const blockOverrides = { number: '0x99' }
    expect(await balance('latest', { stateOverrides: number, blockOverrides })).toBe(pad('0x99'))
  })

  test('args: txIndex', async () => {
    const { call, failure } = await createTransfers()
    const stateOverrides = { [OTHER]: { code: '0x30315f5260205ff3' } }
    const at = { stateOverrides, txIndex: '0x0' }
    expect(await call('debug_traceCall', READ, 'pending', at)).toMatchObject({
      returnValue: pad('0x1'),
    })
    expect(await call('debug_traceCall', READ, 'latest', at)).toMatchObject({
      returnValue: pad('0x0'),
    })
    expect(await failure('debug_traceCall', READ, 'latest', { txIndex: '0x1' })).toEqual({
      code: -32000,
      message: 'transaction index 1 out of range for a block with 1 transactions',
    })
    expect(await failure('debug_traceCall', READ, 'earliest', { txIndex: '0x0' })).toMatchObject({
      message: 'genesis is not traceable',
    })
  })

  test('a block that is not there', async () => {
    const { failure } = await createTransfers()
    expect(await failure('debug_traceCall', READ, '0x99')).toEqual({
      code: -32000,
      message: 'block not found: 0x99',
    })
  })

  test('args: timeout', async () => {
    const { failure } = await createRpcChain()
    const stateOverrides = { [OTHER]: { code: '0x5b5f56' } }
    const config = { ...CALLS, stateOverrides, timeout: '10ms' }
    expect(await failure('debug_traceCall', READ, 'latest', config)).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^execution timeout/),
    })
  })
})

describe('debug_getRaw*', () => {
  test('default: RLP whose hashes are those of the block', async () => {
    const { call, sealed, chain } = await createTransfers()
    const header = await call<Hex>('debug_getRawHeader', '0x1')
    expect(keccak256(header)).toBe(chain.head.hash)
    expect(await call('debug_getRawHeader', chain.head.hash)).toBe(header)
    const block = await call<Hex>('debug_getRawBlock', 'latest')
    expect(block).toContain(header.slice(2))
    const raw = await call<Hex>('debug_getRawTransaction', sealed)
    expect(keccak256(raw)).toBe(sealed)
    expect(block).toContain(raw.slice(2))
    const [receipt, ...others] = await call<Hex[]>('debug_getRawReceipts', { blockNumber: '0x1' })
    expect(receipt).toMatch(/^0x02f9010801825208/)
    expect(others).toEqual([])
  })

  test('pending', async () => {
    const { call, pending, queued } = await createTransfers()
    const raw = await call<Hex>('debug_getRawTransaction', pending)
    expect(keccak256(raw)).toBe(pending)
    const block = await call<Hex>('debug_getRawBlock', 'pending')
    expect(block).toContain(raw.slice(2))
    const header = await call<Hex>('debug_getRawHeader', 'pending')
    expect(block).toContain(header.slice(2))
    const { transactionsRoot, receiptsRoot } = await call<FormattedBlock>(
      'eth_getBlockByNumber',
      'pending',
    )
    for (const root of [transactionsRoot, receiptsRoot, ZERO_HASH])
      expect(header).toContain(root.slice(2))
    expect(await call('debug_getRawReceipts', 'pending')).toHaveLength(1)
    expect(keccak256(await call<Hex>('debug_getRawTransaction', queued))).toBe(queued)
  })

  test('what is not there', async () => {
    const { call, failure } = await createTransfers()
    for (const method of ['debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts']) {
      const missing = { code: -32000, message: 'block not found: 0x77' }
      expect(await failure(method, '0x77')).toEqual(missing)
    }
    expect(await call('debug_getRawTransaction', UNKNOWN)).toBeNull()
  })
})

test('debug_codeByHash', async () => {
  const { call, chain } = await createTransfers()
  const address = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
  const code = await call<Hex>('eth_getCode', address)
  expect(await call('debug_codeByHash', keccak256(code))).toBe(code)
  expect(await call('debug_codeByHash', UNKNOWN)).toBeNull()
  expect(chain.head.number).toBe(1)
})
