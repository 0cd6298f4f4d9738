import type { Engine } from '../engine/engine.ts'
import type { Executor } from '../engine/executor.ts'
import type { Machine } from '../engine/machine.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { BlockHashes } from '../engine/types.ts'
import { DevnetError } from '../primitives/errors.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { StateView } from '../state/store/versionedStore.ts'
import type { StateReader } from '../state/types.ts'

/** Executions that run side by side in one turn of the event loop: as many as there are idle machines. */
const SIDE_BY_SIDE = 8

/** ms that the executions which begin in one turn may take together before the event loop has to turn. */
const SLICE = 5

/**
 * Lets executions begin. Short ones never reach a place where they pause, so a thousand at once would hold the event loop
 * until the last is done, on a thousand machines. A long one counts only in the turn that it begins in: it pauses by
 * itself, and short ones go on beside it.
 */
export class ExecutionGate {
  /** Number of the turn of the event loop, as far as executions began in it. */
  #turn = 0
  #isOpen = false
  #began = 0
  #running = 0
  readonly #waiting: ((turn: number) => void)[] = []

  /** Answers the turn that the execution belongs to, for {@link leave}; a promise of it where it has to wait. */
  enter(): number | Promise<number> {
    if (!this.#isOpen) this.#open()
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#running++
      return this.#turn
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** An execution is over. */
  leave(turn: number): void {
    if (turn !== this.#turn) return
    this.#running--
    this.#admit()
  }

  #open(): void {
    this.#turn++
    this.#isOpen = true
    this.#running = 0
    this.#began = performance.now()
    setImmediate(() => {
      this.#isOpen = false
      if (this.#waiting.length === 0) return
      this.#open()
      this.#admit()
    })
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#running++
      this.#waiting.shift()?.(this.#turn)
    }
  }

  #hasRoom(): boolean {
    return this.#running < SIDE_BY_SIDE && performance.now() - this.#began < SLICE
  }
}

/** What calls of one request run on. */
export interface MachineLease {
  readonly executor: Executor
  readonly machine: Machine
  /** Goes on under other rules: on another machine, over what this one has changed; it must not run any more. */
  under(rules: ForkRules): Promise<MachineLease>
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
 * @param rules - of the block that it runs in
 * @throws {VersionGoneError} where the state is not kept any more
 * @throws {ExecutionAbortedError} where a limit ends it
 */
export async function withMachine<Result>(
  engine: Engine,
  rules: ForkRules,
  state: StateView,
  blockHashes: BlockHashes,
  limits: ExecutionLimits,
  work: (lease: MachineLease) => Promise<Result>,
): Promise<Result> {
  state.retain()
  try {
    const executor = engine.loaded(rules) ?? (await engine.executor(rules))
    const entry = gate.enter()
    const turn = typeof entry === 'number' ? entry : await entry
    try {
      return await run(engine, executor, { state, blockHashes, limits }, work)
    } finally {
      gate.leave(turn)
    }
  } finally {
    state.release()
  }
}

/** What a machine is set up with. */
interface Setting {
  readonly state: StateReader
  readonly blockHashes: BlockHashes
  readonly limits: ExecutionLimits
}

async function run<Result>(
  engine: Engine,
  executor: Executor,
  setting: Setting,
  work: (lease: MachineLease) => Promise<Result>,
): Promise<Result> {
  const { signal, timeout } = setting.limits
  if (signal?.aborted === true) throw new ExecutionAbortedError('the request was withdrawn')
  const deadline = timeout === undefined ? undefined : performance.now() + timeout
  const used: MachineLease[] = []
  const open = async (executor: Executor, state: StateReader): Promise<MachineLease> => {
    const machine = await executor.acquire(state, setting.blockHashes)
    const left = deadline === undefined ? undefined : deadline - performance.now()
    machine.scheduler.begin({ signal, timeout: left })
    const lease: MachineLease = {
      executor,
      machine,
      under: async (rules) => open(await engine.executor(rules), machine.overlay),
    }
    used.push(lease)
    return lease
  }
  const giveBack = () => {
    for (const { executor, machine } of used) {
      // The limits are those of this request: whoever has the machine next must not meet them.
      machine.scheduler.begin()
      executor.release(machine)
    }
  }
  try {
    const result = await work(await open(executor, setting.state))
    giveBack()
    return result
  } catch (error) {
    // Errors on purpose come before or after an execution; one in its midst leaves the machine spoilt.
    if (error instanceof DevnetError && !(error instanceof ExecutionAbortedError)) giveBack()
    throw error
  }
}
