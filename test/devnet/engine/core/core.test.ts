import { describe, expect, test } from 'vitest'
import { CoreLimitError } from '../../../../devnet/engine/core/codeCache.ts'
import { Core, SLICE } from '../../../../devnet/engine/core/core.ts'
import { keyLimbs } from '../../../../devnet/engine/core/coreMemory.ts'
import { coreKeccak } from '../../../../devnet/engine/core/hashing.ts'
import {
  ARITHMETIC,
  CODES,
  CODES_END,
  CONTROL,
  ENVIRONMENT,
  EXIT_HOST,
  EXIT_INVALID_JUMP,
  EXIT_INVALID_OPCODE,
  EXIT_OUT_OF_GAS,
  EXIT_OUT_OF_RETURN_DATA,
  EXIT_RETURN,
  EXIT_SLICE_END,
  EXIT_STACK_OVERFLOW,
  EXIT_STACK_UNDERFLOW,
  EXIT_STOP,
  F_INPUT_LENGTH,
  F_MEMORY_SIZE,
  F_POSITION,
  F_STACK_TOP,
  F_VALUE,
  FRAME_SIZE,
  FRAMES,
  HOST_WORDS,
  KECCAK_BLOCK,
  KECCAK_INPUT,
  KECCAK_INPUT_SIZE,
  KECCAK_LANES,
  MAX_FRAMES,
  MAX_STACK_HEIGHT,
  MEMORIES,
  OPCODES,
  STACKS,
  STACKS_END,
  WORD,
} from '../../../../devnet/engine/core/layout.ts'
import { opcodeRows } from '../../../../devnet/engine/core/opcodeTable.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../../../devnet/state/keys.ts'
import { Random } from '../../../support/random.ts'
import { keccak256 } from '../../state/support.ts'
import { runCode } from './coreRun.ts'

function code(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

function core(): Core {
  return new Core({ hardfork: 'osaka' })
}

describe('layout', () => {
  test('regions do not overlap', () => {
    const regions: [begin: number, size: number][] = [
      // The compiler's own data, from 0x100 on: keccak's constants.
      [0x100, 24 * 8],
      [CONTROL, 20],
      [ENVIRONMENT, (0x4c - 0x30) * WORD],
      [ARITHMETIC, 768 + WORD],
      [KECCAK_BLOCK, 136],
      [KECCAK_LANES, 25 * 8],
      [HOST_WORDS, 0x700],
      [OPCODES, 256 * 8],
      [FRAMES, MAX_FRAMES * FRAME_SIZE],
      [KECCAK_INPUT, KECCAK_INPUT_SIZE],
      [STACKS, MAX_FRAMES * MAX_STACK_HEIGHT * WORD],
      [CODES, CODES_END - CODES],
      [MEMORIES, 0],
    ]
    let end = 0
    for (const [begin, size] of regions) {
      expect(begin).toBeGreaterThanOrEqual(end)
      end = begin + size
    }
    expect(STACKS + MAX_FRAMES * MAX_STACK_HEIGHT * WORD).toBeLessThanOrEqual(STACKS_END)
    expect(F_VALUE + WORD).toBeLessThanOrEqual(FRAME_SIZE)
  })
})

describe('words', () => {
  test('go in and come out in every form', () => {
    const memory = core()
    const at = HOST_WORDS + WORD
    const random = new Random(1)
    for (let length = 0; length <= 32; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) =>
        index === 0 ? 1 + random.below(255) : random.below(256),
      )
      const hex = Buffer.from(bytes).toString('hex').padStart(64, '0')
      const value = BigInt(`0x${hex}`)
      const check = () => {
        expect(memory.word(at)).toBe(value)
        expect(memory.isZero(at)).toBe(value === 0n)
        expect(memory.smallWord(at)).toBe(value < 2n ** 32n ? Number(value) : Infinity)
        expect(Buffer.from(memory.wordBytes(at)).toString('hex')).toBe(hex)
        expect(memory.trimmedBytes(at)).toEqual(bytes)
        expect(memory.slotKey(at)).toBe(slotKeyFromHex(`0x${hex}`))
        expect(memory.addressKey(at)).toBe(addressKeyFromHex(`0x${hex.slice(24)}`))
      }
      memory.setWord(at, value)
      check()
      memory.setWord(at, 2n ** 256n - 1n)
      memory.setBytes(at, bytes)
      check()
      memory.setWord(at, 2n ** 256n - 1n)
      memory.setLimbs(at, keyLimbs(slotKeyFromHex(`0x${hex}`)))
      check()
      if (value < 2n ** 32n) {
        memory.setWord(at, 2n ** 256n - 1n)
        memory.setSmallWord(at, Number(value))
        check()
      }
    }
  })
})

describe('keccak', () => {
  test('hashes messages of all lengths', () => {
    const own = core()
    const alone = coreKeccak()
    const lengths = Array.from({ length: 300 }, (_, length) => length)
    const near = [KECCAK_INPUT_SIZE, 131_036, 131_036 + 136, 2 * 131_036, 500_000]
    for (const length of [...lengths, ...near.flatMap((one) => [one - 1, one, one + 1])]) {
      const message = Uint8Array.from({ length }, (_, index) => index * 7 + length)
      const expected = toHex(keccak256(message))
      expect(toHex(own.keccak256(message)), String(length)).toBe(expected)
      expect(toHex(alone(message)), String(length)).toBe(expected)
    }
  })
})

describe('code', () => {
  test('a PUSH beyond the end reads zeros and is followed by a STOP', () => {
    const own = core()
    for (let size = 1; size <= 32; size++) {
      for (let present = 0; present < size; present++) {
        const text = (0x5f + size).toString(16) + 'ab'.repeat(present)
        const expected = BigInt(`0x0${'ab'.repeat(present)}${'00'.repeat(size - present)}`)
        expect(runCode(own, code(text), { gas: 100 })).toMatchObject({
          exit: EXIT_STOP,
          gasLeft: 97,
          stack: [expected],
        })
      }
    }
  })

  test('a jump into the data of a PUSH is invalid, however it is made', () => {
    const own = core()
    const jumps = {
      'PUSH JUMP': '60055b615b5b56',
      JUMP: '600660005b615b5b5056',
    }
    for (const [name, text] of Object.entries(jumps)) {
      const actual = runCode(own, code(text), { gas: 1_000 })
      expect(actual.exit, name).toBe(EXIT_INVALID_JUMP)
      expect(actual.failedAt, name).toBe(text.length / 2 - 1)
    }
  })

  test('the region starts anew when it is full, and suspended frames go on', () => {
    const own = core()
    // SLOAD(0) twice, which leaves to the host, and a loop between that needs its jumps.
    const suspended = code('5f5460035b60019003806004575f54505f5260205ff3')
    own.enter(
      FRAMES,
      {
        code: suspended,
        stack: STACKS,
        memory: MEMORIES,
        input: 0,
        inputLength: 0,
        gas: 1_000,
      },
      1_000,
    )
    expect(own.run(FRAMES, suspended)).toBe(EXIT_HOST | 0x54)
    const { epoch } = own.codes
    // JUMPDESTs take the most room.
    for (let index = 0; own.codes.epoch === epoch; index++) {
      expect(index).toBeLessThan(200)
      own.codes.decoded(new Uint8Array(20_000).fill(0x5b))
    }
    expect(own.run(FRAMES, suspended)).toBe(EXIT_HOST | 0x54)
    expect(own.u32[(FRAMES + F_POSITION) >> 2]).toBe(15)
    own.codes.clear()
    own.codes.decoded(new Uint8Array(3_000).fill(0x5b))
    expect(own.run(FRAMES, suspended)).toBe(EXIT_RETURN)
    expect(own.word(STACKS)).toBe(0n)
  })

  test('a code that finds no room for its second decoding starts the region anew', () => {
    const own = core()
    const long = new Uint8Array(250_000).fill(0x5b)
    // Leaves room for one decoding of it only.
    own.codes.decoded(new Uint8Array(290_000).fill(0x5b))
    const { epoch } = own.codes
    expect(runCode(own, long, { gas: 200_000 })).toMatchObject({
      exit: EXIT_OUT_OF_GAS,
      failedAt: 200_000,
    })
    expect(own.codes.epoch).toBeGreaterThanOrEqual(epoch)
    expect(runCode(own, long, { gas: 250_001 })).toMatchObject({ exit: EXIT_STOP, gasLeft: 1 })
  })

  test('error: a code that does not fit into the region', () => {
    expect(() => runCode(core(), new Uint8Array(400_000), { gas: 100 })).toThrow(
      new CoreLimitError('A code of 400000 bytes is too long for the core'),
    )
  })

  test('many pushes or pops in one block fail as few do', () => {
    const own = core()
    // More than 65,535, which is what a block can count to.
    for (const count of [1_025, 65_536, 66_560, 70_000]) {
      const pushes = runCode(own, code('5f'.repeat(count)), { gas: 1_000_000 })
      expect(pushes).toMatchObject({ exit: EXIT_STACK_OVERFLOW, failedAt: 1_024 })
      const pops = runCode(own, code(`5f${'50'.repeat(count)}`), { gas: 1_000_000 })
      expect(pops).toMatchObject({ exit: EXIT_STACK_UNDERFLOW, failedAt: 2 })
    }
  })
})

describe('opcodes of the host', () => {
  const hosts = [
    ...[0x31, 0x3b, 0x3c, 0x3f, 0x40, 0x47, 0x49, 0x54, 0x55, 0x5c, 0x5d],
    ...[0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xff],
  ]

  test('leave with exact gas and with the position, whatever follows', () => {
    const own = core()
    for (const [opcode, { gas, endsBlock }] of opcodeRows({ hardfork: 'osaka' }).entries()) {
      const text = `${'5f'.repeat(7)}${opcode.toString(16).padStart(2, '0')}60016002`
      const { exit, gasLeft: _, ...run } = runCode(own, code(text), { gas: 100_000 })
      expect(exit >= EXIT_HOST, String(opcode)).toBe(hosts.includes(opcode))
      if (exit < EXIT_HOST) continue
      expect(exit & 0xff).toBe(opcode)
      expect(endsBlock).toBe(true)
      expect(own.gasLeft(FRAMES)).toBe(100_000 - 14 - (gas ?? 0))
      expect(own.u32[(FRAMES + F_POSITION) >> 2]).toBe(8)
      expect(run.stack).toHaveLength(7)
    }
  })

  test('charge the slice of gas first, then the reserve', () => {
    const own = core()
    own.enter(
      FRAMES,
      {
        code: code('47'),
        stack: STACKS,
        memory: MEMORIES,
        input: 0,
        inputLength: 0,
        gas: 100 + 50,
      },
      100,
    )
    expect(own.charge(FRAMES, 60)).toBe(true)
    expect(own.charge(FRAMES, 60)).toBe(true)
    expect(own.gasLeft(FRAMES)).toBe(30)
    expect(own.charge(FRAMES, 31)).toBe(false)
    expect(own.charge(FRAMES, 30)).toBe(true)
    own.refund(FRAMES, 7)
    expect(own.gasLeft(FRAMES)).toBe(7)
  })

  test('gas that comes back does not make a slice longer', () => {
    const own = core()
    const loop = code('5b5f56')
    own.enter(
      FRAMES,
      {
        code: loop,
        stack: STACKS,
        memory: MEMORIES,
        input: 0,
        inputLength: 0,
        gas: 100,
      },
      100,
    )
    own.refund(FRAMES, 1_000_000)
    expect(own.gasLeft(FRAMES)).toBe(1_000_100)
    expect(own.run(FRAMES, loop)).toBe(EXIT_SLICE_END)
    expect(own.gasLeft(FRAMES)).toBeGreaterThan(1_000_100 - SLICE - 1)
  })
})

describe('memory', () => {
  /** A frame with two operands on its stack: the offset below, the length on top. */
  function withRange(own: Core, offset: bigint, length: bigint, gas: number): void {
    own.enter(
      FRAMES,
      {
        code: code('00'),
        stack: STACKS,
        memory: MEMORIES,
        input: 0,
        inputLength: 0,
        gas,
      },
      gas,
    )
    own.setWord(STACKS, offset)
    own.setWord(STACKS + WORD, length)
  }
  const use = (own: Core, perWord = 0, perByte = 0) =>
    own.useMemory(FRAMES, STACKS, STACKS + WORD, perWord, perByte)

  test('a range of the host costs its words and bytes', () => {
    const own = core()
    // 3 words of memory are 9 gas; 65 bytes are 3 words.
    withRange(own, 5n, 65n, 1_000)
    expect(use(own, 3, 8)).toBe(true)
    expect(own.gasLeft(FRAMES)).toBe(1_000 - 9 - 9 - 520)
    expect([own.output, own.outputLength]).toEqual([MEMORIES + 5, 65])
    expect(own.memoryEnd(FRAMES)).toBe(MEMORIES + 96)
    withRange(own, 5n, 65n, 9 + 9 + 520 - 1)
    expect(use(own, 3, 8)).toBe(false)
  })

  test('a range without a length costs nothing, wherever it is', () => {
    const own = core()
    withRange(own, 2n ** 256n - 1n, 0n, 0)
    expect(use(own, 3, 8)).toBe(true)
    expect(own.outputLength).toBe(0)
    expect(own.memoryEnd(FRAMES)).toBe(MEMORIES)
  })

  test('what no gas pays for is out of gas', () => {
    const own = core()
    for (const [offset, length] of [
      [2n ** 256n - 1n, 1n],
      [0n, 2n ** 256n - 1n],
      [2n ** 64n - 1n, 1n],
      [2n ** 63n, 2n ** 63n],
      [0x1fffffffe0n, 1n],
      [0x1fffffffdfn, 1n],
    ] as const) {
      withRange(own, offset, length, 30_000_000)
      expect(use(own)).toBe(false)
    }
  })

  test('error: memory that there is gas for, but no room', () => {
    const own = core()
    // 2^25 words cost 2^41 gas and more.
    withRange(own, 2n ** 32n, 32n, 2 ** 50)
    expect(() => use(own)).toThrow(CoreLimitError)
    // MSTORE.
    const store = code('5f6401000000005200')
    expect(() => runCode(own, store, { gas: 2 ** 50 })).toThrow(CoreLimitError)
    // It goes on after that.
    expect(runCode(own, code('5f5f5200'), { gas: 100 }).exit).toBe(EXIT_STOP)
  })

  test('grows by megabytes, and the views with it', () => {
    const own = core()
    // MSTORE(0xa00000, 1); MLOAD(0xa00000): 10 MiB.
    const run = runCode(own, code('600162a000005262a000005100'), { gas: 2 ** 40 })
    expect(run).toMatchObject({ exit: EXIT_STOP, stack: [1n] })
    expect(run.memory).toHaveLength(0xa00020)
    const again = runCode(own, code('62a000005100'), { gas: 2 ** 40 })
    // What an earlier frame has left there is gone.
    expect(again).toMatchObject({ exit: EXIT_STOP, stack: [0n] })
  })

  test('return data above the memory moves out of its way', () => {
    const own = core()
    // Memory grows word by word over what was returned; then all of it is copied behind.
    // PUSH3 length; loop: MSTORE(i, i), i += 32, until 40,000; RETURNDATACOPY(0, 0, size); RETURN.
    const grow = code('5f5b80805260200180619c4011600157503d5f5f3e3d5ff3')
    for (const length of [1, 31, 33, 1_000, 50_000, 300_000]) {
      own.enter(
        FRAMES,
        {
          code: grow,
          stack: STACKS,
          memory: MEMORIES,
          input: 0,
          inputLength: 0,
          gas: 2 ** 30,
        },
        2 ** 30,
      )
      const returned = Uint8Array.from({ length }, (_, index) => index * 31 + length)
      own.place(own.memoryEnd(FRAMES), returned)
      own.setReturned(own.memoryEnd(FRAMES), length)
      expect(own.run(FRAMES, grow), String(length)).toBe(EXIT_RETURN)
      const output = own.u8.subarray(own.output, own.output + own.outputLength)
      expect(Buffer.compare(output, returned)).toBe(0)
    }
  })

  test('a frame begins without return data', () => {
    const own = core()
    own.setReturned(MEMORIES, 100)
    expect(runCode(own, code('3d00'), { gas: 100 }).stack).toEqual([0n])
    expect(runCode(own, code('60015f5f3e'), { gas: 100 })).toMatchObject({
      exit: EXIT_OUT_OF_RETURN_DATA,
      failedAt: 4,
    })
  })
})

describe('frames', () => {
  test('all frames of the deepest stack have room for full stacks', () => {
    const own = core()
    // 1,024 items; then SELFBALANCE's place is taken by BALANCE, which leaves to the host.
    const full = code(`${'6001'.repeat(1_024)}31`)
    for (let depth = 0; depth < MAX_FRAMES; depth++) {
      const frame = FRAMES + depth * FRAME_SIZE
      own.enter(
        frame,
        {
          code: full,
          stack: depth === 0 ? STACKS : (own.u32[(frame - FRAME_SIZE + F_STACK_TOP) >> 2] ?? 0),
          memory: MEMORIES,
          input: 0,
          inputLength: 0,
          gas: 10_000,
        },
        10_000,
      )
      expect(own.run(frame, full)).toBe(EXIT_HOST | 0x31)
    }
    for (let depth = MAX_FRAMES - 1; depth >= 0; depth--) {
      const frame = FRAMES + depth * FRAME_SIZE
      expect(own.run(frame, full)).toBe(EXIT_STOP)
      expect(own.u32[(frame + F_INPUT_LENGTH) >> 2]).toBe(0)
      expect(own.u32[(frame + F_MEMORY_SIZE) >> 2]).toBe(0)
    }
    // The first frame's stack is whole.
    for (let item = 0; item < MAX_STACK_HEIGHT; item++)
      expect(own.word(STACKS + item * WORD)).toBe(1n)
  })
})

describe('failures', () => {
  test('say which opcode it was', () => {
    const own = core()
    const cases: [text: string, gas: number, exit: number, position: number][] = [
      // ADD on one item, behind others of the same block.
      ['600160020101', 100, EXIT_STACK_UNDERFLOW, 5],
      ['fe', 100, EXIT_INVALID_OPCODE, 0],
      ['60016002010c', 100, EXIT_INVALID_OPCODE, 5],
      // MSTORE(2^32, 0), fused and not.
      ['5f640100000000525b', 1_000, EXIT_OUT_OF_GAS, 7],
      ['5f63ffffffff525b', 1_000, EXIT_OUT_OF_GAS, 6],
      // DUP, PUSH, MSTORE.
      ['60015f8062ffffff525050', 1_000, EXIT_OUT_OF_GAS, 8],
      ['60ff56', 1_000, EXIT_INVALID_JUMP, 2],
      // Comparison, ISZERO, PUSH, JUMPI.
      ['60016002101560ff57', 1_000, EXIT_INVALID_JUMP, 8],
      // A block that pays for MSTORE's memory, but then not for all of the PUSHes behind it: 9 + 4
      // gas are used before them.
      ['5f60005260016002600360046005', 22, EXIT_OUT_OF_GAS, 10],
      // Both gas and an operand are missing: the stack is looked at first, as geth does.
      ['01', 2, EXIT_STACK_UNDERFLOW, 0],
    ]
    for (const [text, gas, exit, failedAt] of cases) {
      expect(runCode(own, code(text), { gas }), text).toMatchObject({ exit, failedAt })
    }
  })
})

describe('slices', () => {
  test('an opcode that needs more than a slice takes it from the reserve', () => {
    const own = core()
    // EXP with 32 bytes: 1,610 gas; KECCAK256 of 10,000 bytes: 30 + 1,878 + 1,129 memory.
    for (const text of ['5f195f190a00', '6127105f2000', '6127105f5f3900', '5f612710525a00']) {
      const whole = runCode(own, code(text), { gas: 5_000 })
      for (const slice of [1, 10, 97, 1_000]) {
        const parts = runCode(own, code(text), { gas: 5_000, slice })
        expect({ ...parts, slices: 0 }).toEqual({ ...whole, slices: 0 })
      }
      const { gasLeft } = whole
      for (const slice of [1, 97, 5_000]) {
        const used = 5_000 - gasLeft
        expect(runCode(own, code(text), { gas: used, slice })).toMatchObject({ exit: EXIT_STOP })
        expect(runCode(own, code(text), { gas: used - 1, slice }).exit).toBe(EXIT_OUT_OF_GAS)
      }
    }
  })

  /** Code that ends with an opcode of dynamic gas, and the most that this takes. */
  const fixed = (text: string, gas: number) => ({ text: () => text, gas })
  /** The same, where memory grows by 1,000 bytes each time. */
  const growing = (before: string, after: string) => ({
    text: (index: number) => {
      const offset = (1_000 * (index + 1)).toString(16).padStart(4, '0')
      return `${before}61${offset}${after}`
    },
    gas: 200,
  })
  const units: [name: string, unit: { text: (index: number) => string; gas: number }][] = [
    ['KECCAK256', fixed('6127105f20', 1_878)],
    ['CALLDATACOPY', fixed('6127105f5f37', 1_130)],
    ['CODECOPY', fixed('6127105f5f39', 1_130)],
    ['RETURNDATACOPY', fixed('6127105f5f3e', 1_130)],
    ['MCOPY', fixed('6127105f5f5e', 1_130)],
    ['EXP', fixed('5f195f0a', 1_600)],
    ['MSTORE', growing('5f', '52')],
    ['MSTORE of a copy', growing('5f80', '52')],
    ['MSTORE8', growing('5f', '53')],
    ['MLOAD', growing('', '51')],
  ]

  test.each(units)('a straight line of %s leaves before each', (_, { text, gas }) => {
    const count = 20
    const opcodes: number[] = []
    // 10,000 bytes of memory, in a block of its own, for those that do not make it grow.
    let line = gas > 200 ? '6126f0515b' : ''
    for (let index = 0; index < count; index++) {
      line += text(index)
      opcodes.push(line.length / 2 - 1)
    }
    const program = code(line)
    const start = (slice: number, reserve: number) => {
      const own = core()
      own.enter(
        FRAMES,
        {
          code: program,
          stack: STACKS,
          memory: MEMORIES,
          input: MEMORIES,
          inputLength: 0,
          gas: slice + reserve,
        },
        slice,
      )
      own.setReturned(own.place(MEMORIES + 400_000, new Uint8Array(10_000)) - 10_000, 10_000)
      return own
    }
    const whole = start(1_000_000, 0)
    expect(whole.run(FRAMES, program)).toBe(EXIT_STOP)
    const slice = 60
    for (const isCleared of [false, true]) {
      const own = start(slice, 1_000_000 - slice)
      const positions: number[] = []
      let left = 1_000_000
      let exit = own.run(FRAMES, program)
      for (; exit === EXIT_SLICE_END; exit = own.run(FRAMES, program)) {
        positions.push(own.u32[(FRAMES + F_POSITION) >> 2] ?? 0)
        expect(left - own.gasLeft(FRAMES)).toBeLessThanOrEqual(slice + gas + 36)
        left = own.gasLeft(FRAMES)
        if (isCleared) own.codes.clear()
        own.refill(FRAMES, slice)
      }
      expect(exit).toBe(EXIT_STOP)
      expect(own.gasLeft(FRAMES)).toBe(whole.gasLeft(FRAMES))
      // The first ones may live on the gas that the block has charged for those behind them.
      expect(positions).toEqual(expect.arrayContaining(opcodes.slice(3)))
    }
  })

  test('an opcode that a slice ends before has changed nothing', () => {
    const own = core()
    // KECCAK256(0, 10,000), twice.
    const program = code('6127105f206127105f20')
    own.enter(
      FRAMES,
      {
        code: program,
        stack: STACKS,
        memory: MEMORIES,
        input: 0,
        inputLength: 0,
        gas: 100 + 10_000,
      },
      100,
    )
    expect(own.run(FRAMES, program)).toBe(EXIT_SLICE_END)
    expect(own.u32[(FRAMES + F_POSITION) >> 2]).toBe(4)
    expect(own.gasLeft(FRAMES)).toBe(10_100 - 5)
    expect(own.u32[(FRAMES + F_STACK_TOP) >> 2]).toBe(STACKS + 2 * WORD)
    expect([own.word(STACKS), own.word(STACKS + WORD)]).toEqual([10_000n, 0n])
    expect(own.memoryEnd(FRAMES)).toBe(MEMORIES)
    own.refill(FRAMES, 100)
    // The next slice has its gas already.
    expect(own.run(FRAMES, program)).toBe(EXIT_SLICE_END)
    expect(own.u32[(FRAMES + F_POSITION) >> 2]).toBe(9)
    expect(own.memoryEnd(FRAMES)).toBe(MEMORIES + 10_016)
    // Not in the reserve: there is none.
    expect(own.run(FRAMES, program)).toBe(EXIT_STOP)
  })

  test('an opcode that the reserve does not pay for fails at once', () => {
    const own = core()
    // KECCAK256(0, 10,000) takes 3,043 gas with its operands.
    for (const [gas, exit] of [
      [3_042, EXIT_OUT_OF_GAS],
      [3_043, EXIT_STOP],
    ] as const) {
      const { slices, ...run } = runCode(own, code('6127105f20'), { gas, slice: 100 })
      expect(run.exit).toBe(exit)
      expect(slices).toBe(exit === EXIT_STOP ? 2 : 1)
      expect(run.failedAt).toBe(exit === EXIT_STOP ? undefined : 4)
    }
  })

  test('a slice that ends within a block starts the region anew if it is full', () => {
    const own = core()
    // KECCAK256(0, 10,000), then a STOP and what fills the region.
    const long = new Uint8Array(250_000).fill(0x5b)
    long.set(code('6127105f2000'))
    own.codes.decoded(new Uint8Array(290_000).fill(0x5b))
    own.codes.decoded(long)
    const { epoch } = own.codes
    const whole = runCode(core(), long, { gas: 5_000 })
    expect(runCode(own, long, { gas: 5_000, slice: 100 })).toEqual({ ...whole, slices: 2 })
    expect(own.codes.epoch).toBe(epoch + 1)
  })

  test('the code region may start anew at the end of each slice', () => {
    const own = core()
    // Counts down from 200, and in between writes memory and jumps on.
    const loop = code('60c85b6001900380600052600051806002575f5260205ff3')
    for (const slice of [7, 30, 97]) {
      own.enter(
        FRAMES,
        {
          code: loop,
          stack: STACKS,
          memory: MEMORIES,
          input: 0,
          inputLength: 0,
          gas: slice + 20_000,
        },
        slice,
      )
      let exit = own.run(FRAMES, loop)
      let slices = 0
      for (; exit === EXIT_SLICE_END; slices++) {
        own.codes.clear()
        own.codes.decoded(new Uint8Array(slices % 100).fill(0x5b))
        own.refill(FRAMES, slice)
        exit = own.run(FRAMES, loop)
      }
      expect(exit).toBe(EXIT_RETURN)
      expect(slices).toBeGreaterThan(50)
      const whole = runCode(core(), loop, { gas: 20_000 + slice })
      expect(own.gasLeft(FRAMES)).toBe(whole.gasLeft)
    }
  })

  test('a frame that fails goes on within a block after the region starts anew', () => {
    const own = core()
    // ADD on one item: until there, the frame goes on opcode by opcode. MSTORE(10,000) takes more
    // than a slice, so that there is none left behind it.
    const failing = code(`5f61271052${'600150'.repeat(40)}600101`)
    for (const slice of [3, 8, 50]) {
      own.enter(
        FRAMES,
        {
          code: failing,
          stack: STACKS,
          memory: MEMORIES,
          input: 0,
          inputLength: 0,
          gas: slice + 10_000,
        },
        slice,
      )
      let exit = own.run(FRAMES, failing)
      for (; exit === EXIT_SLICE_END; exit = own.run(FRAMES, failing)) {
        own.codes.clear()
        own.refill(FRAMES, slice)
      }
      expect(exit).toBe(EXIT_STACK_UNDERFLOW)
      expect(own.failurePosition(FRAMES)).toBe(127)
    }
  })

  test('a loop leaves once a slice', () => {
    const own = core()
    // JUMPDEST, PUSH0, JUMP: 11 gas a round.
    const run = runCode(own, code('5b5f56'), { gas: 100_000, slice: 1_000 })
    expect(run.exit).toBe(EXIT_OUT_OF_GAS)
    expect(run.slices).toBe(100)
  })
})
