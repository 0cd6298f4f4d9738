// Words of 256 bits: pointers to four limbs of 64 bits, least significant first. The result of two
// words replaces the second. Limbs are loaded one by one, because a 128-bit load over two fresh
// 64-bit stores stalls.

/** The lowest limb, or the largest number if another one is not 0. */
// @ts-ignore
@inline
export function low(a: usize): u64 {
  return load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24) ? u64.MAX_VALUE : load<u64>(a)
}

// @ts-ignore
@inline
export function put(a: usize, number: u64): void {
  store<u64>(a, number)
  store<u64>(a, 0, 8)
  store<u64>(a, 0, 16)
  store<u64>(a, 0, 24)
}

// @ts-ignore
@inline
export function copy(from: usize, to: usize): void {
  const limb0 = load<u64>(from)
  const limb1 = load<u64>(from, 8)
  const limb2 = load<u64>(from, 16)
  const limb3 = load<u64>(from, 24)
  store<u64>(to, limb0)
  store<u64>(to, limb1, 8)
  store<u64>(to, limb2, 16)
  store<u64>(to, limb3, 24)
}

// @ts-ignore
@inline
export function swap(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  copy(b, a)
  store<u64>(b, a0)
  store<u64>(b, a1, 8)
  store<u64>(b, a2, 16)
  store<u64>(b, a3, 24)
}

/** Reads a word from 32 bytes of memory, most significant first. */
// @ts-ignore
@inline
export function readWord(from: usize, to: usize): void {
  const front = v128.load(from)
  const back = v128.load(from, 16)
  v128.store(to, turned(back))
  v128.store(to, turned(front), 16)
}

/** Writes a word to memory, most significant byte first. */
// @ts-ignore
@inline
export function writeWord(from: usize, to: usize): void {
  const lower = i64x2.replace_lane(i64x2.splat(load<u64>(from)), 1, load<u64>(from, 8))
  const upper = i64x2.replace_lane(i64x2.splat(load<u64>(from, 16)), 1, load<u64>(from, 24))
  v128.store(to, turned(upper))
  v128.store(to, turned(lower), 16)
}

// @ts-ignore
@inline
function turned(half: v128): v128 {
  return v128.shuffle<u8>(half, half, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
}

/** For the host: copies a word with its bytes in reverse. */
export function reverse(from: usize, to: usize): void {
  writeWord(from, to)
}

// @ts-ignore
@inline
export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

// @ts-ignore
@inline
export function equal(a: usize, b: usize): bool {
  const difference0 = load<u64>(a) ^ load<u64>(b)
  const difference1 = load<u64>(a, 8) ^ load<u64>(b, 8)
  const difference2 = load<u64>(a, 16) ^ load<u64>(b, 16)
  const difference3 = load<u64>(a, 24) ^ load<u64>(b, 24)
  return (difference0 | difference1 | difference2 | difference3) == 0
}

// @ts-ignore
@inline
export function equalsSmall(a: usize, number: u64): bool {
  return low(a) == number
}

// @ts-ignore
@inline
export function lessThan(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

// @ts-ignore
@inline
export function signedLess(a: usize, b: usize): bool {
  const a3 = <i64>load<u64>(a, 24)
  const b3 = <i64>load<u64>(b, 24)
  return a3 != b3 ? a3 < b3 : lessThan(a, b)
}

// @ts-ignore
@inline
export function and(a: usize, b: usize): void {
  store<u64>(b, load<u64>(a) & load<u64>(b))
  store<u64>(b, load<u64>(a, 8) & load<u64>(b, 8), 8)
  store<u64>(b, load<u64>(a, 16) & load<u64>(b, 16), 16)
  store<u64>(b, load<u64>(a, 24) & load<u64>(b, 24), 24)
}

// @ts-ignore
@inline
export function or(a: usize, b: usize): void {
  store<u64>(b, load<u64>(a) | load<u64>(b))
  store<u64>(b, load<u64>(a, 8) | load<u64>(b, 8), 8)
  store<u64>(b, load<u64>(a, 16) | load<u64>(b, 16), 16)
  store<u64>(b, load<u64>(a, 24) | load<u64>(b, 24), 24)
}

// @ts-ignore
@inline
export function xor(a: usize, b: usize): void {
  store<u64>(b, load<u64>(a) ^ load<u64>(b))
  store<u64>(b, load<u64>(a, 8) ^ load<u64>(b, 8), 8)
  store<u64>(b, load<u64>(a, 16) ^ load<u64>(b, 16), 16)
  store<u64>(b, load<u64>(a, 24) ^ load<u64>(b, 24), 24)
}

// @ts-ignore
@inline
export function not(a: usize): void {
  store<u64>(a, ~load<u64>(a))
  store<u64>(a, ~load<u64>(a, 8), 8)
  store<u64>(a, ~load<u64>(a, 16), 16)
  store<u64>(a, ~load<u64>(a, 24), 24)
}

/** b = a + b */
// @ts-ignore
@inline
export function add(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const sum0 = a0 + load<u64>(b)
  const carry0 = u64(sum0 < a0)
  const a1 = load<u64>(a, 8)
  const part1 = a1 + load<u64>(b, 8)
  const sum1 = part1 + carry0
  const carry1 = u64(part1 < a1) | u64(sum1 < part1)
  const a2 = load<u64>(a, 16)
  const part2 = a2 + load<u64>(b, 16)
  const sum2 = part2 + carry1
  const carry2 = u64(part2 < a2) | u64(sum2 < part2)
  const sum3 = load<u64>(a, 24) + load<u64>(b, 24) + carry2
  store<u64>(b, sum0)
  store<u64>(b, sum1, 8)
  store<u64>(b, sum2, 16)
  store<u64>(b, sum3, 24)
}

/** b = a - b */
// @ts-ignore
@inline
export function sub(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const b0 = load<u64>(b)
  const borrow0 = u64(a0 < b0)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const part1 = a1 - b1
  const borrow1 = u64(a1 < b1) | u64(part1 < borrow0)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  const part2 = a2 - b2
  const borrow2 = u64(a2 < b2) | u64(part2 < borrow1)
  const difference3 = load<u64>(a, 24) - load<u64>(b, 24) - borrow2
  store<u64>(b, a0 - b0)
  store<u64>(b, part1 - borrow0, 8)
  store<u64>(b, part2 - borrow1, 16)
  store<u64>(b, difference3, 24)
}

/** a = a + number */
// @ts-ignore
@inline
export function addSmall(a: usize, number: u64): void {
  const sum0 = load<u64>(a) + number
  store<u64>(a, sum0)
  if (sum0 < number) carryInto(a)
}

/** Adds 1 to the upper limbs of a word. */
function carryInto(a: usize): void {
  for (let offset: usize = 8; offset < 32; offset += 8) {
    const sum = load<u64>(a + offset) + 1
    store<u64>(a + offset, sum)
    if (sum != 0) return
  }
}

/** a = -a */
export function negate(a: usize): void {
  not(a)
  addSmall(a, 1)
}

/** b = b << count */
export function shiftLeft(count: u64, b: usize): void {
  if (count > 255) {
    put(b, 0)
    return
  }
  const limbs = <i32>(count >> 6)
  const bits = count & 63
  for (let index = 3; index >= 0; index--) {
    const source = index - limbs
    let limb: u64 = 0
    if (source >= 0) {
      limb = limbOf(b, source) << bits
      if (bits && source > 0) limb |= limbOf(b, source - 1) >> (64 - bits)
    }
    store<u64>(b + ((<usize>index) << 3), limb)
  }
}

/** b = b >> count; the new bits are those of `fill`, which is 0 or all ones */
export function shiftRight(count: u64, b: usize, fill: u64): void {
  const limbs = count > 255 ? 4 : <i32>(count >> 6)
  const bits = count & 63
  for (let index = 0; index < 4; index++) {
    const source = index + limbs
    let limb = fill
    if (source < 4) {
      limb = limbOf(b, source)
      const next = source < 3 ? limbOf(b, source + 1) : fill
      if (bits) limb = (limb >> bits) | (next << (64 - bits))
    }
    store<u64>(b + ((<usize>index) << 3), limb)
  }
}

/** b = b >> count, for counts below 64 */
// @ts-ignore
@inline
export function shiftRightSmall(count: u64, b: usize): void {
  if (count == 0) return
  const rest = 64 - count
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  store<u64>(b, (b0 >> count) | (b1 << rest))
  store<u64>(b, (b1 >> count) | (b2 << rest), 8)
  store<u64>(b, (b2 >> count) | (b3 << rest), 16)
  store<u64>(b, b3 >> count, 24)
}

// @ts-ignore
@inline
function limbOf(a: usize, index: i32): u64 {
  return load<u64>(a + ((<usize>index) << 3))
}

/** SIGNEXTEND: extends the sign of the number in the lowest `index` + 1 bytes of b. */
export function signExtend(index: u64, b: usize): void {
  if (index >= 31) return
  const bit = index * 8 + 7
  const isNegative = (limbOf(b, <i32>(bit >> 6)) >> (bit & 63)) & 1
  shiftLeft(255 - bit, b)
  shiftRight(255 - bit, b, isNegative ? <u64>-1 : 0)
}

/** BYTE: the byte at `index`, counted from the most significant. */
export function byteAt(index: u64, a: usize): u64 {
  return index >= 32 ? 0 : <u64>load<u8>(a + 31 - <usize>index)
}

export function leadingZeros(a: usize): u64 {
  for (let index = 3; index >= 0; index--) {
    const limb = limbOf(a, index)
    if (limb) return <u64>(3 - index) * 64 + clz<u64>(limb)
  }
  return 256
}

/** Number of bytes without leading zeros. */
export function byteLength(a: usize): u64 {
  return (256 - leadingZeros(a) + 7) >> 3
}
