import { blockSize } from '../chain/block.ts'
import { fromHex, toHex, ZERO_HASH } from '../chain/bytes.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from '../chain/fees.ts'
import { type BlockHeader, hashHeader } from '../chain/header.ts'
import { type ExecutedTransaction, encodeReceipt } from '../chain/receipt.ts'
import { makeHeader } from '../chain/roots.ts'
import { type Withdrawal, withdrawalsRoot } from '../chain/withdrawals.ts'
import type { Engine } from '../engine/engine.ts'
import type { ForkRules } from '../engine/forks.ts'
import { IndexTrie } from '../state/indexTrie.ts'
import type {
  PlannedBlock,
  SimulatedBlock,
  SimulatedCall,
  SimulatedEnvironment,
} from './simulateTypes.ts'

/**
 * What of a simulated block is fixed before anything runs in it.
 *
 * @param parent - the block before, simulated or real: gas limit and fee recipient are inherited from it
 * @param validation - whether the base fee follows from the parent (EIP-1559); else it is 0
 */
export function openSimulatedBlock(
  { number, time, blockOverrides: overrides = {} }: PlannedBlock,
  parent: BlockHeader,
  rules: ForkRules,
  validation: boolean,
): SimulatedEnvironment {
  const excessBlobGas = nextExcessBlobGas(parent, rules)
  const { feeRecipient, prevRandao, beaconRoot } = overrides
  const baseFee = overrides.baseFeePerGas ?? (validation ? nextBaseFee(parent) : 0n)
  return {
    rules,
    number,
    timestamp: time,
    gasLimit: overrides.gasLimit ?? parent.gasLimit,
    baseFeePerGas: rules.baseFee ? baseFee : 0n,
    coinbase: feeRecipient === undefined ? parent.coinbase : fromHex(feeRecipient),
    prevRandao: prevRandao === undefined ? ZERO_HASH : fromHex(prevRandao),
    difficulty: rules.proofOfStake ? 0n : (overrides.difficulty ?? parent.difficulty),
    excessBlobGas,
    blobBaseFee: overrides.blobBaseFee ?? blobBaseFee(excessBlobGas, rules.blobSchedule),
    parentBeaconBlockRoot: beaconRoot === undefined ? ZERO_HASH : fromHex(beaconRoot),
  }
}

/** What is known of a simulated block once its calls ran. */
export interface SimulatedResults {
  readonly calls: readonly SimulatedCall[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly requestsHash: Uint8Array
  readonly withdrawals: readonly Withdrawal[]
}

/** Gives a simulated block its roots and its hash; its state root is zero, since no trie has its state. */
export function closeSimulatedBlock(
  environment: SimulatedEnvironment,
  parentHash: Uint8Array,
  { calls, withdrawals, ...results }: SimulatedResults,
  { crypto: { keccak256 } }: Engine,
): SimulatedBlock {
  const executed = calls.map((call) => call.executed)
  const rootOf = (values: readonly Uint8Array[]) =>
    IndexTrie.empty(keccak256).append(values, 0).rootHash()
  const header = makeHeader(environment, parentHash, {
    ...results,
    stateRoot: ZERO_HASH,
    transactionsRoot: rootOf(executed.map(({ transaction }) => transaction.raw)),
    receiptsRoot: rootOf(executed.map(encodeReceipt)),
    logsBloom: bloomOf(executed),
    withdrawalsRoot: withdrawalsRoot(withdrawals, keccak256),
  })
  const hashBytes = hashHeader(header, keccak256)
  return {
    header,
    hash: toHex(hashBytes),
    hashBytes,
    size: blockSize({ header, executed, uncles: [], withdrawals }),
    calls,
    withdrawals: environment.rules.withdrawals ? withdrawals : undefined,
  }
}

function bloomOf(executed: readonly ExecutedTransaction[]): Uint8Array {
  const bloom = new Uint8Array(256)
  for (const { logs, bloom: own } of executed) {
    if (logs.length === 0) continue
    for (let byte = 0; byte < bloom.length; byte++) {
      bloom[byte] = (bloom[byte] ?? 0) | (own[byte] ?? 0)
    }
  }
  return bloom
}
