import { createAddressFromString } from '@ethereumjs/util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { overrideRunLoop } from '../../../../devnet/engine/library/runLoop.ts'
import { runTraced, type Step } from '../../../../devnet/engine/library/tracingLoop.ts'
import type { Halt } from '../../../../devnet/protocol/halt.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { CALLER, HELPER, PROGRAM, type ProgramRules, rulesOf } from '../programRules.ts'
import { randomProgram } from '../randomProgram.ts'
import { createLibraryMachine } from './libraryMachine.ts'

let crypto: Crypto
let codes: Codes

beforeAll(async () => {
  crypto = await loadCrypto()
  codes = new Codes(crypto.keccak256)
})

/** A step, and why it failed. */
type SeenStep = readonly [step: Step, failure: Halt | undefined]

/** Runs `program`; in the tracing loop if there are `steps` to collect. */
async function run(
  program: Uint8Array,
  gas: bigint,
  { common, block }: ProgramRules,
  steps?: SeenStep[],
) {
  const machine = await createLibraryMachine(common, codes, new VersionedStore(codes).view())
  const { overlay, vm, scheduler } = machine
  if (steps !== undefined) {
    const watcher = {
      onStep: () => undefined,
      onStepEnd: (step: Step, halt: Halt | undefined) => {
        steps.push([step, halt])
      },
    }
    overrideRunLoop(vm.evm, (interpreter, code) => runTraced(interpreter, code, watcher, scheduler))
  }
  scheduler.begin()
  overlay.setSlot(addressKeyFromHex(PROGRAM), slotKeyFromBigInt(0n), Uint8Array.of(1))
  overlay.setBalance(addressKeyFromHex(CALLER), 10n ** 18n)
  overlay.setCode(addressKeyFromHex(PROGRAM), program)
  // SSTORE(0, 1), LOG0, return 32 bytes.
  overlay.setCode(
    addressKeyFromHex(HELPER),
    Uint8Array.from([0x60, 1, 0x5f, 0x55, 0x5f, 0x5f, 0xa0, 0x60, 32, 0x5f, 0xf3]),
  )
  const { execResult } = await vm.evm.runCall({
    caller: createAddressFromString(CALLER),
    to: createAddressFromString(PROGRAM),
    gasLimit: gas,
    block,
  })
  return {
    gas: execResult.executionGasUsed,
    error: execResult.exceptionError?.error.replace(/ at .*/s, ''),
    output: execResult.returnValue,
    logs: execResult.logs,
    refund: execResult.gasRefund,
    ...overlay.takeDiff(),
  }
}

describe.each([
  ['bpo2', runs(1500, 3)],
  ['london', 300],
  ['byzantium', 300],
] as const)('under the rules of %s', (hardfork, count) => {
  test('a traced program does the same as an untraced one', async () => {
    const rules = rulesOf(hardfork, crypto)
    const random = new Random(515)
    const errors = new Map<string, number>()
    for (let index = 0; index < count; index++) {
      const program = randomProgram(random)
      const gas = BigInt(random.pick([300, 3_000, 60_000]))
      const traced = await run(program, gas, rules, [])
      const text = Buffer.from(program).toString('hex')
      expect(traced, text).toEqual(await run(program, gas, rules))
      const kind = traced.error ?? 'none'
      errors.set(kind, (errors.get(kind) ?? 0) + 1)
    }
    for (const kind of ['none', 'out of gas', 'stack underflow', 'invalid opcode']) {
      expect(errors.get(kind) ?? 0, kind).toBeGreaterThan(5)
    }
  })

  test('each step costs what the next one of its frame has less', async () => {
    const rules = rulesOf(hardfork, crypto)
    const random = new Random(99)
    let compared = 0
    for (let index = 0; index < count / 3; index++) {
      const steps: SeenStep[] = []
      await run(randomProgram(random), 60_000n, rules, steps)
      for (const [position, [step, failure]] of steps.entries()) {
        const [next] = steps[position + 1] ?? []
        // A call ends after all steps inside it, and has cost what these cost too.
        if (next === undefined || next.state !== step.state || failure !== undefined) continue
        if (step.opcode >= 0xf0) continue
        expect(next.gas).toBe(step.gas - step.cost)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(count)
  })
})

describe('single steps', () => {
  const code = (...bytes: number[]) => Uint8Array.from(bytes)
  const seen = async (program: Uint8Array, gas = 100_000n) => {
    const steps: SeenStep[] = []
    const outcome = await run(program, gas, rulesOf('bpo2', crypto), steps)
    const list = steps.map(([{ pc, opcode, gas, cost, height, memoryWords }, failure]) => ({
      pc,
      opcode,
      gas,
      cost,
      height,
      memoryWords,
      failure,
    }))
    return { ...outcome, list }
  }

  test('default', async () => {
    // PUSH1 2, PUSH1 3, ADD, PUSH0, MSTORE, STOP
    const { list } = await seen(code(0x60, 2, 0x60, 3, 0x01, 0x5f, 0x52, 0x00))
    expect(list).toMatchObject([
      { pc: 0, opcode: 0x60, gas: 100_000n, cost: 3n, height: 0 },
      { pc: 2, opcode: 0x60, gas: 99_997n, height: 1 },
      { pc: 4, opcode: 0x01, gas: 99_994n, height: 2 },
      { pc: 5, opcode: 0x5f, gas: 99_991n, cost: 2n, height: 1, memoryWords: 0 },
      { pc: 6, opcode: 0x52, gas: 99_989n, cost: 6n, height: 2, memoryWords: 0 },
      { pc: 7, opcode: 0x00, gas: 99_983n, memoryWords: 1, failure: undefined },
    ])
  })

  test('code that ends without a STOP has one all the same', async () => {
    const { list } = await seen(code(0x60, 1))
    expect(list.map(({ pc, opcode }) => [pc, opcode])).toEqual([
      [0, 0x60],
      [2, 0x00],
    ])
  })

  test('a push that the code cuts off', async () => {
    const { list } = await seen(code(0x61, 1))
    expect(list.map(({ pc }) => pc)).toEqual([0, 3])
  })

  test('a REVERT far outside of memory is out of gas', async () => {
    // PUSH1 32, PUSH8 2^63, REVERT: no memory can be read there.
    const far = code(0x60, 32, 0x67, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xfd)
    const { error, gas, list } = await seen(far)
    expect({ error, gas }).toEqual({ error: 'out of gas', gas: 100_000n })
    expect(list.at(-1)).toMatchObject({ pc: 11, opcode: 0xfd, failure: 'outOfGas' })
  })

  test('what a watcher throws ends the execution', async () => {
    const { common, block } = rulesOf('bpo2', crypto)
    const machine = await createLibraryMachine(common, codes, new VersionedStore(codes).view())
    const watcher = {
      onStep: () => {
        throw new Error('enough')
      },
      onStepEnd: () => undefined,
    }
    overrideRunLoop(machine.vm.evm, (interpreter, bytes) =>
      runTraced(interpreter, bytes, watcher, machine.scheduler),
    )
    machine.scheduler.begin()
    machine.overlay.setCode(addressKeyFromHex(PROGRAM), code(0x5b))
    const to = createAddressFromString(PROGRAM)
    await expect(machine.vm.evm.runCall({ to, gasLimit: 1000n, block })).rejects.toThrow('enough')
  })
})
