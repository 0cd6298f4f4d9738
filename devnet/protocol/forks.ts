import { type BaseFeeRules, ETHEREUM_BASE_FEE } from './baseFeeRules.ts'
import { ETHER } from './units.ts'

/**
 * Hardforks in order, as @ethereumjs/common spells them. The option `hardfork` accepts London and
 * newer; older ones are only for chains from genesis files.
 */
export const hardforks = [
  'chainstart',
  'homestead',
  'dao',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'bpo1',
  'bpo2',
  'amsterdam',
] as const

export type HardforkName = (typeof hardforks)[number]

/**
 * Rules of a block, as plain values: making a genesis block does not load the EVM. Equal ones are
 * one object, which the blocks share that were made under them.
 */
export interface ForkRules {
  readonly hardfork: HardforkName
  /** Of the signatures, and what CHAINID returns (EIP-1344). */
  readonly chainId: number
  /** EIP-2: a signature with a high s is invalid, and a creation costs 32,000 gas more. */
  readonly lowSignatures: boolean
  /** EIP-155: legacy transactions can be bound to one chain. */
  readonly replayProtection: boolean
  /** EIP-658: a receipt has a status instead of the state root after the transaction. */
  readonly receiptStatus: boolean
  /** Gas per byte of calldata that is not zero (EIP-2028). */
  readonly calldataByteGas: number
  /** EIP-2718 and EIP-2930: typed transactions; type 1 adds an access list. */
  readonly accessLists: boolean
  /** EIP-1559: base fee. */
  readonly baseFee: boolean
  /** Rule by which the base fee follows from that of the parent (EIP-1559). */
  readonly baseFeeRules: BaseFeeRules
  /** EIP-3675: no difficulty; `mixHash` is prevRandao (EIP-4399). */
  readonly proofOfStake: boolean
  /** EIP-4895: withdrawals. */
  readonly withdrawals: boolean
  /** EIP-4844 and EIP-4788: blob gas and the parent beacon block root. */
  readonly blobs: boolean
  /** EIP-7685 and EIP-2935: execution-layer requests, and past block hashes kept in the state. */
  readonly requests: boolean
  /** EIP-170: at most this many bytes of deployed code; `Infinity` for any length. */
  readonly codeSizeLimit: number
  /**
   * EIP-7825: at most this much gas in one transaction, and since Amsterdam at most this much
   * execution gas (EIP-8037); `undefined` before Osaka.
   */
  readonly transactionGasCap: bigint | undefined
  /** EIP-7934: at most this many bytes in the RLP of a block; `undefined` before Osaka. */
  readonly blockSizeCap: number | undefined
  /** EIP-7918: the blob base fee has a lower bound that depends on the base fee. */
  readonly blobReservePrice: boolean
  /** EIP-7840: blob parameters; `undefined` before Cancun. */
  readonly blobSchedule: BlobSchedule | undefined
  /**
   * EIP-8037: state that is created costs gas of its own, beside execution gas. With it come the
   * prices of EIP-2780, 7976, 7981 and 8038, and blocks count gas without refunds (EIP-7778).
   */
  readonly stateGas: boolean
  /** EIP-7708 and EIP-8246: each transfer of ether emits a log, and SELFDESTRUCT burns none. */
  readonly transferLogs: boolean
  /** EIP-7928 and EIP-7843: block access lists, and slot numbers. */
  readonly blockAccessLists: boolean
  /** EIP-8282: requests of builders. */
  readonly builderRequests: boolean
  /** wei that the fee recipient earns per block (EIP-649, EIP-1234); 0 since Paris. */
  readonly blockReward: bigint
  /** Number of blocks by which the difficulty bomb is delayed (EIP-649 and its successors). */
  readonly bombDelay: bigint
  /** Address, as 0x and 40 digits, of the contract whose logs announce deposits (EIP-6110). */
  readonly depositContract: string
  /** True if the chain is one of the OP Stack: it has deposits, and transactions pay for L1. */
  readonly opStack: boolean
  /** True if each block tells contracts its time in ms, 200 after its parent's (Base's Denim). */
  readonly baseTime: boolean
}

/** Rules in which a chain can differ from mainnet. */
export type ForkChanges = { readonly [Name in Changeable]?: ForkRules[Name] | undefined }

type Changeable =
  | 'chainId'
  | 'baseFeeRules'
  | 'blobSchedule'
  | 'bombDelay'
  | 'depositContract'
  | 'opStack'
  | 'baseTime'

/** Rules that commands and options choose, and in which the blocks of one chain can differ. */
type BlockTerms = Pick<ForkRules, 'chainId' | 'codeSizeLimit' | 'transactionGasCap'>

/** Picks the {@link BlockTerms} of some rules. */
export function blockTerms({ chainId, codeSizeLimit, transactionGasCap }: BlockTerms): BlockTerms {
  return { chainId, codeSizeLimit, transactionGasCap }
}

export interface BlobSchedule {
  /** Target number of blobs per block (EIP-4844). */
  readonly target: bigint
  /** Maximum number of blobs in one block. */
  readonly max: bigint
  /** The larger, the more slowly the blob base fee changes (EIP-4844). */
  readonly updateFraction: bigint
}

const blobSchedules: Partial<Record<HardforkName, BlobSchedule>> = {
  cancun: { target: 3n, max: 6n, updateFraction: 3_338_477n },
  prague: { target: 6n, max: 9n, updateFraction: 5_007_716n },
  osaka: { target: 6n, max: 9n, updateFraction: 5_007_716n },
  bpo1: { target: 10n, max: 15n, updateFraction: 8_346_193n },
  bpo2: { target: 14n, max: 21n, updateFraction: 11_684_671n },
  amsterdam: { target: 14n, max: 21n, updateFraction: 11_684_671n },
}

/** Total delay of the difficulty bomb, in blocks: EIP-649, 1234, 2384, 3554, 4345, 5133. */
const bombDelays: Partial<Record<HardforkName, bigint>> = {
  byzantium: 3_000_000n,
  constantinople: 5_000_000n,
  muirGlacier: 9_000_000n,
  london: 9_700_000n,
  arrowGlacier: 10_700_000n,
  grayGlacier: 11_400_000n,
}

/** Mainnet's limits of deployed code, in bytes (EIP-170, and EIP-7954 from Amsterdam on). */
const CODE_SIZE_LIMIT = 24_576
const LARGE_CODE_SIZE_LIMIT = 65_536

/** Longest init code, in bytes: twice the longest deployed code (EIP-3860); `Infinity` for any. */
export function initCodeLimit({ withdrawals, codeSizeLimit }: ForkRules): number {
  return withdrawals ? 2 * codeSizeLimit : Infinity
}

const MAINNET_DEPOSITS = '0x00000000219ab540356cbb839cbe05303d7705fa'

/** True if `hardfork` is `other` or newer. */
export function isAtLeast(hardfork: HardforkName, other: HardforkName): boolean {
  return hardforks.indexOf(hardfork) >= hardforks.indexOf(other)
}

/** Mainnet's rules of a hardfork, with `changes` applied. */
export function forkRules(hardfork: HardforkName, changes: ForkChanges = {}): ForkRules {
  const reached = (other: HardforkName) => isAtLeast(hardfork, other)
  return sharedRules({
    hardfork,
    chainId: changes.chainId ?? 1,
    lowSignatures: reached('homestead'),
    replayProtection: reached('spuriousDragon'),
    receiptStatus: reached('byzantium'),
    calldataByteGas: reached('istanbul') ? 16 : 68,
    accessLists: reached('berlin'),
    baseFee: reached('london'),
    baseFeeRules: changes.baseFeeRules ?? ETHEREUM_BASE_FEE,
    proofOfStake: reached('paris'),
    withdrawals: reached('shanghai'),
    blobs: reached('cancun'),
    requests: reached('prague'),
    codeSizeLimit: codeSizeLimit(reached),
    transactionGasCap: reached('osaka') ? 2n ** 24n : undefined,
    blockSizeCap: reached('osaka') ? 8_388_608 : undefined,
    blobReservePrice: reached('osaka'),
    blobSchedule: changes.blobSchedule ?? blobSchedules[hardfork],
    stateGas: reached('amsterdam'),
    transferLogs: reached('amsterdam'),
    blockAccessLists: reached('amsterdam'),
    builderRequests: reached('amsterdam'),
    blockReward: blockReward(reached),
    bombDelay: changes.bombDelay ?? bombDelay(hardforks.filter(reached)),
    depositContract: changes.depositContract ?? MAINNET_DEPOSITS,
    opStack: changes.opStack ?? false,
    baseTime: changes.baseTime ?? false,
  })
}

const shared = new Map<string, WeakRef<ForkRules>>()
const forgotten = new FinalizationRegistry<string>((text) => {
  if (shared.get(text)?.deref() === undefined) shared.delete(text)
})

/** The one object of all with these values. */
export function sharedRules(rules: ForkRules): ForkRules {
  const text = JSON.stringify(rules, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  const known = shared.get(text)?.deref()
  if (known !== undefined) return known
  shared.set(text, new WeakRef(rules))
  forgotten.register(rules, text)
  return rules
}

/** Delay of the difficulty bomb in blocks, set by the last of these hardforks that changes it. */
export function bombDelay(reached: readonly HardforkName[]): bigint {
  return reached.reduce((delay, hardfork) => bombDelays[hardfork] ?? delay, 0n)
}

function codeSizeLimit(reached: (hardfork: HardforkName) => boolean): number {
  if (reached('amsterdam')) return LARGE_CODE_SIZE_LIMIT
  return reached('spuriousDragon') ? CODE_SIZE_LIMIT : Infinity
}

function blockReward(reached: (hardfork: HardforkName) => boolean): bigint {
  if (reached('paris')) return 0n
  if (reached('constantinople')) return 2n * ETHER
  return reached('byzantium') ? 3n * ETHER : 5n * ETHER
}
