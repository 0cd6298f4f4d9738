import { constants, getPriority, setPriority } from 'node:os'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { ConsoleCalls } from '../../engine/consoleCalls.ts'
import { useCompiledCore } from '../../engine/core/coreModule.ts'
import { loadInterruptibleCrypto } from '../../engine/crypto.ts'
import { Engine } from '../../engine/engine.ts'
import type { BlockHashes } from '../../engine/types.ts'
import { type Ask, remoteStates } from '../../engine/workers/remoteState.ts'
import type { Answers, Read } from '../../engine/workers/stateReads.ts'
import type { ThreadMessage } from '../../engine/workers/threadPool.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import { DevnetError, type ErrorBody } from '../../primitives/errors.ts'
import { ForkSchedule } from '../../protocol/forkSchedule.ts'
import { type ForkRules, sharedRules } from '../../protocol/forks.ts'
import { Codes } from '../../state/codes.ts'
import type { Version } from '../../state/types.ts'
import { callTasks } from './callTasks.ts'
import { simulationTask } from './simulationTask.ts'
import type { Task, TaskLimits, TaskName } from './task.ts'

export interface HeavyWorkerData {
  readonly bell: SharedArrayBuffer
  readonly module: WebAssembly.Module | undefined
  readonly forks: Forks
}

/** The fields of a chain's schedule, as a message brings them. */
type Forks = Pick<ForkSchedule, 'first' | 'changes'>

export interface HeavyJob {
  readonly name: TaskName
  /** Of the task with this name. */
  readonly args: unknown
  /** The chain's schedule when the task began. */
  readonly forks: Forks
  /** See {@link TaskViews.rules}. */
  readonly rules: ForkRules | undefined
  /** The version of the state that it reads, and the number of its store. */
  readonly version: Version
  readonly store: number
}

export type HeavyOutcome = (
  | { readonly value: unknown }
  /** JSON text of the result, for which the main thread has no other use. */
  | { readonly text: string }
  | { readonly error: ErrorBody & Pick<DevnetError, 'name' | 'isRejection'> }
) & {
  /** ms. */
  readonly elapsed: number
}

export interface Printed {
  readonly printed: ConsoleCalls
  readonly request: CallRequest
}

/** The name decides the type of a task's arguments. */
const tasks: Readonly<Record<TaskName, Pick<Task<never, unknown>, 'run'>>> = {
  ...callTasks,
  simulate: simulationTask,
}

if (parentPort === null) throw new Error('This file is the entry of a worker thread')
const port = parentPort

// `workerData` is untyped: it is what heavyThreads.ts gives.
const { bell: memory, module, forks } = workerData as HeavyWorkerData
const bell = new Int32Array(memory)

function post(message: ThreadMessage<HeavyOutcome, Read, Printed>): void {
  port.postMessage(message)
}

const ask: Ask = (question) => {
  Atomics.store(bell, 0, 0)
  post({ kind: 'question', question })
  // A late ring of the previous answer can end the wait too early, so look at the number again.
  while (Atomics.load(bell, 0) === 0) Atomics.wait(bell, 0, 0)
  // The main thread posts the answer of the right kind before it rings.
  return receiveMessageOnPort(port)?.message as Answers[typeof question.kind]
}

/**
 * Priority of this thread below the main one. If both want one core, it gets a quarter of it: ticks
 * and light requests begin at once, and calls still end in time.
 */
const NICENESS = 5

/** Only on Linux: elsewhere the whole process would give way, as threads have no priorities. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW))
  } catch {
    // A sandbox may forbid it; then all threads have the same priority, as on other systems.
  }
}

/** Block hashes, each of which is asked for once. */
function remoteHashes(): BlockHashes {
  const known = new Map<bigint, Uint8Array>()
  return (number) => {
    const hash = known.get(number) ?? ask<'blockHash'>({ kind: 'blockHash', number })
    known.set(number, hash)
    return hash
  }
}

/** The schedule of the main thread, of rules that this thread shares. */
function scheduleOf({ first, changes }: Forks): ForkSchedule {
  const own = changes.map((step) => ({ ...step, rules: sharedRules(step.rules) }))
  return new ForkSchedule(sharedRules(first), own)
}

giveWay()
useCompiledCore(module)
const engine = await Engine.create({
  chainId: forks.first.chainId,
  schedule: scheduleOf(forks),
  codes: (keccak256) => new Codes(keccak256),
  // Interruptible, because this thread is terminated when a result is no longer needed.
  crypto: await loadInterruptibleCrypto(),
})
const stateAt = remoteStates(ask, engine.codes)

async function run(job: HeavyJob): Promise<HeavyOutcome> {
  const began = performance.now()
  engine.setSchedule(scheduleOf(job.forks))
  const rules = job.rules && sharedRules(job.rules)
  const views = { state: stateAt(job), blockHashes: remoteHashes(), rules }
  // The main thread ends the job in time, so nothing here has to look at the clock.
  const limits: TaskLimits = {
    isAlone: true,
    onPrint: (printed, request) => {
      if (printed !== undefined) post({ kind: 'note', note: { printed, request } })
    },
  }
  try {
    // The main thread sends the arguments of the task that it names.
    const value = await tasks[job.name].run(engine, views, job.args as never, limits)
    const result = job.name === 'simulate' ? { text: JSON.stringify(value) } : { value }
    return { ...result, elapsed: performance.now() - began }
  } catch (error) {
    // An internal error ends this thread. The main thread then runs the task itself.
    if (!(error instanceof DevnetError)) throw error
    const { name, code, message, data, isRejection } = error
    return { error: { name, code, message, data, isRejection }, elapsed: performance.now() - began }
  }
}

port.on('message', async (job: HeavyJob) => post({ kind: 'done', result: await run(job) }))
// Loads what executes: the first job need not wait for it.
const executor = await engine.executor()
executor.release(await executor.acquire(stateAt({ store: 0, version: 0 }), remoteHashes()))
post({ kind: 'ready' })
