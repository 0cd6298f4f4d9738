import { ForkSchedule, type ForkStep } from '../../protocol/forkSchedule.ts'
import { type BlobSchedule, bombDelay, forkRules, type HardforkName } from '../../protocol/forks.ts'
import type { JsonFields } from '../jsonFields.ts'

/** A hardfork, and the field of a geth genesis file that says when it begins. */
interface ForkField {
  readonly hardfork: HardforkName
  readonly field: string
  /** True if later forks may be set without this one: merge, delays of the bomb, blobs only. */
  readonly optional?: true
}

const BLOCK_FIELDS: readonly ForkField[] = [
  { hardfork: 'homestead', field: 'homesteadBlock' },
  { hardfork: 'tangerineWhistle', field: 'eip150Block' },
  { hardfork: 'spuriousDragon', field: 'eip155Block' },
  { hardfork: 'byzantium', field: 'byzantiumBlock' },
  { hardfork: 'constantinople', field: 'constantinopleBlock' },
  { hardfork: 'petersburg', field: 'petersburgBlock' },
  { hardfork: 'istanbul', field: 'istanbulBlock' },
  { hardfork: 'muirGlacier', field: 'muirGlacierBlock', optional: true },
  { hardfork: 'berlin', field: 'berlinBlock' },
  { hardfork: 'london', field: 'londonBlock' },
  { hardfork: 'arrowGlacier', field: 'arrowGlacierBlock', optional: true },
  { hardfork: 'grayGlacier', field: 'grayGlacierBlock', optional: true },
]

const TIME_FIELDS: readonly ForkField[] = [
  { hardfork: 'shanghai', field: 'shanghaiTime' },
  { hardfork: 'cancun', field: 'cancunTime' },
  { hardfork: 'prague', field: 'pragueTime' },
  { hardfork: 'osaka', field: 'osakaTime' },
  { hardfork: 'bpo1', field: 'bpo1Time', optional: true },
  { hardfork: 'bpo2', field: 'bpo2Time', optional: true },
  { hardfork: 'amsterdam', field: 'amsterdamTime' },
]

const MERGE_FIELD = 'mergeNetsplitBlock'

const ALL_FIELDS: readonly ForkField[] = [
  ...BLOCK_FIELDS,
  { hardfork: 'paris', field: MERGE_FIELD, optional: true },
  ...TIME_FIELDS,
]

/** Hardforks that geth knows and this node does not. */
const UNKNOWN_FIELDS = ['bpo3Time', 'bpo4Time', 'bpo5Time', 'bogotaTime', 'ubtTime', 'verkleTime']

/** A hardfork and the block number or time, in s since the epoch, at which it begins. */
interface Beginning extends ForkField {
  readonly at: bigint
}

/**
 * The hardforks of a chain, from `config` of its genesis file.
 *
 * @param genesisTime - timestamp of the genesis block, s since the epoch
 * @throws {ChainFileError} if they are malformed, incomplete, out of order, or unknown to this node
 */
export function readForks(config: JsonFields, genesisTime: bigint): ForkSchedule {
  for (const field of UNKNOWN_FIELDS) {
    if (config.has(field)) {
      throw config.error(
        field,
        'names a hardfork that this node does not know: the last is Amsterdam',
      )
    }
  }
  // At block 0 there is no ether to move.
  if ((config.number('daoForkBlock') ?? 0n) > 0n) {
    throw config.error(
      'daoForkBlock',
      'is not supported: this node does not move the ether of the DAO',
    )
  }
  const blocks = beginnings(config, BLOCK_FIELDS)
  const times = beginnings(config, TIME_FIELDS)
  const merge = mergeBlock(config, times.length > 0)
  if (merge !== undefined) blocks.push(merge)
  checkGaps(config, [...blocks, ...times])
  for (const list of [blocks, times]) checkOrder(config, list)
  if (config.has('clique') && merge?.at !== 0n) {
    const why = 'blocks of a proof of authority cannot be checked'
    throw config.error('clique', `is not supported: ${why}`)
  }
  const toStep = stepMaker(config)
  const steps = [
    ...blocks.map((beginning) => toStep(beginning, { block: beginning.at })),
    ...times.map((beginning) => toStep(beginning, { time: beginning.at })),
  ]
  let first = forkRules('chainstart')
  while (steps[0] !== undefined && holdsFromGenesis(steps[0], genesisTime)) {
    first = steps[0].rules
    steps.shift()
  }
  return new ForkSchedule(first, steps)
}

function beginnings(config: JsonFields, fields: readonly ForkField[]): Beginning[] {
  return fields.flatMap((entry) => {
    // Without its field, Petersburg begins with Constantinople, as in geth.
    const other = entry.hardfork === 'petersburg' ? 'constantinopleBlock' : entry.field
    const at = config.number(entry.field) ?? config.number(other)
    return at === undefined ? [] : [{ ...entry, at }]
  })
}

/**
 * The first block without proof of work, found as in @ethereumjs/common: the block given, or block
 * 0 if there are hardforks by time or `config` says that the terminal total difficulty is reached.
 */
function mergeBlock(config: JsonFields, hasTimes: boolean): Beginning | undefined {
  for (const field of ['mergeForkBlock', MERGE_FIELD]) {
    const at = config.number(field)
    if (at !== undefined) return { hardfork: 'paris', field, at }
  }
  const passed =
    config.flag('terminalTotalDifficultyPassed') || config.isZero('terminalTotalDifficulty')
  return hasTimes || passed ? { hardfork: 'paris', field: MERGE_FIELD, at: 0n } : undefined
}

function checkGaps(config: JsonFields, present: readonly Beginning[]): void {
  const found = new Set(present.map(({ hardfork }) => hardfork))
  const last = present.at(-1)
  for (const { hardfork, field, optional } of ALL_FIELDS) {
    if (last === undefined || hardfork === last.hardfork) break
    if (optional || found.has(hardfork)) continue
    throw config.error(field, `is missing, though hardforks after it are there (${last.field})`)
  }
  if (config.number('eip155Block') !== config.number('eip158Block')) {
    throw config.error('eip158Block', 'must be the same as eip155Block: they are one hardfork')
  }
}

function checkOrder(config: JsonFields, list: readonly Beginning[]): void {
  for (const [index, { field, at }] of list.entries()) {
    const before = list[index - 1]
    if (before === undefined || before.at <= at) continue
    if (!config.has(field)) {
      throw config.error(field, `is missing: without it, ${before.field} must be 0`)
    }
    throw config.error(field, `must not be before ${before.field} (${before.at}), and is ${at}`)
  }
}

/** Returns a function to call once per hardfork, in order: each inherits from the ones before. */
function stepMaker(config: JsonFields) {
  const reached: HardforkName[] = []
  let blobSchedule: BlobSchedule | undefined
  const depositContract = config.bytes('depositContractAddress', 20)
  return ({ hardfork }: Beginning, start: Omit<ForkStep, 'rules'>): ForkStep => {
    reached.push(hardfork)
    blobSchedule = readBlobSchedule(config, hardfork) ?? blobSchedule
    const changes = { bombDelay: bombDelay(reached), blobSchedule, depositContract }
    return { ...start, rules: forkRules(hardfork, changes) }
  }
}

function readBlobSchedule(config: JsonFields, hardfork: HardforkName): BlobSchedule | undefined {
  const entry = config.object('blobSchedule')?.object(hardfork)
  if (entry === undefined) return undefined
  const [target, max] = [entry.requiredNumber('target'), entry.requiredNumber('max')]
  const updateFraction = entry.requiredNumber('baseFeeUpdateFraction')
  if (updateFraction === 0n) throw entry.error('baseFeeUpdateFraction', 'must not be 0')
  return { target, max, updateFraction }
}

function holdsFromGenesis({ block, time }: ForkStep, genesisTime: bigint): boolean {
  return block === undefined ? time !== undefined && time <= genesisTime : block === 0n
}
