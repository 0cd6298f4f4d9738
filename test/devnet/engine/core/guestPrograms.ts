import { itemsNamed, Op } from '../../../../devnet/protocol/opcodes.ts'
import type { Random } from '../../../support/random.ts'

// Programs of opcodes that the core runs without its host, as hexadecimal digits.

const LIMIT = 1n << 256n

/** Operands at which arithmetic has its edges. */
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 7n, 8n, 30n, 31n, 32n, 33n, 63n, 64n, 65n, 127n, 128n, 191n, 192n, 193n],
  ...[255n, 256n, 257n, 0xffffn, 0xffffffffn, 1n << 32n, 1n << 63n, (1n << 64n) - 1n, 1n << 64n],
  ...[(1n << 64n) + 1n, (1n << 128n) - 1n, 1n << 128n, (1n << 192n) - 1n, 1n << 192n],
  ...[(1n << 255n) - 1n, 1n << 255n, (1n << 255n) + 1n, LIMIT - 1n, LIMIT - 2n],
  ...[LIMIT - (1n << 64n), LIMIT - (1n << 128n), 0xffffffff00000000ffffffff00000000n],
  0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
]

const UNARY = [0x15, 0x19, 0x1e]
const BINARY = [
  ...[0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b],
  ...[0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d],
]
const TERNARY = [0x08, 0x09]
/** Divisions, whose algorithm has the most branches. */
const DIVISIONS = [0x04, 0x05, 0x06, 0x07, 0x08, 0x09]
/** Words of the frame, the transaction and the block. */
const READS = [
  ...[0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x48],
  ...[0x4a, 0x58, 0x59, 0x5a],
]

/** PUSH20 of an address's mask. */
const MASK = `73${'ff'.repeat(20)}`

/** Opcodes that the host has to answer, in any hardfork. */
const HOST = new Set([
  ...[0x31, 0x3b, 0x3c, 0x3f, 0x40, 0x47, 0x49, 0x54, 0x55, 0x5c, 0x5d, 0xa0, 0xa1, 0xa2, 0xa3],
  ...[0xa4, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xff],
])
const GUEST = Array.from({ length: 256 }, (_, opcode) => opcode).filter((code) => !HOST.has(code))
const FREQUENT = [
  0x60, 0x80, 0x81, 0x90, 0x91, 0x5f, 0x5b, 0x50, 0x52, 0x51, 0x01, 0x14, 0x15, 0x57,
]

export const PROGRAM_KINDS = ['operands', 'structured', 'bytes'] as const
export type ProgramKind = (typeof PROGRAM_KINDS)[number]

export function guestProgram(kind: ProgramKind, random: Random): string {
  if (kind === 'operands') return operandProgram(random)
  return kind === 'structured' ? structuredProgram(random) : byteProgram(random)
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

function push(value: bigint): string {
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return byte(0x5f + even.length / 2) + even
}

function operand(random: Random): bigint {
  const kind = random.below(10)
  if (kind < 4) return random.pick(EDGES)
  let value = 0n
  for (let limb = 0; limb < 8; limb++) value = (value << 32n) | BigInt(random.below(2 ** 32))
  if (kind < 8) return value >> BigInt(random.below(256))
  return kind === 8 ? LIMIT - 1n - (value >> BigInt(random.below(256))) : value
}

/** One opcode on operands; its result is returned, or stays on the stack. */
function operandProgram(random: Random): string {
  const opcode = random.pick([...BINARY, ...UNARY, ...DIVISIONS, ...DIVISIONS])
  const count = UNARY.includes(opcode) ? 1 : TERNARY.includes(opcode) ? 3 : 2
  const operands = Array.from({ length: count }, () => operand(random))
  return operands.map(push).join('') + byte(opcode) + (random.once(2) ? '5f5260205ff3' : '')
}

/** Keeps to the height of the stack mostly, and has loops of a few rounds. */
function structuredProgram(random: Random): string {
  let text = ''
  let height = 0
  for (let length = 5 + random.below(60); length > 0; length--) {
    const offset = () => push(BigInt(random.below(400)))
    switch (height < 3 ? 0 : random.below(16)) {
      case 0:
      case 1:
      case 2:
        text += push(random.once(3) ? BigInt(random.below(300)) : operand(random))
        height++
        break
      case 3:
      case 4:
      case 5:
        text += byte(random.pick(BINARY))
        height--
        break
      case 6:
        text += byte(random.pick(UNARY))
        break
      case 7:
        text += byte(random.pick(TERNARY))
        height -= 2
        break
      case 8:
        text += byte(0x80 + random.below(Math.min(height, 16)))
        height++
        // Pairs that become one, without a change of the height.
        if (random.once(3))
          text += random.pick(['8150', '600101', '8060805260805150', '80601c1c50', `80${MASK}1650`])
        break
      case 9:
        text += byte(0x90 + random.below(Math.min(height - 1, 16)))
        if (random.once(2)) {
          text += '50'
          height--
        }
        break
      case 10:
        text += offset() + random.pick(['52', '53'])
        height--
        break
      case 11:
        text += offset() + random.pick(['51', '35'])
        height++
        break
      case 12:
        text += `${offset() + offset()}20`
        height++
        break
      case 13:
        text += offset() + offset() + offset() + random.pick(['37', '39', '5e'])
        break
      case 14:
        text += byte(random.pick(READS))
        height++
        break
      default:
        text += loop(random, text.length / 2)
        height++
    }
  }
  return text + random.pick(['', '00', '60405ff3', '60205ffd', '5f355f5260405ff3', 'fe', '56'])
}

/** Bodies that leave the counter on top. */
const BODIES = ['', '80600052', '8060010150', '80600a1450', '60005150', '80811650']

/** Tests whether the counter on top is above 0, which leave it there: each comparison both ways. */
const CONDITIONS = [
  ...['80', '801515', '6000811415', '60008111', '80600010', '60008113', '80600012'],
  ...['6001811015', '8060011115', '6001811215', '8060011315'],
]

/** Counts down to 0, and leaves that on the stack. `position`: where it begins. */
function loop(random: Random, position: number): string {
  const jumpdest = (position + 2).toString(16).padStart(4, '0')
  const rounds = byte(1 + random.below(5))
  return `60${rounds}5b${random.pick(BODIES)}60019003${random.pick(CONDITIONS)}61${jumpdest}57`
}

/** DUPN, SWAPN and EXCHANGE among what they are fused with, in loops and on stacks of any height. */
export function deepProgram(random: Random): string {
  const height = random.pick([0, 1, 2, 17, 18, 19, 31, 32, 100, 144, 145, 235, 236, 240])
  let text = ''
  for (let item = 0; item < height; item++) text += push(BigInt(item * 7 + random.below(7)))
  for (let length = 1 + random.below(25); length > 0; length--) {
    if (random.once(3)) text += random.pick([...BESIDE, loop(random, text.length / 2)])
    else text += byte(0xe6 + random.below(3)) + byte(deepImmediate(random, height))
  }
  return text + random.pick(['', 'e6', 'e7', 'e8', '00', '5b', '60005260205ff3', '56', '5b00'])
}

/** Opcodes before and after which others become one instruction. */
const BESIDE = ['50', '01', '80', '81', '90', '5050', '600052', '60005260005150', '4b', '5b', '5a']

/** Names an item of a stack of this height mostly; else any byte. */
function deepImmediate(random: Random, height: number): number {
  if (random.once(25)) return random.pick([0x5b, 0x5f, 0x60, 0x7f, random.below(256)])
  const immediates = Array.from({ length: 256 }, (_, immediate) => immediate)
  const within = immediates.filter((one) => (itemsNamed(Op.swapN, one) ?? Infinity) <= height + 1)
  return random.pick(within.length > 0 ? within : immediates)
}

function byteProgram(random: Random): string {
  const length = 1 + random.below(80)
  const opcode = () => byte(random.once(3) ? random.pick(FREQUENT) : random.pick(GUEST))
  return Array.from({ length }, opcode).join('')
}
