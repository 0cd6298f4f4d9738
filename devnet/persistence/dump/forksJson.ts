import { optionalQuantity, quantity } from '../../primitives/hex.ts'
import { memoize } from '../../primitives/memo.ts'
import type { BaseFeeRules } from '../../protocol/baseFeeRules.ts'
import { type ForkLimits, ForkSchedule, type ForkStep } from '../../protocol/forkSchedule.ts'
import {
  type BlobSchedule,
  type ForkRules,
  forkRules,
  type HardforkName,
  hardforks,
} from '../../protocol/forks.ts'
import type { JsonFields } from '../jsonFields.ts'

/** The hardforks of a chain. Chains with equal rules give equal JSON text. */
export function forksToJson(schedule: ForkSchedule): object {
  return {
    first: rulesToJson(schedule.first),
    later: schedule.changes.map(({ rules, block, time }) => ({
      ...rulesToJson(rules),
      block: optionalQuantity(block),
      time: optionalQuantity(time),
    })),
  }
}

/** The hardfork, and the parameters in which the chain differs from mainnet. */
function rulesToJson(rules: ForkRules): object {
  const { hardfork, baseFeeRules, blobSchedule, bombDelay, depositContract, opStack, baseTime } =
    rules
  const mainnet = forkRules(hardfork)
  const unlessSame = (json: unknown, usual: unknown) =>
    JSON.stringify(json) === JSON.stringify(usual) ? undefined : json
  return {
    hardfork,
    blobs: unlessSame(blobsToJson(blobSchedule), blobsToJson(mainnet.blobSchedule)),
    base_fee: unlessSame(baseFeeToJson(baseFeeRules), baseFeeToJson(mainnet.baseFeeRules)),
    bomb_delay: bombDelay === mainnet.bombDelay ? undefined : quantity(bombDelay),
    deposit_contract: depositContract === mainnet.depositContract ? undefined : depositContract,
    op_stack: opStack ? true : undefined,
    base_time: baseTime ? true : undefined,
  }
}

/** The limits in which rules differ from their hardfork; 0 is none, as in the options. */
export const limitsToJson = memoize(
  ({ hardfork, codeSizeLimit: size, transactionGasCap: cap }: ForkRules): object => {
    const own = forkRules(hardfork)
    return {
      code_size_limit: size === own.codeSizeLimit ? undefined : Number.isFinite(size) ? size : 0,
      transaction_gas_cap: cap === own.transactionGasCap ? undefined : quantity(cap ?? 0n),
    }
  },
)

/** The limits under a hardfork that {@link limitsToJson} has written. */
export function limitsFromJson(json: JsonFields, hardfork: HardforkName): ForkLimits {
  const { codeSizeLimit, transactionGasCap } = forkRules(hardfork)
  const size = json.number('code_size_limit')
  const cap = json.number('transaction_gas_cap')
  return {
    codeSizeLimit: size === undefined ? codeSizeLimit : Number(size) || Infinity,
    transactionGasCap: cap === undefined ? transactionGasCap : cap || undefined,
  }
}

function baseFeeToJson(rules: BaseFeeRules): object {
  return {
    denominator: quantity(rules.denominator),
    elasticity: quantity(rules.elasticity),
    minimum: quantity(rules.minimum),
    counts_footprint: rules.countsFootprint,
  }
}

function blobsToJson(schedule: BlobSchedule | undefined): object | undefined {
  if (schedule === undefined) return undefined
  return {
    target: quantity(schedule.target),
    max: quantity(schedule.max),
    update_fraction: quantity(schedule.updateFraction),
  }
}

/** @throws {ChainFileError} if it is malformed, or names a hardfork unknown to this node */
export function forksFromJson(json: JsonFields): ForkSchedule {
  return new ForkSchedule(
    rulesFromJson(json.requiredObject('first')),
    [...json.objects('later')].map(
      (step): ForkStep => ({
        rules: rulesFromJson(step),
        block: step.number('block'),
        time: step.number('time'),
      }),
    ),
  )
}

function rulesFromJson(json: JsonFields): ForkRules {
  const blobs = json.object('blobs')
  const baseFee = json.object('base_fee')
  return forkRules(hardforkFromJson(json), {
    blobSchedule: blobs && {
      target: blobs.requiredNumber('target'),
      max: blobs.requiredNumber('max'),
      updateFraction: blobs.requiredNumber('update_fraction'),
    },
    baseFeeRules: baseFee && {
      denominator: baseFee.requiredNumber('denominator'),
      elasticity: baseFee.requiredNumber('elasticity'),
      minimum: baseFee.requiredNumber('minimum'),
      countsFootprint: baseFee.flag('counts_footprint'),
    },
    bombDelay: json.number('bomb_delay'),
    depositContract: json.bytes('deposit_contract', 20),
    opStack: json.flag('op_stack'),
    baseTime: json.flag('base_time'),
  })
}

/** @throws {ChainFileError} if this node does not know the hardfork */
export function hardforkFromJson(json: JsonFields): HardforkName {
  const name = json.text('hardfork')
  const known = hardforks.find((hardfork) => hardfork === name)
  if (known !== undefined) return known
  throw json.error('hardfork', `is ${name}, which this node does not know`)
}
