import { setImmediate as turn } from 'node:timers/promises'
import { createEVM, getOpcodesForHF } from '@ethereumjs/evm'
import { createAddressFromString } from '@ethereumjs/util'
import { beforeAll, expect, test, vi } from 'vitest'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { Machine } from '../../../../devnet/engine/machine.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { CALLER, HELPER, PROGRAM, type ProgramRules, rulesOf } from './programRules.ts'
import { randomProgram } from './randomProgram.ts'

let crypto: Crypto
let codes: Codes

beforeAll(async () => {
  crypto = await loadCrypto()
  codes = new Codes(crypto.keccak256)
})

async function run(
  program: Uint8Array,
  gas: bigint,
  { common, block }: ProgramRules,
  own: boolean,
) {
  const machine = await Machine.create(common, codes, new VersionedStore(codes).view())
  const { overlay } = machine
  if (own) {
    // Its own opcodes too, where the machine has others.
    Reflect.set(machine.vm.evm, '_opcodeMap', getOpcodesForHF(common).opcodeMap)
    // The library's profiler makes its own loop run; a tracer would too, but fails on a REVERT far
    // outside of memory.
    Reflect.get(machine.vm.evm, '_optsCached').profiler = { enabled: true }
    machine.vm.evm.journal = (await createEVM({ common, stateManager: overlay })).journal
  }
  machine.scheduler.begin()
  // Slots 0 and 1 hold something before the transaction.
  for (const slot of [0n, 1n]) {
    overlay.setSlot(addressKeyFromHex(PROGRAM), slotKeyFromBigInt(slot), Uint8Array.of(1))
  }
  overlay.setBalance(addressKeyFromHex(CALLER), 10n ** 18n)
  overlay.setCode(addressKeyFromHex(PROGRAM), program)
  // SSTORE(0, 1), LOG0, return 32 bytes.
  overlay.setCode(
    addressKeyFromHex(HELPER),
    Uint8Array.from([0x60, 1, 0x5f, 0x55, 0x5f, 0x5f, 0xa0, 0x60, 32, 0x5f, 0xf3]),
  )
  const { execResult } = await machine.vm.evm.runCall({
    caller: createAddressFromString(CALLER),
    to: createAddressFromString(PROGRAM),
    gasLimit: gas,
    // Long enough that some CALLDATALOADs are inside, at the end, and behind it.
    data: Uint8Array.from({ length: 50 }, (_, index) => index + 1),
    block,
  })
  const { accounts, storage } = overlay.takeDiff()
  return {
    gas: execResult.executionGasUsed,
    // Where it happened is in the library's words only.
    error: execResult.exceptionError?.error.replace(/ at .*/s, ''),
    output: execResult.returnValue,
    logs: execResult.logs,
    refund: execResult.gasRefund,
    accounts,
    storage,
  }
}

test.for([
  ['bpo2', runs(40_000)],
  ['london', runs(6_000)],
  ['berlin', runs(6_000)],
  ['istanbul', runs(6_000)],
] as const)(
  'behavior: agrees with the library on random programs, %s',
  async ([hardfork, count]) => {
    const rules = rulesOf(hardfork, crypto)
    const random = new Random(2026)
    const errors = new Map<string, number>()
    for (let index = 0; index < count; index++) {
      const program = randomProgram(random)
      const gas = BigInt(random.pick([300, 3_000, 60_000]))
      const lean = await run(program, gas, rules, false)
      expect(lean, Buffer.from(program).toString('hex')).toEqual(
        await run(program, gas, rules, true),
      )
      const kind = lean.error ?? 'none'
      errors.set(kind, (errors.get(kind) ?? 0) + 1)
    }
    // Otherwise the programs would not say much; older hardforks lack opcodes that many of them
    // begin with.
    const kinds = ['none', 'out of gas', 'stack underflow', 'invalid opcode']
    if (hardfork === 'bpo2') kinds.push('invalid JUMP', 'revert')
    for (const kind of kinds) expect(errors.get(kind) ?? 0, kind).toBeGreaterThan(10)
  },
)

test('behavior: a tracer sees every step', async () => {
  const { common } = rulesOf('bpo2', crypto)
  const machine = await Machine.create(common, codes, new VersionedStore(codes).view())
  const steps: string[] = []
  machine.vm.evm.events?.on('step', ({ opcode }) => {
    steps.push(opcode.name)
  })
  machine.scheduler.begin()
  await machine.vm.evm.runCode({ code: Uint8Array.from([0x60, 1, 0x60, 2, 0x01, 0x00]) })
  expect(steps).toEqual(['PUSH1', 'PUSH1', 'ADD', 'STOP'])
})

test.for([
  // KECCAK256(0, 500,000): 93,780 gas each, after the first 1.1 M.
  ['KECCAK256 of 500 kB', '6207a1205f2050', 100, 100],
  // EXTCODECOPY(dead, 0, 2^64, 1,000,000): 93,762 gas each.
  ['EXTCODECOPY from past the end', `620f42406801${'00'.repeat(8)}5f61dead3c`, 100, 100],
  // EXP(2^256 - 1, 2^256 - 1): 1,610 gas each.
  ['EXP', '5f195f190a50', 1000, 75],
  // 1 gas each.
  ['JUMPDEST', '5b', 200_000, 9],
] as const)(
  'behavior: yields in code without jumps and calls: %s',
  async ([, code, times, pauses]) => {
    const { common } = rulesOf('bpo2', crypto)
    const program = Buffer.from(code.repeat(times), 'hex')
    const results = []
    for (const isPaused of [false, true]) {
      const machine = await Machine.create(common, codes, new VersionedStore(codes).view())
      machine.scheduler.begin()
      const due = vi.spyOn(machine.scheduler, 'yieldIfDue')
      due.mockImplementation(() => (isPaused ? turn() : undefined))
      const { executionGasUsed, exceptionError } = await machine.vm.evm.runCode({
        code: program,
        gasLimit: 50_000_000n,
      })
      expect(due.mock.calls.length).toBeGreaterThanOrEqual(pauses)
      results.push({ executionGasUsed, exceptionError })
    }
    expect(results[0]).toEqual({ executionGasUsed: expect.any(BigInt), exceptionError: undefined })
    expect(results[1]).toEqual(results[0])
  },
)

test('behavior: runs out of gas at the same opcode, wherever the pauses are', async () => {
  const rules = rulesOf('bpo2', crypto)
  // JUMPDESTs, then GAS and SSTORE(0, gas): more than one pause apart.
  const program = Buffer.from(`${'5b'.repeat(45_000)}5a5f55${'5b'.repeat(45_000)}`, 'hex')
  for (const gas of [44_999n, 45_000n, 45_001n, 47_300n, 67_105n, 112_105n, 112_106n, 200_000n]) {
    expect(await run(program, gas, rules, false)).toEqual(await run(program, gas, rules, true))
  }
})
