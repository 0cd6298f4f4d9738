import type { PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import type { Engine } from '../engine/engine.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { BlockHashes } from '../engine/types.ts'
import type { SimulationPayload } from '../json/schemas/simulationPayload.ts'
import { DevnetError, InvalidParamsError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockHeader } from '../protocol/header.ts'
import type { PrintListener } from './call.ts'
import { CallRefusedError, SimulationCode } from './callErrors.ts'
import { callReads } from './callReads.ts'
import { type ExecutionLimits, type HeldState, withMachine } from './machineLease.ts'
import { overrideBlockHashes } from './overrides.ts'
import {
  type PlannedBlock,
  type SimulatedBlock,
  type SimulatedParent,
  simulateBlock,
} from './simulateBlock.ts'
import type { Simulation } from './simulateCall.ts'

export interface SimulationBase {
  readonly state: HeldState
  readonly parent: SimulatedParent
  readonly blockHashes: BlockHashes
}

/**
 * Simulates blocks of calls on top of a block, and commits nothing: `eth_simulateV1`.
 *
 * @param payload - of a size that {@link checkSimulationSize} admits
 * @returns the blocks, including those that fill gaps in the numbers
 * @throws {DevnetError} with a code of {@link SimulationCode} if numbers or timestamps do not
 * increase, no block could include a call, or the simulation times out
 */
export async function simulate(
  { engine }: { readonly engine: Engine },
  { state, parent, blockHashes }: SimulationBase,
  payload: SimulationPayload,
  { limits, onPrint, ...executionLimits }: SimulationParameters,
): Promise<SimulatedBlock[]> {
  const plan = planBlocks(payload, parent.header, limits)
  const [first] = plan
  const { schedule } = engine
  const rules = first === undefined ? schedule.newest : schedule.at(first.number, first.time)
  const ancestors: Ancestors = { simulated: new Map(), overrides: undefined }
  // Overridden ones, then simulated ones, then those of the chain.
  const known: BlockHashes = (number) => ancestors.simulated.get(number) ?? blockHashes(number)
  const hashOf: BlockHashes = (number) => overrideBlockHashes(known, ancestors.overrides)(number)
  const { timeout, gas } = limits
  const { validation = false, traceTransfers = false } = payload
  const request = {
    ...{ engine, rules, state, blockHashes: hashOf, timeout },
    reads: () => callReads(payload.blockStateCalls, parent.header.coinbase),
  }
  try {
    return await withMachine({ ...executionLimits, ...request }, (lease) => {
      const common = { engine, base: state, validation, traceTransfers, onPrint }
      return simulateBlocks({ ...common, lease, gasLeft: gas }, plan, parent, ancestors)
    })
  } catch (error) {
    throw simulationFailure(error)
  }
}

/**
 * A block as the base of a simulation. On top of the pending block, the simulation starts from the
 * pre-confirmed state, but its parent is the newest sealed block, so the first simulated block has
 * the number of the pending one. To be used in the turn of the event loop in which it was made.
 *
 * @throws {VersionGoneError} if the block's state is no longer kept
 */
export function simulationBase(
  { store, blockHashes }: Chain,
  block: SealedBlock | PendingView,
): SimulationBase {
  return 'environment' in block
    ? { state: block.state, parent: block.environment.parent, blockHashes }
    : { state: store.view(block.version), parent: block, blockHashes }
}

/** Limits of a simulation. */
export interface SimulationLimits {
  /** Maximum number of blocks, including those that fill gaps. */
  readonly blocks: number
  readonly callsPerBlock: number
  readonly calls: number
  /** Maximum gas of all calls together. */
  readonly gas: bigint
  /** ms. */
  readonly timeout: number
}

interface SimulationParameters extends Omit<ExecutionLimits, 'timeout'> {
  readonly limits: SimulationLimits
  /** Receives what each call prints with `console.log`. */
  readonly onPrint?: PrintListener | undefined
}

/** An error in the form that `eth_simulateV1` answers: refusals and time-outs have its codes. */
export function simulationFailure(error: unknown): unknown {
  const cause = { cause: error }
  if (error instanceof CallRefusedError) {
    return new DevnetError(error.simulationCode, error.message, cause)
  }
  if (error instanceof ExecutionAbortedError) {
    return new DevnetError(SimulationCode.timeout, error.message, cause)
  }
  return error
}

async function simulateBlocks(
  simulation: Simulation,
  plan: readonly PlannedBlock[],
  base: SimulatedParent,
  ancestors: Ancestors,
): Promise<SimulatedBlock[]> {
  const blocks: SimulatedBlock[] = []
  let parent = base
  for (const planned of plan) {
    const pause = simulation.lease.machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    ancestors.overrides = planned.blockOverrides?.blockHash
    const rules = simulation.engine.schedule.at(planned.number, planned.time)
    if (rules !== simulation.lease.executor.rules) {
      simulation.lease = await simulation.lease.under(rules)
    }
    const block = await simulateBlock(simulation, planned, parent)
    ancestors.simulated.set(planned.number, block.hashBytes)
    blocks.push(block)
    parent = block
  }
  return blocks
}

interface Ancestors {
  readonly simulated: Map<bigint, Uint8Array>
  /** Hash overrides of the block that is being simulated. */
  overrides: ReadonlyMap<bigint, Hex> | undefined
}

/** Largest timestamp: 64 bits. */
const LAST_TIME = 2n ** 64n - 1n

/** Default time between simulated blocks, in s, as in geth and Base; not the seal interval. */
const BLOCK_TIME = 12n

/**
 * Checks the size of a request, before its base block is looked up.
 *
 * @throws {InvalidParamsError} if there is no block to simulate
 * @throws {DevnetError} with the code {@link SimulationCode.clientLimit} if it is too large
 */
export function checkSimulationSize(
  { blockStateCalls }: SimulationPayload,
  limits: SimulationLimits,
): void {
  if (blockStateCalls.length === 0) {
    throw new InvalidParamsError('empty input: blockStateCalls must hold at least one block')
  }
  if (blockStateCalls.length > limits.blocks) throw overLimit('too many blocks')
  let total = 0
  for (const { calls = [] } of blockStateCalls) {
    if (calls.length > limits.callsPerBlock) {
      throw overLimit(`too many calls in block: ${calls.length} > ${limits.callsPerBlock}`)
    }
    total += calls.length
    if (total > limits.calls) throw overLimit(`too many calls: ${total} > ${limits.calls}`)
  }
}

/** Determines number and time of each block, and fills gaps between numbers with empty blocks. */
function planBlocks(
  { blockStateCalls }: SimulationPayload,
  base: BlockHeader,
  limits: SimulationLimits,
): PlannedBlock[] {
  const planned: PlannedBlock[] = []
  let { number, timestamp: time } = base
  const last = base.number + BigInt(limits.blocks)
  for (const block of blockStateCalls) {
    const wanted = block.blockOverrides?.number ?? number + 1n
    if (wanted <= number) {
      throw new DevnetError(
        SimulationCode.blockNumber,
        `block numbers must be in order: ${wanted} <= ${number}`,
      )
    }
    if (wanted > last) throw overLimit('too many blocks')
    for (number += 1n; number < wanted; number++) {
      time = laterTime(time + BLOCK_TIME, time)
      planned.push({ number, time })
    }
    time = laterTime(block.blockOverrides?.time ?? time + BLOCK_TIME, time)
    planned.push({ ...block, number, time })
  }
  return planned
}

/** Returns `time`, or throws if it is not later than `before` or exceeds 64 bits. */
function laterTime(time: bigint, before: bigint): bigint {
  if (time > before && time <= LAST_TIME) return time
  throw new DevnetError(
    SimulationCode.blockTime,
    time <= before
      ? `block timestamps must be in order: ${time} <= ${before}`
      : `block timestamps must fit 64 bits: ${time}`,
  )
}

function overLimit(message: string): DevnetError {
  return new DevnetError(SimulationCode.clientLimit, message)
}
