import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { CODE, OTHER } from '../execution/harness.ts'
import {
  createTracingChain,
  type StructLog,
  type StructLogs,
  type TracingChain,
} from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

/** The steps of `code`; gas is what it begins with. */
async function steps(code: Hex, config: object = {}, gas = 100_000n) {
  const { structLogs } = await node.traceCode<StructLogs>(code, config, { gas: gas + 21_000n })
  return structLogs
}

const word = (value: number | string): Hex => `0x${value.toString(16).padStart(64, '0')}`

describe('the whole', () => {
  test('default: gas, output and steps', async () => {
    // PUSH1 42, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    const trace = await node.traceCode('0x602a5f5260205ff3', {}, { gas: 121_000n })
    expect(trace).toEqual({
      gas: 21_016,
      failed: false,
      returnValue: word('2a'),
      structLogs: [
        { pc: 0, op: 'PUSH1', gas: 100_000, gasCost: 3, depth: 1, stack: [] },
        { pc: 2, op: 'PUSH0', gas: 99_997, gasCost: 2, depth: 1, stack: ['0x2a'] },
        { pc: 3, op: 'MSTORE', gas: 99_995, gasCost: 6, depth: 1, stack: ['0x2a', '0x0'] },
        { pc: 4, op: 'PUSH1', gas: 99_989, gasCost: 3, depth: 1, stack: [] },
        { pc: 6, op: 'PUSH0', gas: 99_986, gasCost: 2, depth: 1, stack: ['0x20'] },
        { pc: 7, op: 'RETURN', gas: 99_984, gasCost: 0, depth: 1, stack: ['0x20', '0x0'] },
      ],
    })
  })

  test('what a revert says is returned', async () => {
    // MSTORE8(0, 7), REVERT(0, 1)
    const trace = await node.traceCode<StructLogs>('0x60075f5360015ffd')
    expect(trace).toMatchObject({ failed: true, returnValue: '0x07' })
    expect(trace.structLogs.at(-1)).toMatchObject({ op: 'REVERT', gasCost: 0 })
    expect(trace.structLogs.at(-1)).not.toHaveProperty('error')
  })

  test('any other failure returns nothing', async () => {
    const trace = await node.traceCode<StructLogs>('0x60015ffe', {}, { gas: 50_000n })
    expect(trace).toMatchObject({ gas: 50_000, failed: true, returnValue: '0x' })
  })

  test('a transfer has no steps', async () => {
    const trace = await node.traceCall({ from: node.from, to: OTHER, value: 1n })
    expect(trace).toEqual({ gas: 21_000, failed: false, returnValue: '0x', structLogs: [] })
  })

  test('a creation returns its code', async () => {
    // Init code that returns one zero byte: PUSH1 1, PUSH0, RETURN
    const trace = await node.traceCall<StructLogs>({ from: node.from, data: '0x60015ff3' })
    expect(trace).toMatchObject({ failed: false, returnValue: '0x00' })
  })
})

describe('options', () => {
  // MSTORE(0, 1), MSTORE(32, 2), SLOAD(5), POP
  const CODE_BYTES = '0x60015f526002602052600554500000' satisfies Hex

  test('args: enableMemory', async () => {
    const list = await steps(CODE_BYTES, { enableMemory: true })
    expect(list.map(({ op, memory }) => [op, memory])).toEqual([
      ['PUSH1', undefined],
      ['PUSH0', undefined],
      // As it is before the opcode: not yet as large as the opcode will make it.
      ['MSTORE', undefined],
      ['PUSH1', [word(1)]],
      ['PUSH1', [word(1)]],
      ['MSTORE', [word(1)]],
      ['PUSH1', [word(1), word(2)]],
      ['SLOAD', [word(1), word(2)]],
      ['POP', [word(1), word(2)]],
      ['STOP', [word(1), word(2)]],
    ])
  })

  test('args: disableMemory, as it was called once', async () => {
    const memories = async (config: object) =>
      (await steps(CODE_BYTES, config)).filter(({ memory }) => memory !== undefined).length
    expect(await memories({})).toBe(0)
    expect(await memories({ disableMemory: true })).toBe(0)
    expect(await memories({ disableMemory: false })).toBe(7)
  })

  test('memory that a call paid for is there before it is written', async () => {
    // STATICCALL of the identity precompile, whose output would go to bytes 64 to 95; then the end.
    const list = await steps('0x602060405f5f60045afa50', { enableMemory: true })
    expect(list.at(-1)?.memory).toEqual([word(0), word(0), word(0)])
  })

  test('args: disableStack', async () => {
    const list = await steps(CODE_BYTES, { disableStack: true })
    expect(list.some((step) => 'stack' in step)).toBe(false)
  })

  test('storage at the opcodes that come to it, with all slots of the contract so far', async () => {
    // SLOAD(5), POP, SSTORE(1, 2), SLOAD(5)
    const code = '0x6005545060026001556005545000' satisfies Hex
    const { structLogs } = await node.traceCode<StructLogs>(
      code,
      {},
      {},
      { state: { [CODE]: { code, stateDiff: new Map([[word(5), word(9)]]) } } },
    )
    expect(
      structLogs.filter(({ storage }) => storage).map(({ op, storage }) => [op, storage]),
    ).toEqual([
      ['SLOAD', { [word(5)]: word(9) }],
      ['SSTORE', { [word(5)]: word(9), [word(1)]: word(2) }],
      ['SLOAD', { [word(5)]: word(9), [word(1)]: word(2) }],
    ])
  })

  test('args: disableStorage', async () => {
    const list = await steps(CODE_BYTES, { disableStorage: true })
    expect(list.some((step) => 'storage' in step)).toBe(false)
  })

  test('args: enableReturnData', async () => {
    // MSTORE8(0, 7); the identity precompile hands the byte back.
    const code = '0x60075f535f5f60015f60045afa5000' satisfies Hex
    const list = await steps(code, { enableReturnData: true })
    expect(list.slice(-2).map(({ op, returnData }) => [op, returnData])).toEqual([
      ['POP', '0x07'],
      ['STOP', '0x07'],
    ])
    expect((await steps(code)).some((step) => 'returnData' in step)).toBe(false)
  })

  test('args: limit: steps after which no more are recorded', async () => {
    const all = await node.traceCode<StructLogs>(CODE_BYTES)
    const some = await node.traceCode<StructLogs>(CODE_BYTES, { limit: 2 })
    expect(some).toEqual({ ...all, structLogs: all.structLogs.slice(0, 2) })
    expect(await node.traceCode<StructLogs>(CODE_BYTES, { limit: 0 })).toEqual(all)
  })
})

describe('calls', () => {
  // CALL(gas 5000, to OTHER, value 1)
  const CALL = `0x5f5f5f5f600173${OTHER.slice(2)}611388f15000` satisfies Hex
  const inner = { [OTHER]: { code: '0x5b' as Hex } }
  const callSteps = async (code: Hex) => {
    const trace = await node.traceCode<StructLogs>(code, {}, { gas: 121_000n }, { state: inner })
    return trace.structLogs
  }

  test('a call costs what it forwards too; depth begins with 1', async () => {
    const list = await callSteps(CALL)
    const at = list.findIndex(({ op }) => op === 'CALL')
    const [call, jumpdest, stop, pop] = list.slice(at)
    // 2600 for the cold account, 9000 for the value, 5000 forwarded; 2300 come with the value.
    expect(call).toMatchObject({ op: 'CALL', gasCost: 16_600, depth: 1 })
    expect(jumpdest).toMatchObject({ op: 'JUMPDEST', gas: 7300, gasCost: 1, depth: 2, stack: [] })
    expect(stop).toMatchObject({ op: 'STOP', pc: 1, gas: 7299, depth: 2 })
    expect(pop).toMatchObject({ op: 'POP', depth: 1, stack: ['0x1'] })
    expect(pop?.gas).toBe((call?.gas ?? 0) - 16_600 + 7299)
  })

  test('no more than 63 of 64 parts are forwarded', async () => {
    // DELEGATECALL with all gas.
    const list = await callSteps(`0x5f5f5f5f73${OTHER.slice(2)}5af45000`)
    const at = list.findIndex(({ op }) => op === 'DELEGATECALL')
    const [call, first] = list.slice(at)
    const left = (call?.gas ?? 0) - 2600
    expect(call?.gasCost).toBe(2600 + left - Math.floor(left / 64))
    expect(first?.gas).toBe(left - Math.floor(left / 64))
  })

  test('a creation does not cost what it forwards', async () => {
    // CREATE without code.
    const list = await steps('0x5f5f5ff05000')
    expect(list.find(({ op }) => op === 'CREATE')).toMatchObject({ gasCost: 32_000 })
  })

  test('refunds so far', async () => {
    // SSTORE(1, 0) over 1 refunds 4,800.
    const code = '0x5f6001555b00' satisfies Hex
    const { structLogs } = await node.traceCode<StructLogs>(
      code,
      {},
      {},
      { state: { [CODE]: { code, stateDiff: new Map([[word(1), word(1)]]) } } },
    )
    expect(structLogs.map(({ op, refund }) => [op, refund])).toEqual([
      ['PUSH0', undefined],
      ['PUSH1', undefined],
      ['SSTORE', 4800],
      ['JUMPDEST', 4800],
      ['STOP', 4800],
    ])
  })
})

describe('steps that fail', () => {
  const last = async (code: Hex, gas?: bigint): Promise<Partial<StructLog>> => {
    const {
      pc: _pc,
      depth: _depth,
      stack: _stack,
      ...rest
    } = (await steps(code, {}, gas)).at(-1) ?? {}
    return rest
  }

  test.each<[string, Hex, bigint, Partial<StructLog>]>([
    ['plain gas', '0x6001', 2n, { op: 'PUSH1', gas: 2, gasCost: 3, error: 'out of gas' }],
    [
      'gas for memory',
      '0x5f63ffffffff52',
      1000n,
      { op: 'MSTORE', gas: 995, gasCost: 35_184_775_266_310, error: 'out of gas' },
    ],
    [
      'offset beyond all memory',
      '0x5f6801000000000000000052',
      1000n,
      { op: 'MSTORE', gas: 995, gasCost: 3, error: 'gas uint64 overflow' },
    ],
    [
      'operands',
      '0x01',
      1000n,
      { op: 'ADD', gas: 1000, gasCost: 3, error: 'stack underflow (0 <=> 2)' },
    ],
    [
      'operands of a call, which pays for a warm account first',
      '0x5ff1',
      1000n,
      { op: 'CALL', gas: 998, gasCost: 100, error: 'stack underflow (1 <=> 7)' },
    ],
    [
      'room on the stack',
      `0x${'5f'.repeat(1025)}`,
      10_000n,
      { op: 'PUSH0', gas: 7952, gasCost: 2, error: 'stack limit reached 1024 (1023)' },
    ],
    [
      'the sentry of SSTORE',
      '0x60016001550000',
      2306n,
      {
        op: 'SSTORE',
        gas: 2300,
        gasCost: 0,
        error: 'out of gas: not enough gas for reentrancy sentry',
        // As geth: what it would have written.
        storage: { [word(1)]: word(1) },
      },
    ],
    // What fails while it runs was recorded before.
    ['an undefined opcode', '0x0c', 1000n, { op: 'opcode 0xc not defined', gas: 1000, gasCost: 0 }],
    ['INVALID', '0xfe', 1000n, { op: 'INVALID', gas: 1000, gasCost: 0 }],
    ['a jump into nowhere', '0x600756', 1000n, { op: 'JUMP', gas: 997, gasCost: 8 }],
    [
      'return data that is not there',
      '0x60015f5f3e',
      1000n,
      { op: 'RETURNDATACOPY', gas: 993, gasCost: 9 },
    ],
  ])('%s', async (_name, code, gas, expected) => {
    expect(await last(code, gas)).toEqual(expected)
  })

  test('a REVERT far outside of memory', async () => {
    expect(await last('0x6020678000000000000000fd', 50_000n)).toEqual({
      op: 'REVERT',
      gas: 49_994,
      gasCost: 0,
      error: 'out of gas: gas uint64 overflow',
    })
  })
})
