import { RLP } from '@ethereumjs/rlp'
import type { Crypto } from '../../../../devnet/engine/crypto.ts'
import type { CallOptions } from '../../../../devnet/engine/types.ts'
import { bigIntToBytes, concatBytes } from '../../../../devnet/primitives/bytes.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import type { ForkRules } from '../../../../devnet/protocol/forks.ts'
import type {
  AuthorizationFields,
  TransactionFields,
} from '../../../../devnet/protocol/transaction.ts'
import type { Random } from '../../../support/random.ts'

/** Keys of accounts that send and sign authorizations. */
const KEYS = [1, 2, 3, 4].map((byte) => new Uint8Array(32).fill(byte))

/** Addresses of the programs, as a PUSH2 writes them. */
export const PROGRAMS = [0xc0de, 0xc1de, 0xc2de]
/** An account without code, one that is empty but exists, one that does not exist, the coinbase. */
export const RICH = 0xd0de
export const EMPTY = 0xd1de
const NOBODY = 0xd2de
export const COINBASE = 0xd3de

export function shortAddress(number: number): Uint8Array {
  return fromHex(`0x${number.toString(16).padStart(40, '0')}`)
}

export function senders(crypto: Crypto): Uint8Array[] {
  return KEYS.map((key) => crypto.keccak256(crypto.publicKey(key)).slice(12))
}

/** Code with a bias to frames, the state, and the gas that is left. */
export class CodeMaker {
  readonly #random: Random
  readonly #senders: readonly Uint8Array[]

  constructor(random: Random, crypto: Crypto) {
    this.#random = random
    this.#senders = senders(crypto)
  }

  code(depth = 0): number[] {
    const random = this.#random
    const bytes: number[] = []
    for (let length = 1 + random.below(depth === 0 ? 14 : 5); length > 0; length--) {
      bytes.push(...this.#piece(depth))
    }
    if (!random.once(3)) bytes.push(...this.#end())
    return bytes
  }

  #small(limit = 40): number[] {
    return [0x60, this.#random.below(limit)]
  }

  #address(): number[] {
    const random = this.#random
    switch (random.below(8)) {
      case 0:
        return [0x73, ...random.pick(this.#senders)]
      case 1:
        return [0x60, random.below(0x14)]
      case 2:
        return [
          0x61,
          ...random.pick([
            [1, 0],
            [0xd1, 0xde],
            [0xd2, 0xde],
            [0xd3, 0xde],
          ]),
        ]
      case 3:
        return [0x30]
      case 4:
        // What was created last, perhaps.
        return [0x60, 0x3f, 0x54]
      default:
        return [0x61, random.pick(PROGRAMS) >> 8, 0xde]
    }
  }

  #piece(depth: number): number[] {
    const random = this.#random
    switch (random.below(19)) {
      case 0:
        return [...this.#small(4), ...this.#small(4), 0x55]
      case 1:
        return [...this.#small(4), 0x54, ...this.#small(4), 0x55]
      case 2:
        return [...this.#small(4), 0x54, 0x50]
      case 3:
        return random.pick([
          [...this.#small(3), ...this.#small(3), 0x5d],
          [...this.#small(3), 0x5c, ...this.#small(4), 0x55],
        ])
      case 4:
      case 5:
      case 6:
      case 7:
        return this.#call()
      case 8:
      case 9:
        return this.#create(depth)
      case 10:
        return [...this.#address(), random.pick([0x31, 0x3b, 0x3f]), ...this.#small(60), 0x52]
      case 11:
        return [...this.#small(), ...this.#small(), ...this.#small(), ...this.#address(), 0x3c]
      case 12: {
        const topics = random.below(5)
        const items = Array.from({ length: topics }, () => this.#small()).flat()
        return [...items, ...this.#small(), ...this.#small(), 0xa0 + topics]
      }
      case 13:
        return [0x5a, ...this.#small(60), random.pick([0x52, 0x55])]
      case 14:
        return [0x3d, 0x60, 0, 0x60, 0, 0x3e]
      case 15:
        return [...this.#small(8), ...this.#small(8), ...this.#small(8), 0x3e]
      case 16:
        return [
          ...random.pick([
            [0x47],
            [0x32],
            [0x3a],
            [0x33],
            [0x34],
            [0x41],
            [0x44],
            [0x48],
            [0x4a],
            [0x46],
            [0x4b],
          ]),
          ...this.#small(60),
          0x52,
        ]
      case 17:
        return [...this.#small(6), random.pick([0x40, 0x49]), ...this.#small(60), 0x52]
      default:
        if (random.once(3)) return this.#end()
        // A loop with a counter in a slot.
        return random.once(4)
          ? [0x5b, 0x60, 1, 0x5c, 0x60, 1, 0x01, 0x60, 1, 0x5d]
          : [...this.#small(70), ...this.#small(70), 0x20, ...this.#small(5), 0x55]
    }
  }

  #call(): number[] {
    const random = this.#random
    const opcode = random.pick([0xf1, 0xf1, 0xf1, 0xf2, 0xf4, 0xfa])
    const value = opcode < 0xf4 ? (random.once(2) ? [0x60, 0] : this.#small(20)) : []
    const gas = random.pick([
      [0x5a],
      [0x5a],
      [0x61, random.below(100), 0],
      [0x60, 0],
      [0x62, 1, 0, 0],
    ])
    const ranges = [...this.#small(70), ...this.#small(70), ...this.#small(130), ...this.#small(70)]
    const result = random.once(3) ? [0x60, random.below(4), 0x55] : [0x50]
    return [...ranges, ...value, ...this.#address(), ...gas, opcode, ...result]
  }

  #create(depth: number): number[] {
    const random = this.#random
    const opcode = random.pick([0xf0, 0xf5])
    const init = depth < 2 ? this.#init(depth) : [0x00]
    const bytes: number[] = []
    for (let at = 0; at < init.length; at += 32) {
      const piece = init.slice(at, at + 32)
      bytes.push(
        0x7f,
        ...piece,
        ...new Array<number>(32 - piece.length).fill(0),
        0x61,
        at >> 8,
        at & 0xff,
        0x52,
      )
    }
    if (opcode === 0xf5) bytes.push(...this.#small(2))
    bytes.push(0x61, init.length >> 8, init.length & 0xff, 0x60, 0)
    bytes.push(...(random.once(2) ? [0x60, 0] : this.#small(5)), opcode)
    bytes.push(...(random.once(2) ? [0x60, 0x3f, 0x55] : [0x50]))
    return bytes
  }

  /** Init code: any code, or one that deploys. */
  #init(depth: number): number[] {
    const random = this.#random
    if (random.once(3)) return this.code(depth + 1)
    const body = random.pick([
      [0xef, 0x00],
      [0xef],
      [0x01, 0xff],
      [0x33, 0xff],
      [0x30, 0xff],
      this.code(depth + 1).slice(0, 60),
    ])
    const before = random.once(2) ? this.#piece(2) : []
    // Some are longer than EIP-170 or EIP-7954 allow.
    const length = random.once(12) ? random.pick([0x6100, 0x10000, 0x10001]) : body.length
    const pushed = [0x62, length >> 16, (length >> 8) & 0xff, length & 0xff]
    // CODECOPY of what follows, RETURN.
    const offset = before.length + 15
    return [
      ...before,
      ...[...pushed, 0x60, offset, 0x60, 0, 0x39],
      ...[...pushed, 0x60, 0, 0xf3],
      ...body,
    ]
  }

  #end(): number[] {
    const random = this.#random
    switch (random.below(8)) {
      case 0:
        return [...this.#address(), 0xff]
      case 1:
        return [...this.#small(70), ...this.#small(70), 0xfd]
      case 2:
        return [random.pick([0xfe, 0x0c, 0x01, 0x56])]
      case 3:
        return [0x00]
      default:
        return [...this.#small(100), ...this.#small(), 0xf3]
    }
  }
}

/** A transaction and how it is called; `undefined` options: as one of a block. */
export interface RandomTransaction {
  readonly fields: TransactionFields
  readonly options: CallOptions | undefined
}

export function randomTransaction(
  random: Random,
  crypto: Crypto,
  rules: ForkRules,
  maker: CodeMaker,
  nonces: ReadonlyMap<string, bigint>,
): RandomTransaction {
  const accounts = senders(crypto)
  const from = random.pick(accounts)
  const types: TransactionFields['type'][] = [0, 1]
  if (rules.baseFee) types.push(2, 2)
  if (rules.blobs) types.push(3)
  if (rules.requests) types.push(4, 4)
  const type = random.pick(types)
  const creates = type < 3 && random.once(6)
  const target = () =>
    random.once(6)
      ? random.pick([
          shortAddress(1 + random.below(0x13)),
          shortAddress(RICH),
          shortAddress(EMPTY),
          shortAddress(NOBODY),
          shortAddress(COINBASE),
          ...accounts,
        ])
      : shortAddress(random.pick(PROGRAMS))
  const data = creates
    ? Uint8Array.from(maker.code())
    : Uint8Array.from({ length: dataLength(random, rules) }, () =>
        random.once(2) ? 0 : random.below(256),
      )
  const price = 20n + BigInt(random.below(30))
  const accessList =
    type === 0 || random.once(2)
      ? []
      : Array.from(
          { length: random.below(3) },
          () =>
            [
              target(),
              Array.from({ length: random.below(3) }, () => shortSlot(random.below(4))),
            ] as const,
        )
  const fields: TransactionFields = {
    type,
    from,
    to: creates ? undefined : target(),
    nonce: nonces.get(toHex(from)) ?? 0n,
    gasLimit: gasLimit(random, rules),
    value: random.once(2) ? 0n : BigInt(random.below(30)),
    data,
    maxFeePerGas: price,
    maxPriorityFeePerGas: type < 2 ? price : BigInt(random.below(20)),
    accessList,
    maxFeePerBlobGas: type === 3 ? 3n : 0n,
    blobVersionedHashes:
      type === 3
        ? Array.from(
            { length: 1 + random.below(3) },
            (_, index) => `0x01${'0'.repeat(60)}${10 + index}` as const,
          )
        : [],
    authorizationList:
      type === 4
        ? Array.from({ length: 1 + random.below(3) }, () => authorization(random, crypto, nonces))
        : [],
  }
  return { fields, options: random.once(2) ? callOptions(random, rules) : undefined }
}

function callOptions(random: Random, rules: ForkRules): CallOptions {
  const digits = (number: number) => number.toString(16).padStart(40, '0')
  return {
    ...(random.once(2) ? { traceTransfers: true } : {}),
    ...(random.once(2) ? { countLostLogs: true } : {}),
    ...(rules.baseFee && random.once(4) ? { waiveBaseFee: true } : {}),
    ...(random.once(4) ? { waiveBlobFee: true } : {}),
    ...(random.once(6)
      ? {
          precompiles: {
            removed: new Set([digits(2), digits(4)]),
            moved: new Map([[digits(NOBODY), digits(4)]]),
          },
        }
      : {}),
  }
}

/** Much data makes the floor decide (EIP-7976). */
function dataLength(random: Random, { stateGas }: ForkRules): number {
  return random.below(stateGas && random.once(6) ? 3_000 : 70)
}

function gasLimit(random: Random, { stateGas }: ForkRules): bigint {
  if (!stateGas) {
    return BigInt(random.once(3) ? 21_000 + random.below(80_000) : 100_000 + random.below(900_000))
  }
  const least = random.once(3) ? 12_000 + random.below(300_000) : 300_000 + random.below(3_000_000)
  // Above 2^24 it fills the reservoir.
  const reservoir = random.below(random.once(2) ? 1_000_000 : 50_000)
  // Some pay for much code: 1,530 a byte.
  const much = random.once(10) ? 110_000_000 : reservoir
  return BigInt(random.once(3) ? 2 ** 24 + much : least)
}

function shortSlot(number: number): Uint8Array {
  const slot = new Uint8Array(32)
  slot[31] = number
  return slot
}

function authorization(
  random: Random,
  crypto: Crypto,
  nonces: ReadonlyMap<string, bigint>,
): AuthorizationFields {
  const key = random.pick(KEYS)
  const address = toHex(crypto.keccak256(crypto.publicKey(key)).slice(12))
  const chain = bigIntToBytes(random.pick([0n, 1n, 1n, 77n]))
  const nonce = bigIntToBytes((nonces.get(address) ?? 0n) + BigInt(random.below(3)))
  const target = random.pick([
    shortAddress(random.pick(PROGRAMS)),
    shortAddress(0),
    shortAddress(4),
    fromHex(address),
  ])
  const message = concatBytes(Uint8Array.of(5), RLP.encode([chain, target, nonce]))
  const { signature, recoveryId } = crypto.sign(crypto.keccak256(message), key)
  const r = strip(signature.slice(0, 32))
  const s = strip(signature.slice(32))
  const parity = random.once(10) ? 2 : recoveryId
  return [
    chain,
    target,
    nonce,
    bigIntToBytes(BigInt(parity)),
    random.once(12) ? Uint8Array.of(1) : r,
    s,
  ]
}

function strip(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return bytes.slice(start)
}
