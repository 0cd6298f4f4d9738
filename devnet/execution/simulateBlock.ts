import type { Engine } from '../engine/engine.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import { fromHex, toHex } from '../primitives/hex.ts'
import { blockSize } from '../protocol/block.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { type BlockHeader, hashHeader, makeHeader } from '../protocol/header.ts'
import { encodeReceipt, withBlooms } from '../protocol/receipt.ts'
import { requestsHash } from '../protocol/requests.ts'
import { type BalanceIncrement, blockRewards, withdrawalIncrements } from '../protocol/rewards.ts'
import { type Withdrawal, withdrawalsRoot } from '../protocol/withdrawals.ts'
import type { Overlay } from '../state/overlay/overlay.ts'
import { IndexTrie } from '../state/trie/indexTrie.ts'
import { applyStateOverrides } from './overrides.ts'
import { collectRequests, openSystemContracts } from './simulateSystem.ts'
import { type OpenBlock, type Simulation, simulateCall } from './simulateTransaction.ts'
import type {
  PlannedBlock,
  SimulatedBlock,
  SimulatedCall,
  SimulatedEnvironment,
} from './simulateTypes.ts'

/** The block that a simulated one follows on. */
export interface SimulatedParent {
  readonly header: BlockHeader
  readonly hashBytes: Uint8Array
}

/**
 * Simulates one block on the machine's overlay: overrides, system calls, calls, requests, withdrawals or reward.
 *
 * @throws {CallRefusedError} where it cannot hold a call, or an override is refused
 */
export async function simulateBlock(
  simulation: Simulation,
  planned: PlannedBlock,
  parent: SimulatedParent,
): Promise<SimulatedBlock> {
  const { engine, lease, validation } = simulation
  const { machine } = lease
  const { rules } = lease.executor
  const environment = openSimulatedBlock(planned, parent.header, rules, validation)
  const block: OpenBlock = {
    environment,
    precompiles: applyStateOverrides(machine, planned.stateOverrides),
    calls: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
  }
  await openSystemContracts(lease, environment, parent.hashBytes)
  for (const request of planned.calls ?? []) {
    const pause = machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    await simulateCall(simulation, block, request)
  }
  const logs = block.calls.flatMap(({ executed }) => executed.logs)
  const requests = rules.requests
    ? await collectRequests(lease, environment, logs, simulation.base)
    : []
  const withdrawals = rules.withdrawals ? (planned.blockOverrides?.withdrawals ?? []) : []
  addBalances(machine.overlay, [
    ...withdrawalIncrements(withdrawals),
    ...blockRewards(environment, []),
  ])
  return closeSimulatedBlock(
    environment,
    parent.hashBytes,
    {
      calls: block.calls,
      gasUsed: block.gasUsed,
      blobGasUsed: block.blobGasUsed,
      requestsHash: requestsHash(requests),
      withdrawals,
    },
    engine,
  )
}

function addBalances(overlay: Overlay, increments: readonly BalanceIncrement[]): void {
  for (const [key, wei] of increments) {
    overlay.setBalance(key, (overlay.account(key)?.balance ?? 0n) + wei)
  }
}

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
    logsBloom: withBlooms(new Uint8Array(256), executed),
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
