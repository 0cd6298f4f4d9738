import type { Engine } from '../../engine/engine.ts'
import type { Views } from '../../engine/workers/stateReads.ts'
import type { PrintListener } from '../../execution/call.ts'
import type { ExecutionLimits, HeldState } from '../../execution/machineLease.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import type { ForkRules } from '../../protocol/forks.ts'

/** The parts of the chain that a task reads. */
export interface TaskViews extends Views {
  readonly state: HeldState
  /** Rules of a call. Default: those that the chain has now for its block */
  readonly rules?: ForkRules | undefined
}

/** Limits of a task, and who hears what it prints. */
export interface TaskLimits extends ExecutionLimits {
  readonly onPrint?: PrintListener | undefined
}

/** Work that begins on the main thread and may move to another one. */
export interface Task<Arguments, Result> {
  readonly name: TaskName
  run(engine: Engine, views: TaskViews, args: Arguments, limits: TaskLimits): Promise<Result>
  /** Tasks of one kind probably take the same time: those that call the same function. */
  kindOf(args: Arguments): string
  /** The arguments with only the fields of their types: a message would copy all others, too. */
  sendable(args: Arguments): Arguments
  /** The error to answer if the task is aborted on its thread. */
  failure(error: unknown): unknown
}

export type TaskName = 'call' | 'estimateGas' | 'createAccessList' | 'simulate'

/** Characters of 0x and a selector, and as many of init code, enough to tell contracts apart. */
const SELECTOR = 10
const INIT_CODE = 200

/** The common part of calls that probably take equally long. */
export function calleeOf({ to, data = '0x' }: CallRequest): string {
  return to === undefined ? data.slice(0, INIT_CODE) : `${to} ${data.slice(0, SELECTOR)}`
}
