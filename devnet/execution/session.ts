import type { Engine } from '../engine/engine.ts'
import type { Executor } from '../engine/executor.ts'
import type { BlockHashes, Machine } from '../engine/machine.ts'
import { ExecutionAbortedError } from '../engine/pace.ts'
import { DevnetError } from '../errors.ts'
import type { StateView } from '../state/versionedStore.ts'
import { ExecutionGate } from './executionGate.ts'

/** What calls of one request run on. */
export interface Session {
  readonly executor: Executor
  readonly machine: Machine
}

/** What ends an execution before its time. */
export interface ExecutionLimits {
  /** Ends it when aborted. */
  readonly signal?: AbortSignal | undefined
  /** ms after which it ends; default: never. */
  readonly timeout?: number | undefined
}

/** One for the process, as there is one event loop. */
const gate = new ExecutionGate()

/**
 * Runs `work` on a machine over `state`, which stays readable meanwhile whatever happens to the chain. Nothing of it is
 * committed.
 *
 * @throws {VersionGoneError} where the state is not kept any more
 * @throws {ExecutionAbortedError} where a limit ends it
 */
export async function onMachine<Result>(
  engine: Engine,
  state: StateView,
  blockHashes: BlockHashes,
  limits: ExecutionLimits,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  state.retain()
  try {
    const executor = engine.loaded ?? (await engine.executor())
    const entry = gate.enter()
    const turn = typeof entry === 'number' ? entry : await entry
    try {
      return await run(executor, state, blockHashes, limits, work)
    } finally {
      gate.leave(turn)
    }
  } finally {
    state.release()
  }
}

async function run<Result>(
  executor: Executor,
  state: StateView,
  blockHashes: BlockHashes,
  limits: ExecutionLimits,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (limits.signal?.aborted === true) throw new ExecutionAbortedError('the request was withdrawn')
  const machine = await executor.acquire(state, blockHashes)
  machine.pace.begin(limits)
  const giveBack = () => {
    // The limits are those of this request: whoever has the machine next must not meet them.
    machine.pace.begin()
    executor.release(machine)
  }
  try {
    const result = await work({ executor, machine })
    giveBack()
    return result
  } catch (error) {
    // Errors on purpose come before or after an execution; one in its midst leaves the machine spoilt.
    if (error instanceof DevnetError && !(error instanceof ExecutionAbortedError)) giveBack()
    throw error
  }
}
