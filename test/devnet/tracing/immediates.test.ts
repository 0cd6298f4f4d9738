import { createAddressFromString } from '@ethereumjs/util'
import { beforeAll, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../devnet/engine/crypto.ts'
import { overrideRunLoop } from '../../../devnet/engine/library/runLoop.ts'
import { runTraced, type Step } from '../../../devnet/engine/library/tracingLoop.ts'
import { forkRules } from '../../../devnet/protocol/forks.ts'
import type { Halt } from '../../../devnet/protocol/halt.ts'
import { opcodeName } from '../../../devnet/protocol/opcodes.ts'
import { Codes } from '../../../devnet/state/codes.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../devnet/state/store/versionedStore.ts'
import { checkStep, stepHalt } from '../../../devnet/tracing/gethErrors.ts'
import { createLibraryMachine } from '../engine/library/libraryMachine.ts'
import { CALLER, PROGRAM, rulesOf } from '../engine/programRules.ts'

// EIP-8024: DUPN, SWAPN and EXCHANGE. The words are those of geth's core/vm/errors.go.

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

/** Steps of a program under Amsterdam, and why the last one failed, in geth's words. */
async function trace(program: string, gas = 100_000n) {
  const rules = forkRules('amsterdam')
  const { common, block } = rulesOf('amsterdam', crypto)
  const codes = new Codes(crypto.keccak256)
  const machine = await createLibraryMachine(common, codes, new VersionedStore(codes).view())
  const { overlay, vm, scheduler } = machine
  const steps: string[] = []
  let failure: ReturnType<typeof stepHalt> | undefined
  const listener = {
    onStep: (step: Step) => {
      const { cost, error } = checkStep(step, rules)
      const name = `${step.pc} ${opcodeName(step.opcode)} ${cost}`
      steps.push(error === undefined ? name : `${name}: ${error}`)
    },
    onStepEnd: (step: Step, halt: Halt | undefined) => {
      if (halt !== undefined) failure = stepHalt(step, halt, rules)
    },
  }
  overrideRunLoop(vm.evm, (interpreter, code) => runTraced(interpreter, code, listener, scheduler))
  scheduler.begin()
  overlay.setCode(addressKeyFromHex(PROGRAM), Uint8Array.from(Buffer.from(program, 'hex')))
  await vm.evm.runCall({
    caller: createAddressFromString(CALLER),
    to: createAddressFromString(PROGRAM),
    gasLimit: gas,
    block,
  })
  return { steps, failure }
}

test('steps go on behind an immediate, and at an excluded one if it is jumped to', async () => {
  const { steps, failure } = await trace(`${'5f'.repeat(17)}e680e88e00`)
  expect(steps.slice(17)).toEqual(['17 DUPN 3', '19 EXCHANGE 3', '21 STOP 0'])
  expect(failure).toBeUndefined()
  const jumped = await trace('600456e65b00')
  expect(jumped.steps).toEqual(['0 PUSH1 3', '2 JUMP 8', '4 JUMPDEST 1', '5 STOP 0'])
})

test.each([
  ['5f5fe680', 'stackUnderflow', 'stack underflow (2 <=> 17)'],
  ['5f5fe780', 'stackUnderflow', 'stack underflow (2 <=> 18)'],
  ['5f5fe89d', 'stackUnderflow', 'stack underflow (2 <=> 4)'],
  ['e65b', 'stackUnderflow', 'stack underflow (0 <=> 1)'],
  ['5fe75b', 'stackUnderflow', 'stack underflow (1 <=> 2)'],
  ['5f5fe65b', 'invalidOpcode', 'invalid opcode: DUPN (operand: 0x5b)'],
  ['5f5fe77f', 'invalidOpcode', 'invalid opcode: SWAPN (operand: 0x7f)'],
  ['5f5fe852', 'invalidOpcode', 'invalid opcode: EXCHANGE (operand: 0x52)'],
  [`${'5f'.repeat(1024)}e65b`, 'stackOverflow', 'stack limit reached 1024 (1023)'],
] as const)('%s fails in the words of geth', async (program, halt, error) => {
  expect((await trace(program)).failure).toEqual({ halt, error })
})

test('gas comes before the immediate', async () => {
  expect((await trace('5f5fe65b', 6n)).failure).toEqual({ halt: 'outOfGas', error: 'out of gas' })
})
