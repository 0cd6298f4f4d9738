import { expect, test } from 'vitest'
import { Core } from '../../../../devnet/engine/core/core.ts'
import {
  ENVIRONMENT,
  EXIT_HOST,
  EXIT_INVALID_JUMP,
  EXIT_INVALID_OPCODE,
  EXIT_OUT_OF_GAS,
  EXIT_SLICE_END,
  EXIT_STACK_OVERFLOW,
  EXIT_STACK_UNDERFLOW,
  EXIT_STOP,
  F_POSITION,
  FRAMES,
  MAX_STACK_HEIGHT,
  MEMORIES,
  STACKS,
  WORD,
} from '../../../../devnet/engine/core/layout.ts'
import { itemsNamed, Op } from '../../../../devnet/protocol/opcodes.ts'
import { runCode } from './coreRun.ts'

// EIP-8024: DUPN, SWAPN and EXCHANGE; EIP-7843: SLOTNUM.

const OPCODES = [Op.dupN, Op.swapN, Op.exchange] as const
type Opcode = (typeof OPCODES)[number]

const cores = [
  new Core({ hardfork: 'amsterdam' }),
  new Core({ hardfork: 'amsterdam' }, { fusing: false }),
]
const GAS = 100_000

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

/** Pushes 1 to `height`, in 3 bytes each. */
function pushes(height: number): number[] {
  return Array.from({ length: height }, (_, index) => [
    0x61,
    (index + 1) >> 8,
    (index + 1) & 255,
  ]).flat()
}

const numbers = (height: number) => Array.from({ length: height }, (_, index) => BigInt(index + 1))

/** `decode_single` and `decode_pair` of the EIP's text; `undefined` for an excluded immediate. */
function decoded(opcode: Opcode, x: number): readonly [n: number, m: number] | undefined {
  if (opcode !== Op.exchange) return x > 90 && x < 128 ? undefined : [(x + 145) % 256, 0]
  if (x > 81 && x < 128) return undefined
  const k = x ^ 143
  const [q, r] = [Math.floor(k / 16), k % 16]
  return q < r ? [q + 1, r + 1] : [r + 1, 29 - q]
}

/** The stack of 1 to `height` afterwards; an exit if the opcode fails. */
function expected(opcode: Opcode, immediate: number, height: number): bigint[] | number {
  if (height < (opcode === Op.dupN ? 1 : 2)) return EXIT_STACK_UNDERFLOW
  if (opcode === Op.dupN && height === MAX_STACK_HEIGHT) return EXIT_STACK_OVERFLOW
  const items = decoded(opcode, immediate)
  if (items === undefined) return EXIT_INVALID_OPCODE
  const [n, m] = items
  const stack = numbers(height)
  const at = (depth: number) => stack[height - 1 - depth]
  if (opcode === Op.dupN) {
    const item = at(n - 1)
    return item === undefined ? EXIT_STACK_UNDERFLOW : [...stack, item]
  }
  const [one, other] = opcode === Op.swapN ? [n, 0] : [n, m]
  const [first, second] = [at(one), at(other)]
  if (first === undefined || second === undefined) return EXIT_STACK_UNDERFLOW
  stack[height - 1 - one] = second
  stack[height - 1 - other] = first
  return stack
}

test.each(OPCODES)('all immediates of opcode %i do what the EIP says, at each bound', (opcode) => {
  for (let immediate = 0; immediate < 256; immediate++) {
    const bound = itemsNamed(opcode, immediate) ?? 20
    for (const height of [0, 1, 2, 3, bound - 1, bound, bound + 1, 1023, 1024]) {
      const code = Uint8Array.from([...pushes(height), opcode, immediate, 0])
      const outcome = expected(opcode, immediate, height)
      for (const core of cores) {
        for (const slice of [GAS, 7]) {
          const run = runCode(core, code, { gas: GAS, slice })
          const isSame =
            typeof outcome === 'number'
              ? run.exit === outcome && run.failedAt === 3 * height
              : run.exit === EXIT_STOP &&
                run.gasLeft === GAS - 3 * height - 3 &&
                String(run.stack) === String(outcome)
          if (!isSame) expect(run, `${opcode} ${immediate} on ${height} items`).toBe(outcome)
        }
      }
    }
  }
})

test.each(OPCODES)('items that opcode %i needs are those of the text', (opcode) => {
  for (let immediate = 0; immediate < 256; immediate++) {
    const heights = Array.from({ length: 260 }, (_, height) => height)
    const lowest = heights.find((height) => typeof expected(opcode, immediate, height) !== 'number')
    expect(itemsNamed(opcode, immediate)).toBe(lowest)
  }
})

test.each(OPCODES)('at the end of the code, the immediate of opcode %i is 0', (opcode) => {
  for (const height of [16, 17, 144, 145, 146, 147]) {
    const outcome = expected(opcode, 0, height)
    for (const core of cores) {
      const run = runCode(core, Uint8Array.from([...pushes(height), opcode]), { gas: GAS })
      if (typeof outcome === 'number') {
        expect(run).toMatchObject({ exit: outcome, failedAt: 3 * height })
      } else expect(run).toMatchObject({ exit: EXIT_STOP, stack: outcome })
    }
  }
})

// The EIP's test cases.
test.each([
  ['60016000808080808080808080808080808080e680', [1, ...Array(16).fill(0), 1]],
  ['600160008080808080808080808080808080806002e780', [2, ...Array(16).fill(0), 1]],
  [
    '600260008080808080600160008080808080808080e8',
    [1, ...Array(6).fill(0), 2, ...Array(9).fill(0)],
  ],
  ['600060016002e88e', [1, 0, 2]],
  ['60008080e88e15', [0, 0, 1]],
  [`6000${'80'.repeat(27)}60016002e88f`, [1, ...Array(28).fill(0), 2]],
  ['600456e65b', []],
])('%s leaves what the EIP says', (program, stack) => {
  for (const core of cores) {
    const run = runCode(core, bytes(program), { gas: GAS })
    expect(run).toMatchObject({ exit: EXIT_STOP, stack: stack.map(BigInt) })
  }
})

test('a JUMPDEST behind an opcode stays a jump target, and runs on from there', () => {
  for (const opcode of ['e6', 'e7', 'e8']) {
    for (const core of cores) {
      for (const slice of [GAS, 3, 8]) {
        // PUSH1 4, JUMP, opcode, JUMPDEST, PUSH1 7.
        const jumped = runCode(core, bytes(`600456${opcode}5b6007`), { gas: GAS, slice })
        expect(jumped).toMatchObject({ exit: EXIT_STOP, stack: [7n], gasLeft: GAS - 15 })
        const fallen = runCode(core, bytes(`60016002${opcode}5b6007`), { gas: GAS, slice })
        expect(fallen).toMatchObject({ exit: EXIT_INVALID_OPCODE, failedAt: 4 })
      }
    }
  }
})

test('an excluded immediate is code of its own: PUSH1 behind an opcode hides a JUMPDEST', () => {
  for (const core of cores) {
    const hidden = runCode(core, bytes('600556e6605b00'), { gas: GAS })
    expect(hidden).toMatchObject({ exit: EXIT_INVALID_JUMP, failedAt: 2 })
    const behind = runCode(core, bytes('600656e660605b'), { gas: GAS })
    expect(behind).toMatchObject({ exit: EXIT_STOP, stack: [] })
    // The immediate 0x80 is no target, and hides nothing.
    const valid = runCode(core, bytes('600556e6805b6001'), { gas: GAS })
    expect(valid).toMatchObject({ exit: EXIT_STOP, stack: [1n] })
    const immediate = runCode(core, bytes('600456e6805b'), { gas: GAS })
    expect(immediate).toMatchObject({ exit: EXIT_INVALID_JUMP })
  }
})

test('failures come in the order of geth: few items, gas, immediate, deep items', () => {
  for (const core of cores) {
    for (const [opcode, few] of [
      ['e6', 0],
      ['e7', 1],
      ['e8', 1],
    ] as const) {
      for (const immediate of ['00', '5b']) {
        const failure = (height: number, gas: number) => {
          const code = bytes(`${'6001'.repeat(height)}${opcode}${immediate}`)
          const { exit, failedAt } = runCode(core, code, { gas: 3 * height + gas })
          expect(failedAt).toBe(2 * height)
          return exit
        }
        expect(failure(few, 0)).toBe(EXIT_STACK_UNDERFLOW)
        expect(failure(few + 1, 2)).toBe(EXIT_OUT_OF_GAS)
        const last = immediate === '00' ? EXIT_STACK_UNDERFLOW : EXIT_INVALID_OPCODE
        expect(failure(few + 1, 3)).toBe(last)
      }
    }
  }
})

test('gas that comes back within a block is none of what follows an excluded immediate', () => {
  // PUSH0, MSTORE(10,000), which lacks 50 gas, and DUPN with the immediate 0x5c: TLOAD, 100 gas.
  for (const core of cores) {
    const run = runCode(core, bytes('5f612710525f5fe65c'), { gas: 15 + 1_134 - 50 })
    expect(run).toMatchObject({ exit: EXIT_OUT_OF_GAS, failedAt: 4 })
  }
})

test('before Amsterdam the opcodes are undefined, and what follows them is code', () => {
  const core = new Core({ hardfork: 'bpo2' })
  for (const opcode of [Op.slotNum, ...OPCODES]) {
    const code = Uint8Array.from([...pushes(300), opcode, 0x80])
    expect(runCode(core, code, { gas: GAS })).toMatchObject({
      exit: EXIT_INVALID_OPCODE,
      failedAt: 900,
    })
  }
})

test('a frame goes on behind an immediate after the code region starts anew', () => {
  // MSTOREs and MLOADs between the opcodes; one of them takes more than a slice.
  const piece = 'e680600052e89d600051e781905ae78050e85150612710e6805261271051e680015050'
  for (const tail of ['', '47e68050e89d', 'e65b', 'e6ff']) {
    const program = bytes(`${'6007'.repeat(2)}${'5a'.repeat(30)}${piece.repeat(4)}${tail}`)
    for (const core of cores) {
      const whole = runCode(core, program, { gas: GAS })
      for (const slice of [3, 8, 31, 50, 97, 400]) {
        core.enter(
          FRAMES,
          { code: program, stack: STACKS, memory: MEMORIES, input: 0, inputLength: 0, gas: GAS },
          slice,
        )
        let exit = core.run(FRAMES, program)
        for (; exit === EXIT_SLICE_END; exit = core.run(FRAMES, program)) {
          core.codes.clear()
          core.refill(FRAMES, slice)
        }
        expect(exit).toBe(whole.exit)
        if (whole.failedAt !== undefined) {
          expect(core.failurePosition(FRAMES)).toBe(whole.failedAt)
        }
        if (exit !== EXIT_STOP) continue
        expect(core.gasLeft(FRAMES)).toBe(whole.gasLeft)
        const stack = whole.stack.map((_, index) => core.word(STACKS + index * WORD))
        expect(stack).toEqual(whole.stack)
      }
    }
  }
})

test('a frame goes on behind an opcode of the host whose neighbours have immediates', () => {
  // DUPN 17, SELFBALANCE, DUPN 17, ADD, DUPN 18.
  const program = bytes(`${'6007'.repeat(17)}e68047e68001e681`)
  for (const core of cores) {
    for (const isAnew of [false, true]) {
      const run = runCode(core, program, { gas: GAS })
      expect(run.exit).toBe(EXIT_HOST | Op.selfBalance)
      expect(run.stack).toEqual(Array(18).fill(7n))
      expect(core.u32[(FRAMES + F_POSITION) >> 2]).toBe(37)
      if (isAnew) core.codes.clear()
      expect(core.run(FRAMES, program)).toBe(EXIT_STOP)
      expect(core.word(STACKS + 17 * WORD)).toBe(14n)
    }
  }
})

test('SLOTNUM pushes the word of the environment for 2 gas', () => {
  for (const core of cores) {
    core.setWord(ENVIRONMENT + (Op.slotNum - 0x30) * WORD, 77n)
    expect(runCode(core, bytes('4b'), { gas: 2 })).toMatchObject({ stack: [77n], gasLeft: 0 })
    expect(runCode(core, bytes('4b'), { gas: 1 })).toMatchObject({ exit: EXIT_OUT_OF_GAS })
  }
})
