import type { SealedBlock } from '../chain/block.ts'
import { fromHex } from '../chain/bytes.ts'
import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { Engine } from '../engine/engine.ts'
import type { ForkRules } from '../engine/forks.ts'
import type { BlockHashes } from '../engine/machine.ts'
import { ExecutionAbortedError } from '../engine/pace.ts'
import type { StateReader } from '../state/types.ts'
import type { Hex } from '../types.ts'
import type { PrintListener } from './call.ts'
import { CallRefusedError } from './callErrors.ts'
import { onMachine, type Session } from './session.ts'
import { type SimulatedParent, simulateBlock } from './simulateBlock.ts'
import { checkSimulationSize, planBlocks } from './simulateChain.ts'
import { SimulatedCallError, SimulationAbortedError } from './simulateErrors.ts'
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
    const blocks = await onMachine(
      chain.engine,
      rulesOf(plan, chain),
      state,
      ancestors.hashOf,
      { signal, timeout: limits.timeout },
      (session) =>
        simulateBlocks(
          simulationOf(chain.engine, session, state, payload, parameters),
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
  session: Session,
  base: StateReader,
  { validation = false, traceTransfers = false }: SimulationPayload,
  { limits: { gas }, onPrint }: SimulationParameters,
): Simulation {
  return { engine, session, base, validation, traceTransfers, onPrint, gasLeft: gas }
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
    const pause = simulation.session.machine.pace.breathe()
    if (pause !== undefined) await pause
    ancestors.overrides = planned.blockOverrides?.blockHash
    const rules = schedule.at(planned.number, planned.time)
    if (rules !== simulation.session.executor.rules) {
      simulation.session = await simulation.session.under(rules)
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
