import { ARITHMETIC } from '../layout'
import { isZero, negate, put } from './words'

// Multiplication and division of words; see words.ts for their form. Long numbers are arrays of
// limbs of 32 bits here, so that products and carries fit into 64.

/** Dividend and divisor, shifted so that the divisor's highest bit is set; 17 and 8 limbs. */
const DIVIDEND: usize = ARITHMETIC
const DIVISOR: usize = ARITHMETIC + 128
const QUOTIENT: usize = ARITHMETIC + 256
/** Dividend of ADDMOD and MULMOD: 16 limbs. */
const PRODUCT: usize = ARITHMETIC + 512
/** Square, result and exponent of EXP. */
const SQUARE: usize = ARITHMETIC + 640
const POWER: usize = ARITHMETIC + 704
const EXPONENT: usize = ARITHMETIC + 768

const HALF: u64 = 0xffffffff

/** The upper 64 bits of a product of two limbs. */
// @ts-ignore
@inline
function high(a: u64, b: u64): u64 {
  const lowerA = a & HALF
  const upperA = a >> 32
  const lowerB = b & HALF
  const upperB = b >> 32
  const left = upperA * lowerB + ((lowerA * lowerB) >> 32)
  const right = lowerA * upperB + (left & HALF)
  return upperA * upperB + (left >> 32) + (right >> 32)
}

/** out = a * b; `out` may be `b` */
export function mul(a: usize, b: usize, out: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  let sum1 = high(a0, b0)
  let sum2: u64 = 0
  let sum3: u64 = 0
  let part = a0 * b1
  sum1 += part
  const carry = high(a0, b1) + u64(sum1 < part)
  // Most factors have one limb.
  if ((a1 | a2 | a3) == 0) {
    part = a0 * b2
    sum2 = carry + part
    sum3 = high(a0, b2) + u64(sum2 < part) + a0 * b3
  } else {
    part = a1 * b0
    sum1 += part
    const carry1 = high(a1, b0) + u64(sum1 < part)
    sum2 = carry + carry1
    sum3 = u64(sum2 < carry)
    part = a0 * b2
    sum2 += part
    sum3 += high(a0, b2) + u64(sum2 < part)
    part = a1 * b1
    sum2 += part
    sum3 += high(a1, b1) + u64(sum2 < part)
    part = a2 * b0
    sum2 += part
    sum3 += high(a2, b0) + u64(sum2 < part)
    sum3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  }
  store<u64>(out, a0 * b0)
  store<u64>(out, sum1, 8)
  store<u64>(out, sum2, 16)
  store<u64>(out, sum3, 24)
}

// @ts-ignore
@inline
function limb(a: usize, index: i32): u64 {
  return <u64>load<u32>(a + ((<usize>index) << 2))
}

// @ts-ignore
@inline
function setLimb(a: usize, index: i32, value: u64): void {
  store<u32>(a + ((<usize>index) << 2), <u32>value)
}

/** The limb at `index` of a number that is shifted left by `shift` bits, below 32. */
// @ts-ignore
@inline
function shiftedLimb(a: usize, index: i32, shift: u64): u64 {
  return (((limb(a, index) << 32) | limb(a, index - 1)) << shift) >> 32
}

/** The number of limbs without leading zeros. */
function limbCount(a: usize, most: i32): i32 {
  let count = most
  while (count > 0 && limb(a, count - 1) == 0) count--
  return count
}

/** PRODUCT = a * b, in full */
function multiplyInFull(a: usize, b: usize): void {
  memory.fill(PRODUCT, 0, 64)
  for (let row = 0; row < 8; row++) {
    const factor = limb(a, row)
    if (factor == 0) continue
    let carry: u64 = 0
    for (let column = 0; column < 8; column++) {
      const sum = factor * limb(b, column) + limb(PRODUCT, row + column) + carry
      setLimb(PRODUCT, row + column, sum)
      carry = sum >> 32
    }
    setLimb(PRODUCT, row + 8, carry)
  }
}

/**
 * Divides a number of `most` limbs by a word that is not 0. `out`, which may be either, becomes the
 * quotient, which must fit into a word, or the remainder.
 */
function divide(
  dividend: usize,
  most: i32,
  divisor: usize,
  out: usize,
  wantsRemainder: bool,
): void {
  const dividendCount = limbCount(dividend, most)
  const divisorCount = limbCount(divisor, 8)
  if (dividendCount < divisorCount) {
    if (wantsRemainder) memory.copy(out, dividend, 32)
    else put(out, 0)
    return
  }
  memory.fill(QUOTIENT, 0, 64)
  if (divisorCount == 1) {
    const remainder = divideByLimb(dividend, dividendCount, limb(divisor, 0))
    if (wantsRemainder) put(out, remainder)
    else memory.copy(out, QUOTIENT, 32)
    return
  }
  const shift = <u64>clz<u32>(<u32>limb(divisor, divisorCount - 1))
  divideShifted(dividend, dividendCount, divisor, divisorCount, shift)
  if (!wantsRemainder) {
    memory.copy(out, QUOTIENT, 32)
    return
  }
  put(out, 0)
  for (let index = 0; index < divisorCount; index++) {
    const pair = (limb(DIVIDEND, index + 1) << 32) | limb(DIVIDEND, index)
    setLimb(out, index, pair >> shift)
  }
}

/** Sets QUOTIENT and returns the remainder. */
function divideByLimb(dividend: usize, count: i32, divisor: u64): u64 {
  let remainder: u64 = 0
  for (let index = count - 1; index >= 0; index--) {
    const part = (remainder << 32) | limb(dividend, index)
    setLimb(QUOTIENT, index, part / divisor)
    remainder = part % divisor
  }
  return remainder
}

/**
 * Knuth's algorithm D (The Art of Computer Programming, 4.3.1): sets QUOTIENT, and leaves the
 * remainder in DIVIDEND, shifted left by `shift`.
 */
function divideShifted(
  dividend: usize,
  dividendCount: i32,
  divisor: usize,
  divisorCount: i32,
  shift: u64,
): void {
  for (let index = divisorCount - 1; index > 0; index--) {
    setLimb(DIVISOR, index, shiftedLimb(divisor, index, shift))
  }
  setLimb(DIVISOR, 0, limb(divisor, 0) << shift)
  setLimb(DIVIDEND, dividendCount, (limb(dividend, dividendCount - 1) << shift) >> 32)
  for (let index = dividendCount - 1; index > 0; index--) {
    setLimb(DIVIDEND, index, shiftedLimb(dividend, index, shift))
  }
  setLimb(DIVIDEND, 0, limb(dividend, 0) << shift)
  for (let index = dividendCount - divisorCount; index >= 0; index--) {
    const guess = guessLimb(index + divisorCount, divisorCount)
    setLimb(QUOTIENT, index, subtractMultiple(guess, index, divisorCount))
  }
}

/** A limb of the quotient, from the first limbs; at most 1 too large. `top`: of the dividend. */
// @ts-ignore
@inline
function guessLimb(top: i32, divisorCount: i32): u64 {
  const first = limb(DIVISOR, divisorCount - 1)
  const second = limb(DIVISOR, divisorCount - 2)
  const part = (limb(DIVIDEND, top) << 32) | limb(DIVIDEND, top - 1)
  let guess = part / first
  let rest = part % first
  while (guess > HALF || guess * second > ((rest << 32) | limb(DIVIDEND, top - 2))) {
    guess--
    rest += first
    if (rest > HALF) break
  }
  return guess
}

/** DIVIDEND -= guess * DIVISOR, shifted by `index` limbs. Returns the guess, put right. */
// @ts-ignore
@inline
function subtractMultiple(guess: u64, index: i32, divisorCount: i32): u64 {
  let borrow: i64 = 0
  let carry: u64 = 0
  for (let place = 0; place < divisorCount; place++) {
    const product = guess * limb(DIVISOR, place) + carry
    carry = product >> 32
    const difference = <i64>limb(DIVIDEND, index + place) - borrow - <i64>(product & HALF)
    setLimb(DIVIDEND, index + place, <u64>difference)
    borrow = i64(difference < 0)
  }
  const top = index + divisorCount
  const difference = <i64>limb(DIVIDEND, top) - borrow - <i64>carry
  setLimb(DIVIDEND, top, <u64>difference)
  if (difference >= 0) return guess
  // One too many: add the divisor back.
  carry = 0
  for (let place = 0; place < divisorCount; place++) {
    const sum = limb(DIVIDEND, index + place) + limb(DIVISOR, place) + carry
    setLimb(DIVIDEND, index + place, sum)
    carry = sum >> 32
  }
  setLimb(DIVIDEND, top, limb(DIVIDEND, top) + carry)
  return guess - 1
}

/** b = a / b or a % b; 0 if b is 0 */
export function div(a: usize, b: usize, wantsRemainder: bool): void {
  if (isZero(b)) return
  const upperA = load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)
  const upperB = load<u64>(b, 8) | load<u64>(b, 16) | load<u64>(b, 24)
  if ((upperA | upperB) == 0) {
    const dividend = load<u64>(a)
    const divisor = load<u64>(b)
    store<u64>(b, wantsRemainder ? dividend % divisor : dividend / divisor)
    return
  }
  divide(a, 8, b, b, wantsRemainder)
}

/** As {@link div}, with signs: a quotient is rounded towards 0, a remainder has the sign of a. */
export function sdiv(a: usize, b: usize, wantsRemainder: bool): void {
  const isNegativeA = <i64>load<u64>(a, 24) < 0
  const isNegativeB = <i64>load<u64>(b, 24) < 0
  if (isNegativeA) negate(a)
  if (isNegativeB) negate(b)
  div(a, b, wantsRemainder)
  if (wantsRemainder ? isNegativeA : isNegativeA != isNegativeB) negate(b)
}

/** c = (a + b) % c, without overflow; 0 if c is 0 */
export function addmod(a: usize, b: usize, c: usize): void {
  if (isZero(c)) return
  let carry: u64 = 0
  for (let offset: usize = 0; offset < 32; offset += 8) {
    const part = load<u64>(a + offset) + load<u64>(b + offset)
    const sum = part + carry
    carry = u64(part < load<u64>(a + offset)) | u64(sum < part)
    store<u64>(PRODUCT + offset, sum)
  }
  store<u64>(PRODUCT + 32, carry)
  divide(PRODUCT, 9, c, c, true)
}

/** c = (a * b) % c, without overflow; 0 if c is 0 */
export function mulmod(a: usize, b: usize, c: usize): void {
  if (isZero(c)) return
  multiplyInFull(a, b)
  divide(PRODUCT, 16, c, c, true)
}

/** b = a ** b */
export function exp(a: usize, b: usize): void {
  memory.copy(SQUARE, a, 32)
  memory.copy(EXPONENT, b, 32)
  put(POWER, 1)
  let bits = 256
  while (bits > 0 && bitOf(EXPONENT, bits - 1) == 0) bits--
  for (let index = 0; index < bits; index++) {
    if (bitOf(EXPONENT, index)) mul(SQUARE, POWER, POWER)
    if (index + 1 < bits) mul(SQUARE, SQUARE, SQUARE)
  }
  memory.copy(b, POWER, 32)
}

// @ts-ignore
@inline
function bitOf(a: usize, index: i32): u64 {
  return (limb(a, index >> 5) >> <u64>(index & 31)) & 1
}
