import { beforeAll, expect, test } from 'vitest'
import { Core } from '../../../../devnet/engine/core/core.ts'
import {
  EXIT_OUT_OF_GAS,
  EXIT_OUT_OF_RETURN_DATA,
  EXIT_STACK_OVERFLOW,
  EXIT_STACK_UNDERFLOW,
  EXIT_STOP,
} from '../../../../devnet/engine/core/layout.ts'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { FAILURES } from '../../../../devnet/engine/fast/exits.ts'
import { hasImmediate, Op, stackFault } from '../../../../devnet/protocol/opcodes.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { keccak256 } from '../../state/support.ts'
import { type CoreRun, runCode } from './coreRun.ts'
import { deepProgram, guestProgram, PROGRAM_KINDS } from './guestPrograms.ts'
import { LibraryRun } from './libraryRun.ts'

let crypto: Crypto

beforeAll(async () => {
  // Not with the hashes of the core, which are under test.
  crypto = { ...(await loadCrypto()), keccak256 }
})

/** Gas that stops programs everywhere, or that suffices. */
const GAS = [50, 200, 1_000, 5_000, 30_000, 200_000]

test.for([
  ['amsterdam', 6, runs(10_000)],
  ['osaka', 1, runs(60_000, 26)],
  ['prague', 2, runs(10_000)],
  ['shanghai', 3, runs(10_000)],
  ['london', 4, runs(10_000)],
  ['berlin', 5, runs(10_000)],
] as const)(
  'agrees with the library on random programs, %s, seed %i',
  async ([hardfork, seed, count]) => {
    const random = new Random(seed)
    const library = await LibraryRun.create(hardfork, crypto)
    const cores = [new Core({ hardfork }), new Core({ hardfork }, { fusing: false })]
    for (const core of cores) library.prepare(core)
    const kinds = new Map<string, number>()
    for (let index = 0; index < count; index++) {
      // Half of them are single opcodes on operands.
      const kind = PROGRAM_KINDS[Math.max(0, (index % 4) - 1)] ?? 'operands'
      const text = guestProgram(kind, random)
      const code = Uint8Array.from(Buffer.from(text, 'hex'))
      const data = Uint8Array.from({ length: random.below(100) }, () => random.below(256))
      const gas = kind === 'operands' ? 30_000 : random.pick(GAS) + random.below(50)
      const expected = await library.run(code, data, gas)
      for (const [way, core] of cores.entries()) {
        for (const slice of [gas, 97, 1 + (index % 40)]) {
          const name = `${text} with ${gas} gas, ${way === 0 ? 'fused' : 'unfused'}, slice ${slice}`
          const actual = runCode(core, code, { data, gas, slice })
          expectSame(actual, expected, code, name)
        }
      }
      const word = expected.error ?? 'none'
      kinds.set(word, (kinds.get(word) ?? 0) + 1)
    }
    // Otherwise the programs would not say much.
    const words = ['none', 'outOfGas', 'stackUnderflow', 'invalidOpcode', 'invalidJump']
    for (const word of words) expect(kinds.get(word) ?? 0, word).toBeGreaterThan(count / 1_000)
  },
)

test('agrees with the library on DUPN, SWAPN and EXCHANGE, in random programs, seed 7', async () => {
  const random = new Random(7)
  const library = await LibraryRun.create('amsterdam', crypto)
  const rules = { hardfork: 'amsterdam' } as const
  const cores = [new Core(rules), new Core(rules, { fusing: false })]
  for (const core of cores) library.prepare(core)
  const words = new Map<string, number>()
  const count = runs(50_000)
  for (let index = 0; index < count; index++) {
    const text = deepProgram(random)
    const code = Uint8Array.from(Buffer.from(text, 'hex'))
    const gas = random.once(3) ? random.below(1_000) : 30_000
    const expected = await library.run(code, new Uint8Array(0), gas)
    const word = expected.error ?? 'none'
    words.set(word, (words.get(word) ?? 0) + 1)
    for (const [way, core] of cores.entries()) {
      for (const slice of [gas, 97, 1 + (index % 40)]) {
        const name = `${text} with ${gas} gas, ${way === 0 ? 'fused' : 'unfused'}, slice ${slice}`
        expectSame(runCode(core, code, { gas, slice }), expected, code, name)
      }
    }
  }
  for (const word of ['none', 'outOfGas', 'stackUnderflow', 'invalidOpcode']) {
    expect(words.get(word) ?? 0, word).toBeGreaterThan(count / 100)
  }
})

type LibraryResult = Awaited<ReturnType<LibraryRun['run']>>

function expectSame(
  actual: CoreRun,
  expected: LibraryResult,
  code: Uint8Array,
  program: string,
): void {
  const error = FAILURES.get(actual.exit)
  const isFailure = error !== undefined && error !== 'revert'
  // Not by the matchers of Vitest: there are millions of these.
  const isSame =
    actual.gasLeft === expected.gasLeft &&
    Buffer.compare(actual.output, expected.output) === 0 &&
    (isFailure || Buffer.compare(actual.memory, expected.memory) === 0) &&
    (actual.exit !== EXIT_STOP || String(actual.stack) === String(expected.stack))
  if (!isSame) {
    expect({ ...actual, exit: error }, program).toEqual({ ...expected, exit: expected.error })
  }
  if (error !== expected.error) expectOtherWord(actual, expected, code, program)
  else if (error === 'outOfGas' || error === 'invalidOpcode') {
    if (actual.failedAt !== expected.position) {
      expect(actual.failedAt, program).toBe(expected.position)
    }
  }
}

/**
 * The library charges gas, and reads an immediate, before it looks at the stack; geth and the core
 * do the opposite.
 */
function expectOtherWord(
  { exit, stack, failedAt = 0 }: CoreRun,
  expected: LibraryResult,
  code: Uint8Array,
  program: string,
): void {
  const name = `${program}: ${FAILURES.get(exit)} at ${failedAt}, not ${expected.error}`
  const opcode = code[failedAt] ?? 0
  const isEarlier = expected.error === 'invalidOpcode' && hasImmediate(opcode)
  if (!isEarlier) expect(expected.error, name).toBe('outOfGas')
  expect([EXIT_STACK_UNDERFLOW, EXIT_STACK_OVERFLOW], name).toContain(exit)
  expect(failedAt, name).toBe(expected.position)
  expect(stackFault(opcode, stack.length), name).toBeDefined()
}

test('a failed RETURNDATACOPY has paid for its gas', () => {
  const core = new Core({ hardfork: 'osaka' })
  // RETURNDATACOPY(0, 0, 32): 9 gas for the operands, 3 + 3 for the word, 3 for the memory.
  const code = Uint8Array.from(Buffer.from('6020600060003e', 'hex'))
  expect(runCode(core, code, { gas: 18 })).toMatchObject({
    exit: EXIT_OUT_OF_RETURN_DATA,
    failedAt: 6,
  })
  expect(runCode(core, code, { gas: 17 })).toMatchObject({ exit: EXIT_OUT_OF_GAS, failedAt: 6 })
  expect(code[6]).toBe(Op.returnDataCopy)
})
