import { expect, test, vi } from 'vitest'
import { Engine } from '../../../devnet/engine/engine.ts'
import type { EngineChoice } from '../../../devnet/engine/fast/route.ts'
import type { Execution } from '../../../devnet/engine/types.ts'
import { type MachineLease, withMachine } from '../../../devnet/execution/machineLease.ts'
import { readValue } from '../../../devnet/json/params.ts'
import { traceConfig } from '../../../devnet/json/schemas/traceConfig.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { bloomHex } from '../../../devnet/protocol/bloom.ts'
import { ForkSchedule } from '../../../devnet/protocol/forkSchedule.ts'
import type { HardforkName } from '../../../devnet/protocol/forks.ts'
import { Codes } from '../../../devnet/state/codes.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { Overlay } from '../../../devnet/state/overlay/overlay.ts'
import { VersionedStore } from '../../../devnet/state/store/versionedStore.ts'
import { EvmTrace } from '../../../devnet/tracing/evmTrace.ts'
import { TraceRun } from '../../../devnet/tracing/traceRun.ts'
import { runs } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { stateChanges } from '../../support/stateChanges.ts'
import type { TracedFrame } from './harness.ts'

const SENDER = `0x${'0'.repeat(38)}c1`
const FIRST = `0x${'0'.repeat(38)}a1`
const SECOND = `0x${'0'.repeat(38)}b1`

const BLOCK = {
  number: 5n,
  timestamp: 99n,
  gasLimit: 30_000_000n,
  baseFeePerGas: 0n,
  coinbase: new Uint8Array(20).fill(3),
  prevRandao: new Uint8Array(32),
  difficulty: 7n,
  blobBaseFee: 1n,
  slotNumber: 77n,
}

const CONFIGS = [
  { enableMemory: true, enableReturnData: true },
  {
    tracer: 'muxTracer',
    tracerConfig: {
      callTracer: { withLog: true },
      erc7562Tracer: { withLog: true },
      flatCallTracer: {},
      prestateTracer: { diffMode: true },
      '4byteTracer': null,
    },
  },
]

const byte = (value: number) => value.toString(16).padStart(2, '0')
const push = (value: number) => `60${byte(value)}`

/**
 * Code with a bias to frames: calls of two programs and of precompiles, creations, ends of all
 * kinds.
 */
function randomCode(random: Random): string {
  const small = () => push(random.below(40))
  let code = ''
  for (let length = 1 + random.below(12); length > 0; length--) {
    switch (random.below(8)) {
      case 0:
        code += push(random.below(256)) + push(random.below(64)) + random.pick(['52', '55'])
        break
      case 1:
      case 2: {
        const opcode = random.pick(['f1', 'f2', 'f4', 'fa'])
        const to = random.pick(['a1', 'b1', '02', '04', '09', '77'])
        const value = opcode < 'f3' ? push(random.below(4)) : ''
        const gas = random.pick(['5a', '610900', '614000', '610010'])
        code += `${small()}${small()}${small()}${small()}${value}60${to}${gas}${opcode}`
        break
      }
      case 3:
        code += `${push(random.below(9))}${small()}${small()}${push(random.below(3))}${random.pick(['f0', 'f5'])}`
        break
      case 4:
        code += `60${random.pick(['a1', 'b1', '55'])}${random.pick(['ff', '31', '3b', '54', '50'])}`
        break
      case 5:
        code += small() + small() + random.pick(['a0', 'f3', 'fd', '20', '3e', '39', '37'])
        break
      case 6:
        code += random.pick([
          '00',
          '01',
          'fe',
          '0c',
          '5b',
          '3d',
          '80',
          'f5',
          'fa',
          'f1',
          'f0',
          'ff',
        ])
        break
      default:
        // A word that is too large for nearly everything.
        code += `7f${'ff'.repeat(32)}${random.pick(['51', '31', '35', '56', 'f5', 'fa', '3e', '50'])}`
    }
  }
  return code
}

/** Runs a call of the first program, or a creation with its code, traced as `config` says. */
function createRun(engine: Engine, random: Random) {
  const store = new VersionedStore(engine.codes)
  const state = new Overlay(store.view(), engine.codes)
  const [first, second] = [fromHex(`0x${randomCode(random)}`), fromHex(`0x${randomCode(random)}`)]
  state.setBalance(addressKeyFromHex(SENDER), 10n ** 20n)
  for (const [address, code] of [[FIRST, first] as const, [SECOND, second] as const]) {
    state.setBalance(addressKeyFromHex(address), 3n)
    state.setCode(addressKeyFromHex(address), code)
  }
  const version = store.commit(state.takeDiff())
  const creates = random.once(6)
  const fields = {
    type: 0,
    from: fromHex(SENDER),
    to: creates ? undefined : fromHex(FIRST),
    nonce: 0n,
    gasLimit: 300_000n,
    value: 1n,
    data: creates ? first : new Uint8Array(0),
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  } as const
  const execute = async (lease: MachineLease, config: object | undefined) => {
    const { executor, machine } = lease
    const run = async (): Promise<Execution> => executor.call(machine, fields, BLOCK)
    if (config === undefined) return { execution: await run(), trace: '' }
    const traceRun = new TraceRun({ ...readValue(traceConfig(), config), maxSize: 1e9 })
    const traced = { tx: fields, block: BLOCK, location: undefined, logCount: 0, run }
    return traceRun.trace(lease, traced)
  }
  const rules = engine.schedule.newest
  const program = `${Buffer.from(first).toString('hex')} ${Buffer.from(second).toString('hex')}`
  const run = (config?: object) =>
    withMachine(
      { engine, rules, state: store.view(version), blockHashes: () => new Uint8Array(32) },
      async (lease) => {
        const { execution, trace } = await execute(lease, config)
        const changes = stateChanges(lease.machine.overlay, store.view(version))
        // The bits of a bloom have no order, and the accesses of a step neither.
        const bloom = bloomHex(execution.bloomBits)
        const accesses = execution.accesses?.toSorted((a, b) => (a.key < b.key ? -1 : 1))
        const ordered = { ...execution, bloomBits: '', accesses }
        return { trace, outcome: { execution: ordered, bloom, changes } }
      },
    )
  return { program, run }
}

/** Which tracers the fast engine runs, and what it must answer as the library does. */
const LIGHT = [
  { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } },
  {
    tracer: 'muxTracer',
    tracerConfig: { prestateTracer: { diffMode: true }, callTracer: { onlyTopCall: true } },
  },
  {
    tracer: 'muxTracer',
    tracerConfig: {
      callTracer: { withLog: true },
      flatCallTracer: { includePrecompiles: true },
      '4byteTracer': null,
    },
  },
]

/** Ends of inner frames for whose words no steps are needed. */
const TOLD = [
  'execution reverted',
  'invalid opcode: INVALID',
  'insufficient balance for transfer',
  'invalid input length',
]

test.each<HardforkName>(['amsterdam', 'bpo2', 'shanghai', 'berlin'])(
  'the fast engine traces as the library does, %s',
  async (hardfork) => {
    const schedule = ForkSchedule.constant(hardfork)
    const create = (engine: EngineChoice) =>
      Engine.create({ chainId: 1, schedule, engine, codes: (hash) => new Codes(hash) })
    const [fast, library] = [await create('fast'), await create('library')]
    const inLibrary = vi.spyOn(EvmTrace.prototype, 'begin')
    const kinds = new Set<string>()
    /** Ends of frames that the fast engine has told. */
    const told = new Set<string>()
    const light = LIGHT.map(() => 0)
    for (let index = 0; index < runs(3000); index++) {
      const [one, other] = [
        createRun(fast, new Random(index)),
        createRun(library, new Random(index)),
      ]
      for (const [number, config] of LIGHT.entries()) {
        inLibrary.mockClear()
        const traced = await one.run(config)
        const isLight = inLibrary.mock.calls.length === 0
        const judge = await other.run(config)
        const [text, wanted] = [traced, judge].map(({ trace }) => [trace].flat().join(''))
        expect(text, one.program).toBe(wanted)
        expect(traced.outcome, one.program).toEqual(judge.outcome)
        const { callTracer } = JSON.parse(text ?? '')
        if (isLight) light[number] = (light[number] ?? 0) + 1
        if (callTracer === undefined) continue
        const errors = errorsOf(callTracer)
        kinds.add(errors[0] ?? 'success')
        if (isLight) for (const error of errors) told.add(error)
      }
    }
    inLibrary.mockRestore()
    expect(Math.min(...light)).toBeGreaterThan(runs(3000) / 4)
    const some = ['success', 'execution reverted', 'invalid opcode: INVALID', 'out of gas']
    for (const kind of some) expect(kinds).toContain(kind)
    for (const error of TOLD) expect(told).toContain(error)
  },
)

/** The errors of a frame and of those inside it, without numbers. */
function errorsOf({ error, calls = [] }: TracedFrame): string[] {
  const own = error === undefined ? [] : [error.replace(/\d+/g, 'n')]
  return [...own, ...calls.flatMap(errorsOf)]
}

test.each<[HardforkName, readonly string[]]>([
  [
    'bpo2',
    ['execution reverted', 'write protection', 'return data out of bounds', 'gas uintn overflow'],
  ],
  [
    'istanbul',
    ['execution reverted', 'write protection', 'invalid opcode: opcode nxc not defined'],
  ],
  ['homestead', ['out of gas', 'invalid opcode: STATICCALL', 'invalid opcode: REVERT']],
])('tracing changes nothing, %s', async (hardfork, expected) => {
  const schedule = ForkSchedule.constant(hardfork)
  const engine = await Engine.create({ chainId: 1, schedule, codes: (hash) => new Codes(hash) })
  const random = new Random(7)
  const errors = new Set<string>()
  for (let index = 0; index < runs(1000, 10); index++) {
    const { program, run } = createRun(engine, random)
    const { outcome } = await run()
    for (const config of CONFIGS) {
      const traced = await run(config)
      expect(traced.outcome, program).toEqual(outcome)
      const { callTracer, erc7562Tracer } = JSON.parse([traced.trace].flat().join(''))
      if (callTracer === undefined) continue
      for (const error of errorsOf(callTracer)) errors.add(error)
      expect(erc7562Tracer, program).toMatchObject(callTracer)
    }
  }
  const always = ['out of gas', 'stack underflow (n <=> n)', 'insufficient balance for transfer']
  for (const error of [...always, ...expected]) expect(errors).toContain(error)
})
