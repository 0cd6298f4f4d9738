/** Bytes of a word of the EVM. */
export const WORD = 32

const scratch = new Uint8Array(WORD)
const scratchView = new DataView(scratch.buffer)

/** The view that was asked for last: one frame's memory is read and written many times in a row. */
let lastBytes: Uint8Array = scratch
let lastView: DataView = scratchView

function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== lastBytes) {
    lastBytes = bytes
    lastView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return lastView
}

/** The big-endian number in the 32 bytes from `offset` on. */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  return readView(viewOf(bytes), offset)
}

function readView(view: DataView, offset: number): bigint {
  const first = view.getBigUint64(offset)
  const second = view.getBigUint64(offset + 8)
  const third = view.getBigUint64(offset + 16)
  const fourth = view.getBigUint64(offset + 24)
  if (first === 0n && second === 0n) return third === 0n ? fourth : (third << 64n) | fourth
  return (((((first << 64n) | second) << 64n) | third) << 64n) | fourth
}

/** Writes `value`, below 2^256, big-endian to the 32 bytes from `offset` on. */
export function writeWord(bytes: Uint8Array, offset: number, value: bigint): void {
  const view = viewOf(bytes)
  let start = offset + WORD
  // Each takes the low 64 bits.
  for (let rest = value; start > offset; rest >>= 64n) {
    start -= 8
    view.setBigUint64(start, rest)
  }
}

/** The number in at most 32 bytes, big-endian. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  if (bytes.length <= 6) {
    let small = 0
    for (const byte of bytes) small = small * 256 + byte
    return BigInt(small)
  }
  const start = WORD - bytes.length
  scratch.fill(0, 0, start)
  scratch.set(bytes, start)
  return readView(scratchView, 0)
}
