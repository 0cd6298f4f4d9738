import { describe, expect, test } from 'vitest'
import { readValue } from '../../../../devnet/json/params.ts'
import {
  NO_TRACE_CONFIG,
  traceCallConfig,
  traceConfig,
} from '../../../../devnet/json/schemas/traceConfig.ts'
import { accepts, ReadError, type Reader } from '../../../../devnet/primitives/reader.ts'

const STEPS = {
  enableMemory: false,
  enableReturnData: false,
  disableStack: false,
  disableStorage: false,
  limit: 0,
}

function problem(value: unknown, reader: Reader<unknown> = traceConfig()): string {
  try {
    reader(value, { path: [], takesDecimals: false })
  } catch (error) {
    return error instanceof ReadError ? error.message : String(error)
  }
  throw new Error('It was accepted')
}

describe('struct logs', () => {
  test('default', () => {
    expect(readValue(traceConfig(), {})).toEqual(NO_TRACE_CONFIG)
    expect(NO_TRACE_CONFIG).toEqual({
      tracer: { name: 'structLogger', config: STEPS },
      timeout: 5000,
    })
    expect(readValue(traceConfig(), { tracer: null, timeout: null, reexec: 128 })).toEqual(
      NO_TRACE_CONFIG,
    )
    expect(readValue(traceConfig(), { tracer: '' })).toEqual(NO_TRACE_CONFIG)
  })

  test('args: every option', () => {
    const given = {
      enableMemory: true,
      enableReturnData: true,
      disableStack: true,
      disableStorage: true,
      limit: 77,
    }
    const { tracer } = readValue(traceConfig(), given)
    expect(tracer).toEqual({ name: 'structLogger', config: given })
    expect(readValue(traceConfig(), { limit: '0x4d' }).tracer).toMatchObject({
      config: { limit: 77 },
    })
  })

  test.each([
    [{ disableMemory: false }, true],
    [{ disableMemory: true }, false],
    [{ enableMemory: false, disableMemory: false }, false],
    [{ enableMemory: true, disableMemory: true }, true],
  ])('args: %o', (given, enableMemory) => {
    expect(readValue(traceConfig(), given).tracer).toMatchObject({ config: { enableMemory } })
  })
})

describe('tracers', () => {
  test.each([
    [
      { tracer: 'callTracer' },
      { name: 'callTracer', config: { onlyTopCall: false, withLog: false } },
    ],
    [
      { tracer: 'callTracer', tracerConfig: { withLog: true, onlyTopCall: null } },
      { name: 'callTracer', config: { onlyTopCall: false, withLog: true } },
    ],
    [
      { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } },
      { name: 'flatCallTracer', config: { convertParityErrors: true, includePrecompiles: false } },
    ],
    [
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true, disableCode: true } },
      {
        name: 'prestateTracer',
        config: { diffMode: true, disableCode: true, disableStorage: false, includeEmpty: false },
      },
    ],
    [{ tracer: '4byteTracer', tracerConfig: null }, { name: '4byteTracer' }],
    [{ tracer: 'noopTracer', tracerConfig: { any: 1 } }, { name: 'noopTracer' }],
    [
      { tracer: 'erc7562Tracer', tracerConfig: { stackTopItemsSize: 3 } },
      { name: 'erc7562Tracer', config: { ignoredOpcodes: undefined, withLog: false } },
    ],
    [
      {
        tracer: 'erc7562Tracer',
        tracerConfig: { ignoredOpcodes: ['0x1', '0x154'], withLog: true },
      },
      { name: 'erc7562Tracer', config: { ignoredOpcodes: new Set([0x01, 0x54]), withLog: true } },
    ],
    [
      { tracer: 'muxTracer', tracerConfig: { noopTracer: null, callTracer: { withLog: true } } },
      {
        name: 'muxTracer',
        tracers: [
          { name: 'noopTracer' },
          { name: 'callTracer', config: { onlyTopCall: false, withLog: true } },
        ],
      },
    ],
  ])('args: %o', (given, tracer) => {
    expect(readValue(traceConfig(), given).tracer).toEqual(tracer)
  })

  test('an unknown one is told which there are', () => {
    for (const tracer of ['prestate', '{step: function() {}}', '__proto__', 'constructor']) {
      const message = problem({ tracer })
      for (const known of [
        'callTracer',
        'flatCallTracer',
        'prestateTracer',
        '4byteTracer',
        'noopTracer',
        'erc7562Tracer',
        'muxTracer',
      ]) {
        expect(message).toContain(known)
      }
      expect(message).toContain('JavaScript are not supported')
      expect(message.length).toBeLessThan(300)
    }
  })

  test.each<[object, string]>([
    [{ tracer: 5 }, 'want a string'],
    [{ tracer: 'callTracer', tracerConfig: 5 }, 'want an object'],
    [{ tracer: 'callTracer', tracerConfig: { withLog: 'x' } }, 'want true or false'],
    [
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true, includeEmpty: true } },
      'cannot use diffMode with includeEmpty',
    ],
    [
      { tracer: 'erc7562Tracer', tracerConfig: { ignoredOpcodes: '0x1' } },
      'want a list of opcodes',
    ],
    [{ tracer: 'erc7562Tracer', tracerConfig: { ignoredOpcodes: [1] } }, 'want a hex number'],
    [{ tracer: 'muxTracer', tracerConfig: [] }, 'want an object'],
    [{ tracer: 'muxTracer', tracerConfig: { x: {} } }, 'unknown tracer "x"'],
    [{ tracer: 'muxTracer', tracerConfig: { callTracer: { withLog: 1 } } }, 'want true or false'],
    [{ tracer: 'muxTracer', tracerConfig: { muxTracer: {} } }, 'no muxTracer inside of another'],
    [{ limit: -1 }, 'want an integer'],
  ])('%o is refused', (given, message) => {
    expect(problem(given)).toContain(message)
  })
})

describe('timeout', () => {
  test.each([
    ['5s', 5000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['+.5s', 500],
    ['1s2us', 1000.002],
    ['10\u00b5s', 0.01],
    ['2000000ns', 2],
  ])('args: %s', (timeout, expected) => {
    expect(readValue(traceConfig(), { timeout }).timeout).toBeCloseTo(expected, 9)
  })

  test.each(['', '5', 's', '5 s', '-5s', '5sec', '1e3s', '0s', '0', 5000, `${'9'.repeat(400)}h`])(
    '%s is refused',
    (timeout) => {
      expect(problem({ timeout })).toContain('duration')
    },
  )
})

test('args: what a call takes beside', () => {
  const given = {
    stateOverrides: { [`0x${'Ab'.repeat(20)}`]: { balance: '0x5' } },
    blockOverrides: { number: '0x7' },
    txIndex: '0x2',
    timeout: '1s',
  }
  expect(readValue(traceCallConfig(), given)).toMatchObject({
    tracer: { name: 'structLogger' },
    timeout: 1000,
    stateOverrides: new Map([[`0x${'ab'.repeat(20)}`, { balance: 5n }]]),
    blockOverrides: { number: 7n },
    txIndex: 2n,
  })
  expect(readValue(traceCallConfig(), { tracer: 'noopTracer' })).toMatchObject({
    stateOverrides: undefined,
    blockOverrides: undefined,
    txIndex: undefined,
  })
  expect(accepts(traceCallConfig(), { txIndex: 2 })).toBe(false)
  expect(problem({ tracer: 'x' }, traceCallConfig())).toContain('unknown tracer')
})
