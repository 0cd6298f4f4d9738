import { closingAccesses } from '../chain/building/blockAccesses.ts'
import type { BlockStateCall } from '../json/schemas/simulationPayload.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { blockSize, type SealedBlock } from '../protocol/block.ts'
import { encodeBlockAccessList } from '../protocol/blockAccessList.ts'
import { headerGasUsed, NO_GAS } from '../protocol/blockGas.ts'
import { nextSlotNumber } from '../protocol/environment.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { type BlockHeader, hashHeader, makeHeader } from '../protocol/header.ts'
import { encodeReceipts, type RawLog, withBlooms } from '../protocol/receipt.ts'
import {
  type BlockRequest,
  callRequestContracts,
  deposits,
  type RequestContractFault,
  requestsHash,
} from '../protocol/requests.ts'
import { blockRewards, withdrawalIncrements } from '../protocol/rewards.ts'
import { accessesBetween, type StepAccesses, Touched } from '../protocol/stepAccesses.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  hasCode,
  isStandard,
  OPENING_KEYS,
  openingWrites,
} from '../protocol/systemContracts.ts'
import { type Withdrawal, withdrawalsRoot } from '../protocol/withdrawals.ts'
import { increased } from '../state/accounts.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import { IndexTrie } from '../state/trie/indexTrie.ts'
import type { StateReader } from '../state/types.ts'
import { CallRefusedError } from './callErrors.ts'
import { failureMessage } from './failureMessage.ts'
import type { MachineLease } from './machineLease.ts'
import { applyStateOverrides } from './overrides.ts'
import {
  type OpenBlock,
  type SimulatedCall,
  type SimulatedEnvironment,
  type Simulation,
  simulateCall,
} from './simulateCall.ts'

/** A block to simulate, with its final number and time. */
export interface PlannedBlock extends BlockStateCall {
  readonly number: bigint
  /** s since the epoch. */
  readonly time: bigint
}

/** The parent of a simulated block: simulated or real. */
export type SimulatedParent = Pick<SealedBlock, 'header' | 'hashBytes'>

export interface SimulatedBlock extends SimulatedParent {
  readonly hash: Hex
  /** Bytes of the block's RLP. */
  readonly size: number
  readonly calls: readonly SimulatedCall[]
  /** `undefined` before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/**
 * Simulates one block on the machine's overlay: overrides, system calls, calls, requests,
 * withdrawals or reward.
 *
 * @throws {CallRefusedError} if the block cannot include a call, or an override is invalid
 */
export async function simulateBlock(
  simulation: Simulation,
  planned: PlannedBlock,
  parent: SimulatedParent,
): Promise<SimulatedBlock> {
  const { lease, validation } = simulation
  const { machine } = lease
  const { rules } = lease.executor
  const environment = openEnvironment(planned, parent.header, rules, validation)
  const block: OpenBlock = {
    environment,
    precompiles: await applyStateOverrides(lease, planned.stateOverrides),
    calls: [],
    gas: NO_GAS,
    blobGasUsed: 0n,
    logCount: 0,
    emittedLogs: 0,
  }
  const opening = await openSystemContracts(lease, environment, parent.hashBytes)
  for (const request of planned.calls ?? []) {
    const pause = machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    const simulated = simulateCall(simulation, block, request)
    if (simulated instanceof Promise) await simulated
  }
  const logs = block.calls.flatMap(({ executed }) => executed.logs)
  const withdrawals = rules.withdrawals ? (planned.blockOverrides?.withdrawals ?? []) : []
  const { overlay } = machine
  const before = rules.blockAccessLists ? overlay.shallowCopy() : undefined
  const touched = before && closingAccesses(overlay, rules, withdrawals)
  const requests = rules.requests
    ? await collectRequests(lease, environment, logs, simulation.base, touched)
    : []
  for (const [key, wei] of [
    ...withdrawalIncrements(withdrawals),
    ...blockRewards(environment, []),
  ]) {
    overlay.setBalance(key, increased(overlay.account(key)?.balance ?? 0n, wei))
  }
  const accessList =
    before &&
    touched &&
    encodeBlockAccessList([
      opening,
      ...block.calls.map(({ execution }) => execution.accesses ?? []),
      accessesBetween(before, overlay, touched),
    ])
  return closeBlock(simulation, block, parent.hashBytes, { requests, withdrawals, accessList })
}

/** The block's environment. Gas limit and fee recipient default to the parent's. */
function openEnvironment(
  { number, time, blockOverrides: overrides = {} }: PlannedBlock,
  parent: BlockHeader,
  rules: ForkRules,
  validation: boolean,
): SimulatedEnvironment {
  const excessBlobGas = nextExcessBlobGas(parent, rules)
  const { feeRecipient, prevRandao, beaconRoot } = overrides
  const baseFee = overrides.baseFeePerGas ?? (validation ? nextBaseFee(parent, rules) : 0n)
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
    slotNumber: nextSlotNumber(parent, rules),
  }
}

/** The end of a block, behind its calls. */
interface BlockEnd {
  readonly requests: readonly BlockRequest[]
  readonly withdrawals: readonly Withdrawal[]
  /** RLP of its access list (EIP-7928); `undefined` before Amsterdam. */
  readonly accessList: Uint8Array | undefined
}

/** Computes the block's roots and hash. The state root is zero: simulated state has no trie. */
function closeBlock(
  { engine }: Simulation,
  { environment, calls, gas, blobGasUsed }: OpenBlock,
  parentHash: Uint8Array,
  { requests, withdrawals, accessList }: BlockEnd,
): SimulatedBlock {
  const { keccak256 } = engine.crypto
  const executed = calls.map((call) => call.executed)
  const rootOf = (values: readonly Uint8Array[]) =>
    IndexTrie.empty(keccak256).append(values, 0).rootHash()
  const header = makeHeader(environment, parentHash, {
    gasUsed: headerGasUsed(gas),
    blobGasUsed,
    requestsHash: requestsHash(requests),
    blockAccessListHash: accessList && keccak256(accessList),
    stateRoot: ZERO_HASH,
    transactionsRoot: rootOf(executed.map(({ transaction }) => transaction.raw)),
    receiptsRoot: rootOf(encodeReceipts(executed)),
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

const BEACON_ROOTS_KEY = addressKeyFromHex(BEACON_ROOTS.address)

/**
 * Makes the system calls at the start of a block (EIP-4788, EIP-2935). If the code of a contract is
 * overridden, that code runs; a contract without code is skipped; a failed call changes nothing.
 *
 * @returns what they access (EIP-7928); nothing before Amsterdam
 */
export async function openSystemContracts(
  { executor, machine }: MachineLease,
  environment: SimulatedEnvironment,
  parentHash: Uint8Array,
): Promise<StepAccesses> {
  const { overlay } = machine
  const { rules } = environment
  const writes = openingWrites({ ...environment, parentHash }, overlay, rules)
  const before = rules.blockAccessLists ? overlay.shallowCopy() : undefined
  const touched = before && new Touched(OPENING_KEYS)
  for (const [key, { slots }] of writes?.storage ?? []) {
    if (isStandard(key, overlay)) {
      touched?.addAccount(key, slots.keys())
      for (const [slot, value] of slots) overlay.setSlot(key, slot, value)
      continue
    }
    const [{ address }, data] =
      key === BEACON_ROOTS_KEY
        ? [BEACON_ROOTS, environment.parentBeaconBlockRoot]
        : [BLOCK_HASHES, parentHash]
    const { accesses = [] } = await executor.systemCall(
      machine,
      fromHex(address),
      environment,
      data,
    )
    touched?.add(accesses)
  }
  return before && touched ? accessesBetween(before, overlay, touched) : []
}

/**
 * The requests to the consensus layer at the end of a block (EIP-6110, EIP-7002, EIP-7251). Deposit
 * logs of a wrong layout are left out, as in blocks of this node's own.
 *
 * @param base - the state from which the simulation starts; contracts missing there are skipped
 * @param touched - receives what the calls access; `undefined` before Amsterdam
 * @throws {CallRefusedError} if an override removed the code of a contract, or its call fails: code
 * -32000, as in geth
 */
export async function collectRequests(
  { executor, machine }: MachineLease,
  environment: SimulatedEnvironment,
  logs: Iterable<RawLog>,
  base: StateReader,
  touched: Touched | undefined,
): Promise<BlockRequest[]> {
  const onFault = ({ contract: { key, holds, address }, failed }: RequestContractFault) => {
    if (failed === undefined && !hasCode(key, base)) return
    const problem =
      failed === undefined
        ? `empty system contract: no code at ${address}; ` +
          'leave its code alone in the state overrides'
        : `system call failed to execute: ${failureMessage(failed)}`
    throw new CallRefusedError(`failed to process ${holds} queue: ${problem}`, ErrorCode.server)
  }
  const plainly = (to: Uint8Array) => executor.systemCall(machine, to, environment)
  const call =
    touched === undefined
      ? plainly
      : async (to: Uint8Array) => {
          const execution = await plainly(to)
          touched.add(execution.accesses ?? [])
          return execution
        }
  return [
    deposits(logs, environment.rules, () => undefined),
    ...(await callRequestContracts(machine.overlay, environment.rules, call, onFault)),
  ]
}
