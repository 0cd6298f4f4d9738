import { isObject } from '../primitives/json.ts'
import { type BaseFeeRules, baseFeeRulesOf, ETHEREUM_BASE_FEE } from '../protocol/baseFeeRules.ts'
import { forkRules, type HardforkName, hardforks } from '../protocol/forks.ts'
import type { HardforkEvidence, UpstreamBlock } from './types.ts'

/** A hardfork and the timestamp, or the number of a block, from which on it holds. */
type Step = readonly [HardforkName, { readonly time: number } | { readonly block: number }]

/**
 * The hardfork whose rules the blocks above the fork block have. Never fails: what no table and no
 * `eth_config` (EIP-7910) knows is read from the fields that the header has.
 */
export async function hardforkOf(evidence: Evidence): Promise<[HardforkName, HardforkEvidence]> {
  const { chainId, block, config, option } = evidence
  if (option !== undefined) return [option, 'option']
  // No table knows the times of all chains yet, and no other hardfork has this field.
  if (block.header.blockAccessListHash !== undefined) return ['amsterdam', 'header']
  const table = OP_CHAINS.get(chainId) ?? POLYGON_CHAINS.get(chainId) ?? (await ethereum(chainId))
  const listed = table?.findLast(([, from]) =>
    'time' in from ? from.time <= block.header.timestamp : from.block <= block.number,
  )
  if (listed !== undefined) return [listed[0], 'table']
  // Chains of the OP stack have precompiles of later hardforks.
  const isOpStack = baseFeeRulesOf(block.header.extraData) !== undefined
  const configured = isOpStack ? undefined : configuredFork(config, block.header.timestamp)
  return configured === undefined ? [shapeOf(block), 'header'] : [configured, 'eth_config']
}

/**
 * Hardforks of the OP stack that changed the EVM: Canyon, Ecotone, Isthmus. Sources: both files
 * superchain.toml of ethereum-optimism/superchain-registry, op-hardforks of alloy-rs/hardforks.
 */
function superchain(canyon: number, ecotone: number, isthmus: number): readonly Step[] {
  return [
    ['paris', { time: 0 }],
    ['shanghai', { time: canyon }],
    ['cancun', { time: ecotone }],
    ['prague', { time: isthmus }],
  ]
}

const OP_MAINNET = superchain(1_704_992_401, 1_710_374_401, 1_746_806_401)
const OP_SEPOLIA = superchain(1_699_981_200, 1_708_534_800, 1_744_905_600)

/**
 * Chains of the OP stack: OP Mainnet, Base, and their testnets on Sepolia. Base has taken over
 * Osaka's EVM by itself: Azul, by crates/common/chains/src/config.rs of base/base.
 */
const OP_CHAINS = new Map<bigint, readonly Step[]>([
  [10n, OP_MAINNET],
  [8453n, [...OP_MAINNET, ['osaka', { time: 1_779_991_200 }]]],
  [11_155_420n, OP_SEPOLIA],
  [84_532n, [...OP_SEPOLIA, ['osaka', { time: 1_776_708_000 }]]],
])

/** Rules of an EVM of the OP stack before Holocene wrote them into the blocks (Canyon). */
const OP_BASE_FEE: BaseFeeRules = { ...ETHEREUM_BASE_FEE, denominator: 250n, elasticity: 6n }

/**
 * Polygon PoS and Amoy, whose headers show none of it: Agra, Napoli, Bhilai, Lisovo. Sources:
 * params/config.go and builder/files/genesis-{mainnet-v1,amoy}.json of 0xPolygon/bor. Lisovo is
 * Osaka's EVM; later hardforks change only prices of precompiles.
 */
const POLYGON: readonly Step[] = [
  ['london', { block: 23_850_000 }],
  ['shanghai', { block: 50_523_000 }],
  ['cancun', { block: 54_876_000 }],
  ['prague', { block: 73_440_256 }],
  ['osaka', { block: 83_756_500 }],
]
const AMOY: readonly Step[] = [
  ['shanghai', { block: 73_100 }],
  ['cancun', { block: 5_423_600 }],
  ['prague', { block: 22_765_056 }],
  ['osaka', { block: 33_634_700 }],
]
const POLYGON_CHAINS = new Map([
  [137n, POLYGON],
  [80_002n, AMOY],
])

/** Known facts of the upstream's chain. */
interface Evidence {
  readonly chainId: bigint
  readonly block: UpstreamBlock
  /** The answer to `eth_config`; `undefined` if there is none. */
  readonly config: unknown
  /** The user's choice. */
  readonly option: HardforkName | undefined
}

/** Rule by which the base fee of the blocks above the fork block follows from their parents. */
export function baseFeeOf(chainId: bigint, { header }: UpstreamBlock): BaseFeeRules {
  const fallback = OP_CHAINS.has(chainId) ? OP_BASE_FEE : ETHEREUM_BASE_FEE
  return baseFeeRulesOf(header.extraData) ?? fallback
}

/** Hardforks of Ethereum and its testnets. */
async function ethereum(chainId: bigint): Promise<readonly Step[] | undefined> {
  const { Holesky, Hoodi, Mainnet, Sepolia } = await import('@ethereumjs/common')
  const chain = [Mainnet, Sepolia, Holesky, Hoodi].find((each) => BigInt(each.chainId) === chainId)
  return chain?.hardforks.flatMap(({ name, block, timestamp }): Step[] => {
    const known = hardforks.find((each) => each === name)
    if (known === undefined) return []
    if (timestamp !== undefined) return [[known, { time: Number(timestamp) }]]
    return block === null ? [] : [[known, { block }]]
  })
}

/** Hardforks that differ from the one before only in their blob schedule. */
const BLOB_FORKS: readonly HardforkName[] = ['bpo2', 'bpo1']

/** The hardfork of the first configuration of `eth_config` that held at the time. */
function configuredFork(config: unknown, timestamp: bigint): HardforkName | undefined {
  if (!isObject(config)) return undefined
  for (const each of [config.last, config.next, config.current]) {
    if (!isObject(each) || typeof each.activationTime !== 'number') continue
    if (BigInt(Math.trunc(each.activationTime)) <= timestamp) return forkOfConfig(each)
  }
  return undefined
}

function forkOfConfig(config: Readonly<Record<string, unknown>>): HardforkName | undefined {
  const { precompiles, systemContracts, blobSchedule } = config
  const has = (list: unknown, name: string) => isObject(list) && list[name] !== undefined
  if (has(systemContracts, 'BUILDER_DEPOSIT_CONTRACT_ADDRESS')) return 'amsterdam'
  if (has(precompiles, 'P256VERIFY')) {
    const max = isObject(blobSchedule) ? blobSchedule.max : undefined
    const blobs = BLOB_FORKS.find((fork) => Number(forkRules(fork).blobSchedule?.max) === max)
    return blobs ?? 'osaka'
  }
  if (has(precompiles, 'BLS12_G1ADD') || has(systemContracts, 'HISTORY_STORAGE_ADDRESS')) {
    return 'prague'
  }
  return has(precompiles, 'KZG_POINT_EVALUATION') ? 'cancun' : undefined
}

/**
 * Versions of ArbOS that took over the EVM of a hardfork: IsShanghai to IsOsaka in params/config.go
 * of OffchainLabs/go-ethereum.
 */
const ARBITRUM: readonly (readonly [number, HardforkName])[] = [
  [50, 'osaka'],
  [40, 'prague'],
  [20, 'cancun'],
  [11, 'shanghai'],
  [0, 'london'],
]

/** The oldest hardfork that has the header's fields. */
function shapeOf({ header, json }: UpstreamBlock): HardforkName {
  if ('sendRoot' in json && 'l1BlockNumber' in json) {
    // Arbitrum keeps the version of ArbOS in 8 bytes of the mix hash.
    const version = Number(Buffer.from(header.mixHash).readBigUInt64BE(16))
    return ARBITRUM.find(([first]) => version >= first)?.[1] ?? 'london'
  }
  if (header.requestsHash !== undefined) return 'prague'
  if (header.parentBeaconBlockRoot !== undefined) return 'cancun'
  if (header.withdrawalsRoot !== undefined) return 'shanghai'
  if (header.baseFeePerGas === undefined) return 'berlin'
  return header.difficulty === 0n ? 'paris' : 'london'
}
