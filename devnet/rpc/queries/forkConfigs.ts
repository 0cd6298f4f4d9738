import type { Chain } from '../../chain/chain.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { forkHash, type GenesisIdentity } from '../../protocol/forkId.ts'
import { type ForkRules, isAtLeast } from '../../protocol/forks.ts'
import { PRECOMPILES } from '../../protocol/precompiles.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../protocol/systemContracts.ts'

/**
 * The configurations of the newest block, of the next scheduled fork and of the last scheduled one;
 * `null` if no fork is scheduled.
 *
 * @throws {RefusedError} if the chain is forked, or was loaded without its genesis block
 */
export function forkConfigs({
  engine,
  head,
  history,
  origin,
}: Pick<Chain, 'engine' | 'head' | 'history' | 'origin'>) {
  const { genesis } = history
  if (origin !== undefined) {
    throw new RefusedError(
      `this chain stands on block ${origin.number} of another one, and has no fork id of its own: ask the upstream for its configuration`,
    )
  }
  if (genesis === undefined) {
    throw new RefusedError(
      'the fork id begins with the hash of the genesis block, without which this chain was loaded: load a file that holds all blocks',
    )
  }
  const { number, timestamp } = head.header
  const toConfig = (time: bigint, activationTime: bigint) =>
    formatConfig(engine, genesis, number, time, activationTime)
  const started = engine.schedule.changes.findLast(
    ({ block, time }) =>
      (block === undefined || block <= number) && (time === undefined || time <= timestamp),
  )
  const later = engine.schedule.changes.flatMap(({ time }) =>
    time !== undefined && time > timestamp ? [time] : [],
  )
  const [next] = later
  const last = later.at(-1)
  return {
    current: toConfig(timestamp, started?.time ?? 0n),
    next: next === undefined ? null : toConfig(next, next),
    last: last === undefined ? null : toConfig(last, last),
  }
}

/**
 * The configuration of one hardfork, as `eth_config` answers it (EIP-7910).
 *
 * @param number - number of the newest block; forks after it are scheduled only by time
 * @param activationTime - s since the epoch; 0 for forks at genesis or by block number
 */
function formatConfig(
  { schedule, chainId }: Chain['engine'],
  genesis: GenesisIdentity,
  number: bigint,
  time: bigint,
  activationTime: bigint,
) {
  const rules = schedule.at(number, time)
  const { blobSchedule } = rules
  return {
    activationTime: Number(activationTime),
    blobSchedule:
      blobSchedule === undefined
        ? null
        : {
            baseFeeUpdateFraction: Number(blobSchedule.updateFraction),
            max: Number(blobSchedule.max),
            target: Number(blobSchedule.target),
          },
    chainId: quantity(chainId),
    forkId: toHex(forkHash(genesis, schedule, time)),
    precompiles: Object.fromEntries(
      PRECOMPILES.filter(([, , since]) => isAtLeast(rules.hardfork, since))
        .map(([name, address]) => [name, precompile(address)] as const)
        .sort(byName),
    ),
    systemContracts: systemContracts(rules),
  }
}

function precompile(address: number): Hex {
  return `0x${address.toString(16).padStart(40, '0')}`
}

/** Name → address, sorted by name; empty before Cancun. */
function systemContracts(rules: ForkRules): Record<string, Hex> {
  return {
    ...(rules.blobs ? { BEACON_ROOTS_ADDRESS: BEACON_ROOTS.address } : {}),
    ...(rules.builderRequests
      ? {
          BUILDER_DEPOSIT_CONTRACT_ADDRESS: BUILDER_DEPOSITS.address,
          BUILDER_EXIT_CONTRACT_ADDRESS: BUILDER_EXITS.address,
        }
      : {}),
    ...(rules.requests
      ? {
          CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: CONSOLIDATION_REQUESTS.address,
          // `toLowerCase` loses the type. The address is mainnet's, or that of the genesis file.
          DEPOSIT_CONTRACT_ADDRESS: rules.depositContract.toLowerCase() as Hex,
          HISTORY_STORAGE_ADDRESS: BLOCK_HASHES.address,
          WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: WITHDRAWAL_REQUESTS.address,
        }
      : {}),
  }
}

function byName([one]: readonly [string, Hex], [other]: readonly [string, Hex]): number {
  return one < other ? -1 : 1
}
