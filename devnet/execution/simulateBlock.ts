import { closeBlock } from '../chain/building/closeBlock.ts'
import { emptyContents, withExecuted } from '../chain/building/pendingView.ts'
import type { BlockStateCall } from '../json/schemas/simulationPayload.ts'
import { textToBytes, ZERO_HASH } from '../primitives/bytes.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { blockSize, type SealedBlock } from '../protocol/block.ts'
import { NO_GAS } from '../protocol/blockGas.ts'
import { nextSlotNumber } from '../protocol/environment.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { type BlockHeader, hashHeader, makeHeader } from '../protocol/header.ts'
import type { RequestFault } from '../protocol/requests.ts'
import { accessesBetween, type StepAccesses, Touched } from '../protocol/stepAccesses.ts'
import {
  BEACON_ROOTS_KEY,
  hasCode,
  isStandard,
  OPENING_KEYS,
  openingWrites,
} from '../protocol/systemContracts.ts'
import type { Withdrawal } from '../protocol/withdrawals.ts'
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
  const withdrawals = rules.withdrawals ? (planned.blockOverrides?.withdrawals ?? []) : []
  const { keccak256 } = simulation.engine.crypto
  const { calls } = block
  const executed = calls.map((call) => call.executed)
  const accesses = calls.map(({ execution }) => execution.accesses ?? [])
  const { results } = await closeBlock(
    { ...block, ...withExecuted(emptyContents(keccak256), executed), accesses },
    { ...leasedClosing(lease, environment, simulation.base), opening, withdrawals, keccak256 },
  )
  // Simulated state has no trie.
  const header = makeHeader(environment, parent.hashBytes, { ...results, stateRoot: ZERO_HASH })
  const hashBytes = hashHeader(header, keccak256)
  return {
    header,
    hash: toHex(hashBytes),
    hashBytes,
    size: blockSize({ header, executed, uncles: [], withdrawals }),
    calls,
    withdrawals: rules.withdrawals ? withdrawals : undefined,
  }
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
    const data = key === BEACON_ROOTS_KEY ? environment.parentBeaconBlockRoot : parentHash
    const { accesses } = await executor.systemCall(machine, textToBytes(key), environment, data)
    touched?.add(accesses ?? [])
  }
  return before && touched ? accessesBetween(before, overlay, touched) : []
}

/**
 * The end of a block on a leased machine. Deposit logs of a wrong layout are left out, as in blocks
 * of this node's own.
 *
 * @param base - the state from which the simulation starts; contracts missing there are skipped
 * @throws {CallRefusedError} from `onFault`, if an override removed the code of a contract, or its
 * call fails: code -32000, as in geth
 */
export function leasedClosing(
  { executor, machine }: MachineLease,
  environment: SimulatedEnvironment,
  base: StateReader,
) {
  return {
    overlay: machine.overlay,
    uncles: [],
    call: (to: Uint8Array) => executor.systemCall(machine, to, environment),
    onFault(fault: RequestFault) {
      if (fault instanceof Uint8Array) return
      const { contract, failed } = fault
      if (failed === undefined && !hasCode(contract.key, base)) return
      const problem =
        failed === undefined
          ? `empty system contract: no code at ${contract.address}; ` +
            'leave its code alone in the state overrides'
          : `system call failed to execute: ${failureMessage(failed)}`
      const message = `failed to process ${contract.holds} queue: ${problem}`
      throw new CallRefusedError(message, ErrorCode.server)
    },
  }
}
