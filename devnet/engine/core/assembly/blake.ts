import { BLAKE_INPUT, BLAKE_VECTOR } from '../layout'

/** RFC 7693, 2.7: for each round, the places of the message's words in bytes. */
const SCHEDULE: usize = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
  112, 80, 32, 64, 72, 120, 104, 48, 8, 96, 0, 16, 88, 56, 40, 24,
  88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32,
  56, 72, 24, 8, 104, 96, 88, 112, 16, 48, 40, 80, 32, 0, 120, 64,
  72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24, 104,
  16, 96, 48, 80, 0, 88, 64, 24, 32, 104, 56, 40, 120, 112, 8, 72,
  96, 40, 8, 120, 112, 104, 32, 80, 0, 56, 48, 24, 72, 16, 64, 88,
  104, 88, 56, 112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80,
  48, 120, 112, 72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40,
  80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96, 104, 0,
])
const ROUNDS = 10

/** RFC 7693, 2.6. */
const IV: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])

const VECTOR: usize = BLAKE_VECTOR
const STATE: usize = BLAKE_INPUT + 4
const MESSAGE: usize = STATE + 64
const OFFSET: usize = MESSAGE + 128
const FINAL: usize = OFFSET + 16

/** The compression of BLAKE2b on an input as EIP-152 has it. Writes the new state over the old. */
export function blake2F(): void {
  for (let at: usize = 0; at < 64; at += 8) {
    store<u64>(VECTOR + at, load<u64>(STATE + at))
    store<u64>(VECTOR + 64 + at, load<u64>(IV + at))
  }
  flip(12, load<u64>(OFFSET))
  flip(13, load<u64>(OFFSET, 8))
  if (load<u8>(FINAL)) flip(14, -1)
  const rounds = bswap<u32>(load<u32>(BLAKE_INPUT))
  for (let round: u32 = 0; round < rounds; round++) {
    const places = SCHEDULE + (round % ROUNDS) * 16
    mix(0, 4, 8, 12, places)
    mix(1, 5, 9, 13, places + 2)
    mix(2, 6, 10, 14, places + 4)
    mix(3, 7, 11, 15, places + 6)
    mix(0, 5, 10, 15, places + 8)
    mix(1, 6, 11, 12, places + 10)
    mix(2, 7, 8, 13, places + 12)
    mix(3, 4, 9, 14, places + 14)
  }
  for (let at: usize = 0; at < 64; at += 8) {
    const both = load<u64>(VECTOR + at) ^ load<u64>(VECTOR + 64 + at)
    store<u64>(STATE + at, load<u64>(STATE + at) ^ both)
  }
}

function flip(word: usize, mask: u64): void {
  store<u64>(VECTOR + 8 * word, load<u64>(VECTOR + 8 * word) ^ mask)
}

// @ts-ignore
@inline
function mix(ia: usize, ib: usize, ic: usize, id: usize, places: usize): void {
  let a = load<u64>(VECTOR + 8 * ia)
  let b = load<u64>(VECTOR + 8 * ib)
  let c = load<u64>(VECTOR + 8 * ic)
  let d = load<u64>(VECTOR + 8 * id)
  a += b + load<u64>(MESSAGE + load<u8>(places))
  d = rotr<u64>(d ^ a, 32)
  c += d
  b = rotr<u64>(b ^ c, 24)
  a += b + load<u64>(MESSAGE + load<u8>(places, 1))
  d = rotr<u64>(d ^ a, 16)
  c += d
  b = rotr<u64>(b ^ c, 63)
  store<u64>(VECTOR + 8 * ia, a)
  store<u64>(VECTOR + 8 * ib, b)
  store<u64>(VECTOR + 8 * ic, c)
  store<u64>(VECTOR + 8 * id, d)
}
