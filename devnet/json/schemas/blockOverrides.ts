import * as z from 'zod'
import type { BlockOverrides } from '../../execution/types.ts'
import type { Withdrawal } from '../../protocol/withdrawals.ts'
import {
  address,
  type Context,
  fail,
  hash32,
  quantity,
  quantity64,
  reader,
  readQuantity,
  wanted,
} from '../params.ts'
import { keyedObject } from './keyedObject.ts'

/** Overrides of block fields, by name or alias; unknown fields are ignored. */
export const blockOverrides = (): z.ZodType<BlockOverrides> => BLOCK_OVERRIDES

/** Keys of `blockHash`: decimal, as alloy sends them, or hexadecimal. */
const BLOCK_NUMBER_KEY = reader((value, context) =>
  typeof value === 'string' && /^[0-9]{1,19}$/.test(value)
    ? BigInt(value)
    : readQuantity(value, context, 64),
)

const WITHDRAWAL: z.ZodType<Withdrawal> = z.object(
  {
    index: quantity64(),
    validatorIndex: quantity64(),
    address: address(),
    amount: quantity64(),
  },
  wanted('a withdrawal'),
)

const FIELDS = z.object(
  {
    number: quantity64().nullish(),
    blockNumber: quantity64().nullish(),
    time: quantity64().nullish(),
    timestamp: quantity64().nullish(),
    gasLimit: quantity64().nullish(),
    feeRecipient: address().nullish(),
    coinbase: address().nullish(),
    prevRandao: hash32().nullish(),
    random: hash32().nullish(),
    baseFeePerGas: quantity().nullish(),
    baseFee: quantity().nullish(),
    blobBaseFee: quantity().nullish(),
    withdrawals: z.array(WITHDRAWAL, wanted('a list of withdrawals')).nullish(),
    beaconRoot: hash32().nullish(),
    parentBeaconBlockRoot: hash32().nullish(),
    difficulty: quantity().nullish(),
    blockHash: keyedObject(BLOCK_NUMBER_KEY, hash32(), 'an object of block hashes').nullish(),
  },
  wanted('an object'),
)

type Fields = z.output<typeof FIELDS>

/** Pairs of a field's name in the specification and an alias that some clients send. */
const ALIASES = [
  ['number', 'blockNumber'],
  ['time', 'timestamp'],
  ['feeRecipient', 'coinbase'],
  ['prevRandao', 'random'],
  ['baseFeePerGas', 'baseFee'],
  ['beaconRoot', 'parentBeaconBlockRoot'],
] as const satisfies readonly (readonly [keyof Fields, keyof Fields])[]

const BLOCK_OVERRIDES: z.ZodType<BlockOverrides> = FIELDS.transform(readOverrides)

function readOverrides(fields: Fields, context: Context): BlockOverrides {
  for (const [name, alias] of ALIASES) {
    const one = fields[name] ?? undefined
    const other = fields[alias] ?? undefined
    if (one !== undefined && other !== undefined && one !== other) {
      return fail(context, `both "${name}" and "${alias}" are set and not equal`)
    }
  }
  return {
    number: fields.number ?? fields.blockNumber ?? undefined,
    time: fields.time ?? fields.timestamp ?? undefined,
    gasLimit: fields.gasLimit ?? undefined,
    feeRecipient: fields.feeRecipient ?? fields.coinbase ?? undefined,
    prevRandao: fields.prevRandao ?? fields.random ?? undefined,
    baseFeePerGas: fields.baseFeePerGas ?? fields.baseFee ?? undefined,
    blobBaseFee: fields.blobBaseFee ?? undefined,
    withdrawals: fields.withdrawals ?? undefined,
    beaconRoot: fields.beaconRoot ?? fields.parentBeaconBlockRoot ?? undefined,
    difficulty: fields.difficulty ?? undefined,
    blockHash: fields.blockHash ?? undefined,
  }
}
