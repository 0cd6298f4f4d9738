/** Takes the input of a precompile; answers about how many ms it works on it, on a slow core. */
type Weight = (data: Uint8Array) => number

/** By address of 40 digits; those that are not here take no longer than a few ms whatever they are given. */
const weights: ReadonlyMap<string, Weight> = new Map<string, Weight>([
  [at(0x02), ({ length }) => length / 12_500],
  [at(0x03), ({ length }) => length / 8_000],
  [at(0x05), modexpWeight],
  [at(0x08), ({ length }) => (length / 192) * 7],
  [at(0x09), (data) => readWord(data, 0, 4) / 2_400],
  [at(0x0c), ({ length }) => (length / 160) * 3.5],
  [at(0x0e), ({ length }) => (length / 288) * 8],
  [at(0x0f), ({ length }) => (length / 384) * 7],
])

/** Addresses, of 40 digits, of the precompiles that can be at work for long. */
export const weightyPrecompiles: readonly string[] = [...weights.keys()]

/** About how many ms a precompile works on this input; 0 where that is next to nothing. */
export function precompileWeight(address: string, data: Uint8Array): number {
  return weights.get(address)?.(data) ?? 0
}

function at(number: number): string {
  return number.toString(16).padStart(40, '0')
}

/** Square and multiply: a step for each bit of the exponent, which is shifted as a whole at each. */
function modexpWeight(data: Uint8Array): number {
  const [base, exponent, modulus] = [0, 32, 64].map((offset) => readWord(data, offset, 32))
  const bits = 8 * (exponent ?? 0)
  const words = Math.max(base ?? 0, modulus ?? 0) / 8
  return (bits * (400 + (exponent ?? 0) / 10 + words * words * 8)) / 1e6
}

/** A big-endian number; bytes that are not there are zeros. */
function readWord(data: Uint8Array, offset: number, length: number): number {
  let value = 0
  for (let index = 0; index < length; index++) value = value * 256 + (data[offset + index] ?? 0)
  return value
}
