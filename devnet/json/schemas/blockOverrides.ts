import {
  fail,
  keyedObject,
  listOf,
  mapped,
  type Output,
  objectOf,
  type ReadContext,
  type Reader,
} from '../../primitives/reader.ts'
import type { Withdrawal } from '../../protocol/withdrawals.ts'
import { address, hash32, quantity, quantity64, readQuantity } from '../params.ts'

/** Overrides of block fields, by name or alias; unknown fields are ignored. */
export const blockOverrides = (): Reader<BlockOverrides> => BLOCK_OVERRIDES

/** Fields of a block that a call or simulation replaces, by their names in the specification. */
export type BlockOverrides = Omit<Fields, (typeof ALIASES)[number][1]>

/** Keys of `blockHash`: decimal, as alloy sends them, or hexadecimal. */
const BLOCK_NUMBER_KEY: Reader<bigint> = (value, context) =>
  typeof value === 'string' && /^[0-9]{1,19}$/.test(value)
    ? BigInt(value)
    : readQuantity(value, context, 64)

export const WITHDRAWAL: Reader<Withdrawal> = objectOf({
  what: 'a withdrawal',
  fields: {
    index: quantity64(),
    validatorIndex: quantity64(),
    address: address(),
    amount: quantity64(),
  },
})

const FIELDS = objectOf({
  optional: {
    number: quantity(),
    blockNumber: quantity(),
    /** s since the epoch. */
    time: quantity64(),
    timestamp: quantity64(),
    gasLimit: quantity64(),
    feeRecipient: address(),
    coinbase: address(),
    prevRandao: hash32(),
    random: hash32(),
    /** wei. */
    baseFeePerGas: quantity(),
    baseFee: quantity(),
    /** wei; affects only the BLOBBASEFEE opcode and blob fees. */
    blobBaseFee: quantity(),
    withdrawals: listOf(WITHDRAWAL, 'a list of withdrawals'),
    /** EIP-4788. */
    beaconRoot: hash32(),
    parentBeaconBlockRoot: hash32(),
    difficulty: quantity(),
    /** Hashes that BLOCKHASH returns, by block number. */
    blockHash: keyedObject(BLOCK_NUMBER_KEY, hash32(), 'an object of block hashes'),
  },
})

type Fields = Output<typeof FIELDS>

/** Pairs of a field's name in the specification and an alias that some clients send. */
const ALIASES = [
  ['number', 'blockNumber'],
  ['time', 'timestamp'],
  ['feeRecipient', 'coinbase'],
  ['prevRandao', 'random'],
  ['baseFeePerGas', 'baseFee'],
  ['beaconRoot', 'parentBeaconBlockRoot'],
] as const satisfies readonly (readonly [keyof Fields, keyof Fields])[]

const BLOCK_OVERRIDES: Reader<BlockOverrides> = mapped(FIELDS, readOverrides)

function readOverrides(fields: Fields, context: ReadContext): BlockOverrides {
  for (const [name, alias] of ALIASES) {
    const one = fields[name]
    const other = fields[alias]
    if (one !== undefined && other !== undefined && one !== other) {
      return fail(context, `both "${name}" and "${alias}" are set and not equal`)
    }
  }
  const { blockNumber, timestamp, coinbase, random, baseFee, parentBeaconBlockRoot, ...named } =
    fields
  return {
    ...named,
    number: named.number ?? blockNumber,
    time: named.time ?? timestamp,
    feeRecipient: named.feeRecipient ?? coinbase,
    prevRandao: named.prevRandao ?? random,
    baseFeePerGas: named.baseFeePerGas ?? baseFee,
    beaconRoot: named.beaconRoot ?? parentBeaconBlockRoot,
  }
}
