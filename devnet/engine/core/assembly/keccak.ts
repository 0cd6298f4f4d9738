import { KECCAK_BLOCK, KECCAK_LANES } from '../layout'

// keccak-256 as Ethereum uses it: with the padding of the submission, not that of FIPS 202.

const RATE: u32 = 136

/** FIPS 202, 3.2.5. */
const ROUND_CONSTANTS: usize = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
  0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
  0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
  0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
  0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])
const ROUNDS_END: usize = 24 * 8

/** The hash of a message, as a word. */
export function keccak(from: usize, length: u32, to: usize): void {
  const whole = length - (length % RATE)
  if (whole) absorb(from, whole, true)
  finish(from + whole, length - whole, to, whole == 0)
}

/** The hash of a message whose first pieces `absorb` has taken; this is the rest of it. */
export function squeeze(from: usize, length: u32, to: usize): void {
  const whole = length - (length % RATE)
  if (whole) absorb(from, whole, false)
  finish(from + whole, length - whole, to, false)
}

/** Pads what is left, which is shorter than a block, and writes the hash. */
function finish(from: usize, length: u32, to: usize, isFirst: bool): void {
  // By hand: the instructions that copy and fill memory are calls out of the module.
  let offset: u32 = 0
  for (; offset + 8 <= length; offset += 8) {
    store<u64>(KECCAK_BLOCK + offset, load<u64>(from + offset))
  }
  for (let rest = offset; rest < RATE; rest += 8) store<u64>(KECCAK_BLOCK + rest, 0)
  for (; offset < length; offset++) store<u8>(KECCAK_BLOCK + offset, load<u8>(from + offset))
  store<u8>(KECCAK_BLOCK + length, 1)
  store<u8>(KECCAK_BLOCK + RATE - 1, load<u8>(KECCAK_BLOCK + RATE - 1) | 0x80)
  // Most messages are short. For them the compiler makes a copy that starts from nothing.
  if (isFirst) permute(KECCAK_BLOCK, RATE, true, true)
  else absorb(KECCAK_BLOCK, RATE, false)
  // Two of the first four lanes are kept complemented.
  store<u64>(to, bswap<u64>(load<u64>(KECCAK_LANES, 24)))
  store<u64>(to, bswap<u64>(~load<u64>(KECCAK_LANES, 16)), 8)
  store<u64>(to, bswap<u64>(~load<u64>(KECCAK_LANES, 8)), 16)
  store<u64>(to, bswap<u64>(load<u64>(KECCAK_LANES)), 24)
}

// @ts-ignore
@inline
function left(lane: u64, count: u64): u64 {
  return rotl<u64>(lane, count)
}

/**
 * Takes whole blocks of a message. Six lanes are kept complemented, which saves 20 of the 25
 * negations of a round (Keccak implementation overview, 2.2).
 */
export function absorb(from: usize, length: u32, isFirst: bool): void {
  permute(from, length, isFirst, false)
}

// @ts-ignore
@inline
function permute(from: usize, length: u32, isFirst: bool, isLast: bool): void {
  let a0: u64 = 0
  let a1: u64 = -1
  let a2: u64 = -1
  let a3: u64 = 0
  let a4: u64 = 0
  let a5: u64 = 0
  let a6: u64 = 0
  let a7: u64 = 0
  let a8: u64 = -1
  let a9: u64 = 0
  let a10: u64 = 0
  let a11: u64 = 0
  let a12: u64 = -1
  let a13: u64 = 0
  let a14: u64 = 0
  let a15: u64 = 0
  let a16: u64 = 0
  let a17: u64 = -1
  let a18: u64 = 0
  let a19: u64 = 0
  let a20: u64 = -1
  let a21: u64 = 0
  let a22: u64 = 0
  let a23: u64 = 0
  let a24: u64 = 0
  if (!isFirst) {
    a0 = load<u64>(KECCAK_LANES, 0)
    a1 = load<u64>(KECCAK_LANES, 8)
    a2 = load<u64>(KECCAK_LANES, 16)
    a3 = load<u64>(KECCAK_LANES, 24)
    a4 = load<u64>(KECCAK_LANES, 32)
    a5 = load<u64>(KECCAK_LANES, 40)
    a6 = load<u64>(KECCAK_LANES, 48)
    a7 = load<u64>(KECCAK_LANES, 56)
    a8 = load<u64>(KECCAK_LANES, 64)
    a9 = load<u64>(KECCAK_LANES, 72)
    a10 = load<u64>(KECCAK_LANES, 80)
    a11 = load<u64>(KECCAK_LANES, 88)
    a12 = load<u64>(KECCAK_LANES, 96)
    a13 = load<u64>(KECCAK_LANES, 104)
    a14 = load<u64>(KECCAK_LANES, 112)
    a15 = load<u64>(KECCAK_LANES, 120)
    a16 = load<u64>(KECCAK_LANES, 128)
    a17 = load<u64>(KECCAK_LANES, 136)
    a18 = load<u64>(KECCAK_LANES, 144)
    a19 = load<u64>(KECCAK_LANES, 152)
    a20 = load<u64>(KECCAK_LANES, 160)
    a21 = load<u64>(KECCAK_LANES, 168)
    a22 = load<u64>(KECCAK_LANES, 176)
    a23 = load<u64>(KECCAK_LANES, 184)
    a24 = load<u64>(KECCAK_LANES, 192)
  }
  const end = from + length
  for (let at = from; at < end; at += RATE) {
    a0 ^= load<u64>(at, 0)
    a1 ^= load<u64>(at, 8)
    a2 ^= load<u64>(at, 16)
    a3 ^= load<u64>(at, 24)
    a4 ^= load<u64>(at, 32)
    a5 ^= load<u64>(at, 40)
    a6 ^= load<u64>(at, 48)
    a7 ^= load<u64>(at, 56)
    a8 ^= load<u64>(at, 64)
    a9 ^= load<u64>(at, 72)
    a10 ^= load<u64>(at, 80)
    a11 ^= load<u64>(at, 88)
    a12 ^= load<u64>(at, 96)
    a13 ^= load<u64>(at, 104)
    a14 ^= load<u64>(at, 112)
    a15 ^= load<u64>(at, 120)
    a16 ^= load<u64>(at, 128)
    for (let round: usize = 0; round < ROUNDS_END; round += 8) {
      const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20
      const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21
      const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22
      const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23
      const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24
      const d0 = c4 ^ left(c1, 1)
      const d1 = c0 ^ left(c2, 1)
      const d2 = c1 ^ left(c3, 1)
      const d3 = c2 ^ left(c4, 1)
      const d4 = c3 ^ left(c0, 1)
      const b0 = a0 ^ d0
      const b10 = left(a1 ^ d1, 1)
      const b20 = left(a2 ^ d2, 62)
      const b5 = left(a3 ^ d3, 28)
      const b15 = left(a4 ^ d4, 27)
      const b16 = left(a5 ^ d0, 36)
      const b1 = left(a6 ^ d1, 44)
      const b11 = left(a7 ^ d2, 6)
      const b21 = left(a8 ^ d3, 55)
      const b6 = left(a9 ^ d4, 20)
      const b7 = left(a10 ^ d0, 3)
      const b17 = left(a11 ^ d1, 10)
      const b2 = left(a12 ^ d2, 43)
      const b12 = left(a13 ^ d3, 25)
      const b22 = left(a14 ^ d4, 39)
      const b23 = left(a15 ^ d0, 41)
      const b8 = left(a16 ^ d1, 45)
      const b18 = left(a17 ^ d2, 15)
      const b3 = left(a18 ^ d3, 21)
      const b13 = left(a19 ^ d4, 8)
      const b14 = left(a20 ^ d0, 18)
      const b24 = left(a21 ^ d1, 2)
      const b9 = left(a22 ^ d2, 61)
      const b19 = left(a23 ^ d3, 56)
      const b4 = left(a24 ^ d4, 14)
      a0 = b0 ^ (b1 | b2) ^ load<u64>(ROUND_CONSTANTS + round)
      a1 = b1 ^ (~b2 | b3)
      a2 = b2 ^ (b3 & b4)
      a3 = b3 ^ (b4 | b0)
      a4 = b4 ^ (b0 & b1)
      a5 = b5 ^ (b6 | b7)
      a6 = b6 ^ (b7 & b8)
      a7 = b7 ^ (b8 | ~b9)
      a8 = b8 ^ (b9 | b5)
      a9 = b9 ^ (b5 & b6)
      const n13 = ~b13
      a10 = b10 ^ (b11 | b12)
      a11 = b11 ^ (b12 & b13)
      a12 = b12 ^ (n13 & b14)
      a13 = n13 ^ (b14 | b10)
      a14 = b14 ^ (b10 & b11)
      const n18 = ~b18
      a15 = b15 ^ (b16 & b17)
      a16 = b16 ^ (b17 | b18)
      a17 = b17 ^ (n18 | b19)
      a18 = n18 ^ (b19 & b15)
      a19 = b19 ^ (b15 | b16)
      const n21 = ~b21
      a20 = b20 ^ (n21 & b22)
      a21 = n21 ^ (b22 | b23)
      a22 = b22 ^ (b23 & b24)
      a23 = b23 ^ (b24 | b20)
      a24 = b24 ^ (b20 & b21)
    }
  }
  store<u64>(KECCAK_LANES, a0, 0)
  store<u64>(KECCAK_LANES, a1, 8)
  store<u64>(KECCAK_LANES, a2, 16)
  store<u64>(KECCAK_LANES, a3, 24)
  if (isLast) return
  store<u64>(KECCAK_LANES, a4, 32)
  store<u64>(KECCAK_LANES, a5, 40)
  store<u64>(KECCAK_LANES, a6, 48)
  store<u64>(KECCAK_LANES, a7, 56)
  store<u64>(KECCAK_LANES, a8, 64)
  store<u64>(KECCAK_LANES, a9, 72)
  store<u64>(KECCAK_LANES, a10, 80)
  store<u64>(KECCAK_LANES, a11, 88)
  store<u64>(KECCAK_LANES, a12, 96)
  store<u64>(KECCAK_LANES, a13, 104)
  store<u64>(KECCAK_LANES, a14, 112)
  store<u64>(KECCAK_LANES, a15, 120)
  store<u64>(KECCAK_LANES, a16, 128)
  store<u64>(KECCAK_LANES, a17, 136)
  store<u64>(KECCAK_LANES, a18, 144)
  store<u64>(KECCAK_LANES, a19, 152)
  store<u64>(KECCAK_LANES, a20, 160)
  store<u64>(KECCAK_LANES, a21, 168)
  store<u64>(KECCAK_LANES, a22, 176)
  store<u64>(KECCAK_LANES, a23, 184)
  store<u64>(KECCAK_LANES, a24, 192)
}
