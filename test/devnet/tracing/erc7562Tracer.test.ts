import { type Hex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { CODE, NOBODY, OTHER } from '../execution/harness.ts'
import {
  callCode,
  createTracingChain,
  type TraceChanges,
  type TracedFrame,
  type TracingChain,
} from './harness.ts'

interface Facts extends TracedFrame {
  readonly accessedSlots: {
    readonly reads: Readonly<Record<Hex, readonly Hex[]>>
    readonly writes: Readonly<Record<Hex, number>>
    readonly transientReads: Readonly<Record<Hex, number>>
    readonly transientWrites: Readonly<Record<Hex, number>>
  }
  readonly extCodeAccessInfo: readonly Hex[]
  readonly usedOpcodes: Readonly<Record<Hex, number>>
  readonly contractSize: Readonly<Record<Hex, { contractSize: number; opcode: number }>>
  readonly outOfGas: boolean
  readonly keccak?: readonly Hex[]
  readonly calls?: readonly Facts[]
}

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

/** Traces code with slots 1 and 2 of value 5 and 6. */
function traced(
  code: Hex,
  tracerConfig?: object,
  state: TraceChanges['state'] = {},
  gas = 500_000n,
): Promise<Facts> {
  const stateDiff = new Map([1, 2].map((slot) => [word(slot), word(slot + 4)]))
  return node.traceCode<Facts>(
    code,
    { tracer: 'erc7562Tracer', tracerConfig },
    { gas },
    { state: { [CODE]: { code, balance: 9n, stateDiff }, ...state } },
  )
}

const word = (value: number): Hex => pad(`0x${value.toString(16).padStart(2, '0')}`)
const other = OTHER.slice(2)
const nobody = NOBODY.slice(2)

/** The only frame inside the outermost one, which calls `code` once. */
async function inside(code: Hex, tracerConfig?: object): Promise<Facts> {
  const { calls } = await traced(`0x${callCode('f1', OTHER)}`, tracerConfig, { [OTHER]: { code } })
  const [frame] = calls ?? []
  if (frame === undefined) throw new Error('No frame was opened')
  return frame
}

test('default: a whole trace', async () => {
  // SLOAD(1), EXTCODEHASH(OTHER), a call, KECCAK256 of 2 bytes, STOP at the end of the code
  const code: Hex = `0x6001545073${other}3f50${callCode('f1', OTHER)}60025f20`
  expect(await traced(code, undefined, { [OTHER]: { code: '0x5a5000' } })).toEqual({
    type: 'CALL',
    from: node.from,
    to: CODE,
    gas: '0x7a120',
    gasUsed: expect.stringMatching(/^0x/),
    value: '0x0',
    input: '0x',
    accessedSlots: {
      reads: { [word(1)]: [word(5)] },
      writes: {},
      transientReads: {},
      transientWrites: {},
    },
    extCodeAccessInfo: [OTHER],
    usedOpcodes: { '0x54': 1, '0x3f': 1, '0xf1': 1, '0x20': 1, '0x0': 1 },
    contractSize: { [OTHER]: { contractSize: 3, opcode: 0x3f } },
    outOfGas: false,
    keccak: ['0x0000'],
    calls: [
      {
        type: 'CALL',
        from: CODE,
        to: OTHER,
        gas: '0xc350',
        gasUsed: '0x4',
        value: '0x0',
        input: '0x',
        accessedSlots: { reads: {}, writes: {}, transientReads: {}, transientWrites: {} },
        extCodeAccessInfo: [],
        usedOpcodes: { '0x5a': 1, '0x0': 1 },
        contractSize: {},
        outOfGas: false,
      },
    ],
  })
})

test('frames are those of callTracer', async () => {
  // Calls that revert with a reason, run a precompile, have no balance; creations; SELFDESTRUCT.
  const reason = `08c379a0${word(32).slice(2)}${word(2).slice(2)}${'6869'.padEnd(64, '0')}`
  const reverts: Hex = `0x6064600a5f3960645ffd${reason}`
  const calls = [callCode('f1', OTHER), callCode('fa', pad('0x04', { size: 20 }))]
  const more = [callCode('f1', OTHER, 99), '5f5f5ff050', '60016001600ff050', `73${other}ff`]
  const code: Hex = `0x${[...calls, ...more].join('')}`
  const state = { [OTHER]: { code: reverts } }
  const facts = await traced(code, undefined, state)
  const frames = await node.traceCode<TracedFrame>(
    code,
    { tracer: 'callTracer' },
    { gas: 500_000n },
    { state: { [CODE]: { code, balance: 9n }, ...state } },
  )
  expect(facts).toMatchObject({ ...frames })
  expect(facts.calls?.[0]?.revertReason).toBe('hi')
  expect(facts.calls?.map(({ type }) => type)).toEqual([
    ...['CALL', 'STATICCALL', 'CALL', 'CREATE', 'CREATE', 'SELFDESTRUCT'],
  ])
})

describe('usedOpcodes', () => {
  test('default: without what no rule is about', async () => {
    // ADD, MUL, SUB, DIV, LT, GT, SLT, SGT, EQ, AND, OR, SHL, SHR; ISZERO, NOT; PUSH0, PUSH32, SWAP1
    const two = ['01', '02', '03', '04', '10', '11', '12', '13', '14', '16', '17', '1b', '1c']
    const pairs = two.map((opcode) => `600180${opcode}50`).join('')
    const { usedOpcodes } = await traced(`0x${pairs}60011550600119505f7f${'ff'.repeat(32)}90`)
    expect(usedOpcodes).toEqual({ '0x0': 1 })
    // XOR, SAR, CODESIZE, TIMESTAMP twice, MSIZE, JUMPDEST
    const others = await traced('0x60018018506001801d50385042425050595b')
    const once = { '0x18': 1, '0x1d': 1, '0x38': 1, '0x42': 2, '0x59': 1, '0x5b': 1, '0x0': 1 }
    expect(others.usedOpcodes).toEqual(once)
  })

  test('args: ignoredOpcodes takes the place of the default', async () => {
    const code: Hex = '0x60015450'
    const used = async (ignoredOpcodes: unknown) =>
      (await traced(code, { ignoredOpcodes })).usedOpcodes
    expect(await used([])).toEqual({ '0x60': 1, '0x54': 1, '0x50': 1, '0x0': 1 })
    expect(await used(['0x54', '0x160'])).toEqual({ '0x50': 1, '0x0': 1 })
    expect(await used(null)).toEqual({ '0x54': 1, '0x0': 1 })
  })

  test('GAS counts unless a call follows', async () => {
    expect((await traced('0x5a505a50')).usedOpcodes).toEqual({ '0x5a': 2, '0x0': 1 })
    // At the end of the code, STOP follows.
    expect((await traced('0x5a')).usedOpcodes).toEqual({ '0x5a': 1, '0x0': 1 })
    for (const [opcode, value] of [
      ['f1', '5f'],
      ['f2', '5f'],
      ['f4', ''],
      ['fa', ''],
    ]) {
      const { usedOpcodes } = await traced(`0x5f5f5f5f${value}73${other}5a${opcode}`)
      expect(usedOpcodes).toEqual({ [`0x${opcode}`]: 1, '0x0': 1 })
    }
    // Nor before REVERT, as in geth.
    expect((await traced('0x5f5afd')).usedOpcodes).toEqual({ '0xfd': 1 })
    // Ignored or not.
    const config = { ignoredOpcodes: ['0x5a', '0x50'] }
    expect((await traced('0x5a50', config)).usedOpcodes).toEqual({ '0x5a': 1, '0x0': 1 })
  })

  test('an opcode that fails counts', async () => {
    const frame = await traced('0x54')
    expect(frame).toMatchObject({ error: 'stack underflow (0 <=> 1)', usedOpcodes: { '0x54': 1 } })
    expect(frame.accessedSlots.reads).toEqual({})
    expect((await traced('0x0c')).usedOpcodes).toEqual({ '0xc': 1 })
    expect((await traced('0xfe')).usedOpcodes).toEqual({ '0xfe': 1 })
    // Operands that are missing name nothing.
    for (const code of ['0x20', '0x5f20', '0x3b', '0xf1', '0x5ffa', '0x55', '0x5c'] as const) {
      expect(await traced(code)).toMatchObject({
        error: expect.stringMatching(/^stack underflow/),
        contractSize: {},
        extCodeAccessInfo: [],
      })
    }
  })
})

describe('accessedSlots', () => {
  test('default: reads as before the first one, how often each was written', async () => {
    // SLOAD(1), SSTORE(1, 9), SLOAD(1), SSTORE(1, 8), SSTORE(2, 9), SLOAD(2), SLOAD(7)
    const { accessedSlots } = await traced(
      '0x60015450600960015560015450600860015560096002556002545060075450',
    )
    expect(accessedSlots).toEqual({
      reads: { [word(1)]: [word(5)], [word(7)]: [word(0)] },
      writes: { [word(1)]: 2, [word(2)]: 1 },
      transientReads: {},
      transientWrites: {},
    })
  })

  test('transient storage', async () => {
    // TSTORE(1, 9), TLOAD(1), TLOAD(1), TLOAD(2), TSTORE(1, 3)
    const { accessedSlots } = await traced('0x600960015d60015c5060015c5060025c50600360015d')
    expect(accessedSlots).toEqual({
      reads: {},
      writes: {},
      transientReads: { [word(1)]: 2, [word(2)]: 1 },
      transientWrites: { [word(1)]: 2 },
    })
  })

  test('each frame has its own, of the account whose storage it uses', async () => {
    // Writes slot 1 and delegates to code that reads slots 1 and 2.
    const state = { [OTHER]: { code: '0x6001545060025450' } } as const
    const { accessedSlots, calls } = await traced(
      `0x6009600155${callCode('f4', OTHER)}`,
      undefined,
      state,
    )
    expect(accessedSlots).toMatchObject({ reads: {}, writes: { [word(1)]: 1 } })
    expect(calls?.[0]?.accessedSlots).toMatchObject({
      reads: { [word(1)]: [word(9)], [word(2)]: [word(6)] },
      writes: {},
    })
  })
})

describe('extCodeAccessInfo', () => {
  test.each<[string, string, readonly Hex[]]>([
    ['EXTCODESIZE', `73${other}3b50`, [OTHER]],
    ['EXTCODEHASH, twice', `73${other}3f5073${other}3f50`, [OTHER, OTHER]],
    ['EXTCODECOPY', `5f5f5f73${other}3c`, [OTHER]],
    ['of the last 20 bytes', `7f${'ee'.repeat(12)}${nobody}3f50`, [NOBODY]],
    ['not EXTCODESIZE before ISZERO', `73${other}3b15`, []],
    ['EXTCODEHASH before ISZERO', `73${other}3f15`, [OTHER]],
    ['not before RETURN', `5f73${other}3bf3`, []],
    ['not BALANCE', `73${other}31`, []],
  ])('%s', async (_name, code, expected) => {
    expect((await traced(`0x${code}`)).extCodeAccessInfo).toEqual(expected)
  })

  test('a failed one counts in the frame that goes on, as in geth', async () => {
    // With 100 gas the callee cannot pay for the cold account.
    const code: Hex = `0x5f5f5f5f5f73${other}6064f150`
    const state = { [OTHER]: { code: `0x73${nobody}3b50` } } as const
    const { extCodeAccessInfo, calls } = await traced(code, undefined, state)
    expect(calls?.[0]).toMatchObject({ error: 'out of gas', extCodeAccessInfo: [] })
    expect(extCodeAccessInfo).toEqual([NOBODY])
  })
})

describe('contractSize', () => {
  test('default: of whatever is called or whose code is read, at the first time', async () => {
    const codes = `73${other}3b15${callCode('f1', OTHER)}73${nobody}3f50`
    const calls = `${callCode('fa', pad('0x02', { size: 20 }))}${callCode('f4', CODE)}`
    const state = { [OTHER]: { code: '0x5b5b5b5b' } } as const
    expect((await traced(`0x${codes}`, undefined, state)).contractSize).toEqual({
      [OTHER]: { contractSize: 4, opcode: 0x3b },
      [NOBODY]: { contractSize: 0, opcode: 0x3f },
    })
    const { contractSize } = await traced(`0x${calls}`, undefined, {}, 100_000n)
    expect(contractSize).toEqual({
      [pad('0x02', { size: 20 })]: { contractSize: 0, opcode: 0xfa },
      [CODE]: { contractSize: calls.length / 2, opcode: 0xf4 },
    })
  })

  test('of a delegated account: 23 bytes', async () => {
    const state = { [OTHER]: { code: `0xef0100${nobody}` } } as const
    const { contractSize } = await traced(`0x${callCode('f1', OTHER)}`, undefined, state)
    expect(contractSize).toEqual({ [OTHER]: { contractSize: 23, opcode: 0xf1 } })
  })
})

describe('outOfGas', () => {
  test('of the frame whose gas ends, and of no other', async () => {
    expect(await inside('0x5b5f56')).toMatchObject({ outOfGas: true, error: 'out of gas' })
    expect(await inside('0x5f5ffd')).toMatchObject({ outOfGas: false, error: 'execution reverted' })
    expect(await inside('0xfe')).toMatchObject({ outOfGas: false })
    // geth's gas does not end here: it overflows.
    expect(await inside(`0x7f${'ff'.repeat(32)}51`)).toMatchObject({
      outOfGas: false,
      error: 'gas uint64 overflow',
    })
    // 0x1fffffffe0 bytes of memory are as many as geth counts.
    expect(await inside(`0x67${'7f'.padEnd(16, 'f')}51`)).toMatchObject({
      outOfGas: true,
      error: 'out of gas: gas uint64 overflow',
    })
  })

  test('in a precompile, and at an SSTORE of the gas of a stipend', async () => {
    const precompile = await traced(`0x5f5f5f5f60026001fa50`)
    expect(precompile.calls?.[0]).toMatchObject({ outOfGas: true, error: 'out of gas' })
    const state = { [OTHER]: { code: '0x60015f55' } } as const
    const stipend = await traced(`0x5f5f5f5f5f73${other}6108fcf150`, undefined, state)
    expect(stipend.calls?.[0]).toMatchObject({ outOfGas: true })
  })

  test('a creation that cannot pay for its code', async () => {
    // Init code that returns 24,000 bytes, which cost 4,800,000 gas.
    const { calls } = await traced('0x65615dc05ff3005f526006601a5ff050')
    expect(calls?.[0]).toMatchObject({
      type: 'CREATE',
      outOfGas: true,
      error: 'contract creation code storage out of gas',
    })
    expect(calls?.[0]).not.toHaveProperty('to')
  })

  test('never of the outermost frame, as in geth', async () => {
    const { outOfGas, error } = await traced('0x5b5f56')
    expect({ outOfGas, error }).toEqual({ outOfGas: false, error: 'out of gas' })
  })
})

describe('keccak', () => {
  test('default: every preimage once, in order, at the outermost frame', async () => {
    // Hashes 00, then in a call 0102, ff and 0102, then nothing.
    const hash = '6101025f526002601e2050'
    const state = { [OTHER]: { code: `0x${hash}60ff5f5360015f2050${hash}` } } as const
    const { keccak, calls } = await traced(
      `0x60015f2050${callCode('f1', OTHER)}5f5f2050`,
      undefined,
      state,
    )
    expect(keccak).toEqual(['0x', '0x00', '0x0102', '0xff'])
    expect(calls?.[0]).not.toHaveProperty('keccak')
  })

  test('absent if nothing was hashed', async () => {
    expect(await traced('0x00')).not.toHaveProperty('keccak')
  })

  test('of memory that the gas did not suffice for: zeros, up to 1 MiB', async () => {
    const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`
    // 1,048,576 bytes, then one more.
    const fits = await traced('0x621000005f20', undefined, {}, 60_000n)
    expect(fits).toMatchObject({ error: 'out of gas', keccak: [zeros(1 << 20)] })
    const exceeds = await traced('0x621000015f20', undefined, {}, 60_000n)
    expect(exceeds.error).toBe('out of gas')
    expect(exceeds).not.toHaveProperty('keccak')
  })
})

describe('withLog', () => {
  test('default: no logs', async () => {
    expect(await traced('0x5f5fa0')).not.toHaveProperty('logs')
  })

  test('args: logs with their positions, none of what failed', async () => {
    const state = { [OTHER]: { code: '0x5f5fa05f5ffd' } } as const
    const code: Hex = `0x${callCode('f1', OTHER)}600760015fa1`
    const { logs, calls } = await traced(code, { withLog: true }, state)
    expect(logs).toEqual([
      { address: CODE, topics: [word(7)], data: '0x00', index: '0x0', position: '0x1' },
    ])
    expect(calls?.[0]).not.toHaveProperty('logs')
  })
})

test('transactions and blocks', async () => {
  const { chain, send, tick, traceSent, traceBlock } = await createTracingChain()
  // Init code that writes slot 0.
  const hash = await send({ data: '0x60015f55' })
  await tick()
  const config = { tracer: 'erc7562Tracer' }
  const frame = await traceSent<Facts>(hash, config)
  const { gasUsed } = chain.pending.executed[0] ?? {}
  expect(frame).toMatchObject({
    type: 'CREATE',
    gasUsed: `0x${gasUsed?.toString(16)}`,
    accessedSlots: { reads: {}, writes: { [word(0)]: 1 } },
    usedOpcodes: { '0x55': 1, '0x0': 1 },
  })
  expect(await traceBlock(chain.pending, config)).toEqual([{ txHash: hash, result: frame }])
})

test('a transaction without code', async () => {
  const { send, tick, traceSent } = await createTracingChain()
  const hash = await send({ to: NOBODY, value: 1n })
  await tick()
  const frame = await traceSent<Facts>(hash, { tracer: 'erc7562Tracer' })
  expect(frame).toMatchObject({ to: NOBODY, value: '0x1', gasUsed: '0x5208' })
  expect(frame).toMatchObject({ usedOpcodes: {}, contractSize: {}, extCodeAccessInfo: [] })
})
