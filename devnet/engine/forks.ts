/** Hardforks in order, as @ethereumjs/common spells them; London is the oldest that a devnet can start with. */
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
] as const

export type HardforkName = (typeof hardforks)[number]

/** What of a block depends on its hardfork; light, so that a genesis block needs no EVM. */
export interface ForkRules {
  readonly hardfork: HardforkName
  /** EIP-1559: base fee. */
  readonly baseFee: boolean
  /** EIP-3675: no difficulty; `mixHash` is prevRandao (EIP-4399). */
  readonly proofOfStake: boolean
  /** EIP-4895: withdrawals. */
  readonly withdrawals: boolean
  /** EIP-4844 and EIP-4788: blob gas and the parent beacon block root. */
  readonly blobs: boolean
  /** EIP-7685, EIP-2935: requests and the block hashes in the state. */
  readonly requests: boolean
  /** EIP-7825: at most this much gas in one transaction; `undefined` before Osaka. */
  readonly transactionGasCap: bigint | undefined
  /** EIP-7918: the blob base fee is bounded by the execution cost. */
  readonly blobReservePrice: boolean
  /** EIP-7840: blob parameters; `undefined` before Cancun. */
  readonly blobSchedule: BlobSchedule | undefined
}

export interface BlobSchedule {
  /** Blobs a block aims at. */
  readonly target: bigint
  /** Blobs a block can hold. */
  readonly max: bigint
  /** The rate at which the blob base fee moves. */
  readonly updateFraction: bigint
}

const blobSchedules: Partial<Record<HardforkName, BlobSchedule>> = {
  cancun: { target: 3n, max: 6n, updateFraction: 3_338_477n },
  prague: { target: 6n, max: 9n, updateFraction: 5_007_716n },
  osaka: { target: 6n, max: 9n, updateFraction: 5_007_716n },
  bpo1: { target: 10n, max: 15n, updateFraction: 8_346_193n },
  bpo2: { target: 14n, max: 21n, updateFraction: 11_684_671n },
}

/** Whether `hardfork` is `other` or newer. */
export function isAtLeast(hardfork: HardforkName, other: HardforkName): boolean {
  return hardforks.indexOf(hardfork) >= hardforks.indexOf(other)
}

export function forkRules(hardfork: HardforkName): ForkRules {
  const reached = (other: HardforkName) => isAtLeast(hardfork, other)
  return {
    hardfork,
    baseFee: reached('london'),
    proofOfStake: reached('paris'),
    withdrawals: reached('shanghai'),
    blobs: reached('cancun'),
    requests: reached('prague'),
    transactionGasCap: reached('osaka') ? 2n ** 24n : undefined,
    blobReservePrice: reached('osaka'),
    blobSchedule: blobSchedules[hardfork],
  }
}
