import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { Engine } from '../engine/engine.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { BlockHashes } from '../engine/types.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { BlockHeader } from '../protocol/header.ts'
import type { StateReader } from '../state/types.ts'
import type { PrintListener } from './call.ts'
import { CallRefusedError } from './callErrors.ts'
import { type MachineLease, withMachine } from './machineLease.ts'
import { type SimulatedParent, simulateBlock } from './simulateBlock.ts'
import {
  BlockNumberOrderError,
  BlockTimeOrderError,
  EmptySimulationError,
  SimulatedCallError,
  SimulationAbortedError,
  SimulationLimitError,
} from './simulateErrors.ts'
import { formatSimulatedBlock, type SimulationFormat } from './simulateResult.ts'
import type { Simulation } from './simulateTransaction.ts'
import type {
  PlannedBlock,
  SimulatedBlock,
  SimulationLimits,
  SimulationPayload,
} from './simulateTypes.ts'

/** What bounds a simulation, and how its results are shown. */
export interface SimulationParameters {
  readonly limits: SimulationLimits
  readonly format: SimulationFormat
  /** Gets what each call prints with `console.log`. */
  readonly onPrint?: PrintListener | undefined
  /** Ends it when aborted. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Simulates blocks of calls after a block, and commits nothing: `eth_simulateV1`. After the pending block means after the
 * newest sealed one with the pre-confirmed state laid under: the first simulated number is that of the pending block.
 *
 * @param findBase - answers the block, or throws; asked once it is known that the request is small enough
 * @returns one JSON value for each block, those that fill gaps in the numbers included
 * @throws {InvalidParamsError} {@link EmptySimulationError}
 * @throws {SimulationLimitError} where the request is too large
 * @throws {BlockNumberOrderError} where numbers do not rise, {@link BlockTimeOrderError} likewise
 * @throws {SimulatedCallError} where no block could hold a call
 * @throws {SimulationAbortedError} where it takes too long
 */
export async function simulate(
  chain: Chain,
  findBase: () => SealedBlock | PendingView,
  payload: SimulationPayload,
  parameters: SimulationParameters,
): Promise<object[]> {
  const { limits, format, signal } = parameters
  checkSimulationSize(payload, limits)
  const block = findBase()
  const pending = 'environment' in block
  const base = pending ? block.environment.parent : block
  const state = pending ? block.state : chain.store.view(block.version)
  const plan = planBlocks(payload, base.header, limits)
  const ancestors = new Ancestors(chain.blockHashes)
  try {
    const blocks = await withMachine(
      chain.engine,
      rulesOf(plan, chain),
      state,
      ancestors.hashOf,
      { signal, timeout: limits.timeout },
      (lease) =>
        simulateBlocks(
          simulationOf(chain.engine, lease, state, payload, parameters),
          plan,
          base,
          ancestors,
        ),
    )
    return blocks.map((one) => formatSimulatedBlock(one, format))
  } catch (error) {
    if (error instanceof CallRefusedError) throw new SimulatedCallError(error)
    if (error instanceof ExecutionAbortedError) throw new SimulationAbortedError(error)
    throw error
  }
}

function simulationOf(
  engine: Engine,
  lease: MachineLease,
  base: StateReader,
  { validation = false, traceTransfers = false }: SimulationPayload,
  { limits: { gas }, onPrint }: SimulationParameters,
): Simulation {
  return { engine, lease, base, validation, traceTransfers, onPrint, gasLeft: gas }
}

/** Rules of the first block; later ones may have others. */
function rulesOf([first]: readonly PlannedBlock[], { engine }: Chain): ForkRules {
  return first === undefined ? engine.schedule.newest : engine.schedule.at(first.number, first.time)
}

async function simulateBlocks(
  simulation: Simulation,
  plan: readonly PlannedBlock[],
  base: SealedBlock,
  ancestors: Ancestors,
): Promise<SimulatedBlock[]> {
  const blocks: SimulatedBlock[] = []
  let parent: SimulatedParent = base
  const { schedule } = simulation.engine
  for (const planned of plan) {
    const pause = simulation.lease.machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    ancestors.overrides = planned.blockOverrides?.blockHash
    const rules = schedule.at(planned.number, planned.time)
    if (rules !== simulation.lease.executor.rules) {
      simulation.lease = await simulation.lease.under(rules)
    }
    const block = await simulateBlock(simulation, planned, parent)
    ancestors.add(planned.number, block.hashBytes)
    blocks.push(block)
    parent = block
  }
  return blocks
}

/** Hashes of simulated blocks in front of those of the chain, for BLOCKHASH. */
class Ancestors {
  /** What the block that runs overrides. */
  overrides: ReadonlyMap<bigint, Hex> | undefined
  readonly #simulated = new Map<bigint, Uint8Array>()
  readonly #real: BlockHashes

  constructor(real: BlockHashes) {
    this.#real = real
  }

  add(number: bigint, hash: Uint8Array): void {
    this.#simulated.set(number, hash)
  }

  readonly hashOf: BlockHashes = (number) => {
    const override = this.overrides?.get(number)
    if (override !== undefined) return fromHex(override)
    return this.#simulated.get(number) ?? this.#real(number)
  }
}

/** Timestamps have 64 bits. */
const LAST_TIME = 2n ** 64n - 1n

/** Time in s between simulated blocks, whatever the interval of the seals (geth, Base). */
const BLOCK_TIME = 12n

/**
 * Whether a request is small enough to be looked at; comes before the look-up of its base block.
 *
 * @throws {EmptySimulationError}
 * @throws {SimulationLimitError}
 */
export function checkSimulationSize(
  { blockStateCalls }: SimulationPayload,
  limits: SimulationLimits,
): void {
  if (blockStateCalls.length === 0) throw new EmptySimulationError()
  if (blockStateCalls.length > limits.blocks) throw new SimulationLimitError('too many blocks')
  let total = 0
  for (const { calls = [] } of blockStateCalls) {
    if (calls.length > limits.callsPerBlock) {
      throw new SimulationLimitError(
        `too many calls in block: ${calls.length} > ${limits.callsPerBlock}`,
      )
    }
    total += calls.length
    if (total > limits.calls) {
      throw new SimulationLimitError(`too many calls: ${total} > ${limits.calls}`)
    }
  }
}

/**
 * Settles number and time of each block, and fills gaps in the numbers with empty blocks.
 *
 * @param base - the block that the first one follows on
 * @throws {BlockNumberOrderError}
 * @throws {BlockTimeOrderError}
 * @throws {SimulationLimitError}
 */
export function planBlocks(
  { blockStateCalls }: SimulationPayload,
  base: BlockHeader,
  limits: SimulationLimits,
): PlannedBlock[] {
  const planned: PlannedBlock[] = []
  let { number, timestamp: time } = base
  const last = base.number + BigInt(limits.blocks)
  for (const block of blockStateCalls) {
    const wanted = block.blockOverrides?.number ?? number + 1n
    if (wanted <= number) throw new BlockNumberOrderError(wanted, number)
    if (wanted > last) throw new SimulationLimitError('too many blocks')
    for (number += 1n; number < wanted; number++) {
      time = laterTime(time + BLOCK_TIME, time)
      planned.push({ number, time })
    }
    time = laterTime(block.blockOverrides?.time ?? time + BLOCK_TIME, time)
    planned.push({ ...block, number, time })
  }
  return planned
}

/** @throws {BlockTimeOrderError} where `time` is not later than `before`, or no timestamp can hold it */
function laterTime(time: bigint, before: bigint): bigint {
  if (time <= before || time > LAST_TIME) throw new BlockTimeOrderError(time, before)
  return time
}
