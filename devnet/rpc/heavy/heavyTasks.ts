import type { Engine } from '../../engine/engine.ts'
import type { BlockContext } from '../../engine/types.ts'
import type { Views } from '../../engine/workers/stateReads.ts'
import { createAccessList } from '../../execution/accessList.ts'
import { type CallParameters, call, type PrintListener } from '../../execution/call.ts'
import { estimateGas } from '../../execution/estimate.ts'
import type { ExecutionTarget } from '../../execution/executionTarget.ts'
import type { ExecutionLimits, HeldState } from '../../execution/machineLease.ts'
import { simulate } from '../../execution/simulate.ts'
import type { SimulatedParent } from '../../execution/simulateBlock.ts'
import type { CallRequest, SimulationLimits, SimulationPayload } from '../../execution/types.ts'
import { formatSimulatedBlock, type SimulationFormat } from '../../json/formatSimulatedBlock.ts'
import { formatTransaction } from '../../json/formatTransaction.ts'

/** What a task reads of the chain. */
export interface TaskViews extends Views {
  readonly state: HeldState
}

/** Arguments of a task that runs one call. Plain values, so that a thread can be sent them. */
interface CallArguments
  extends Pick<CallParameters, 'gasCap' | 'stateOverrides' | 'blockOverrides'> {
  /** The block that code sees. */
  readonly block: BlockContext
  readonly request: CallRequest
}

/** Arguments of a simulation, which are plain too. */
interface SimulationArguments {
  readonly parent: SimulatedParent
  readonly payload: SimulationPayload
  readonly limits: SimulationLimits
  readonly errors: SimulationFormat['errors']
}

/** Limits of a task, and who hears what it prints. */
export interface TaskLimits extends ExecutionLimits {
  readonly onPrint?: PrintListener | undefined
}

/** Work that begins on the main thread and may move to another one. */
export type Task<Arguments, Result> = (
  engine: Engine,
  views: TaskViews,
  args: Arguments,
  limits: TaskLimits,
) => Promise<Result>

function callTask<Result>(
  run: (
    chain: { readonly engine: Engine },
    target: ExecutionTarget,
    request: CallRequest,
    parameters: CallParameters,
  ) => Promise<Result>,
): Task<CallArguments, Result> {
  return (engine, { state, blockHashes }, { block, request, ...parameters }, limits) =>
    run({ engine }, { state, block, blockHashes }, request, { ...parameters, ...limits })
}

/** The tasks by name, the same on all threads. */
export const heavyTasks = {
  call: callTask(call),
  estimateGas: callTask(estimateGas),
  createAccessList: callTask(createAccessList),
  /** Answers the blocks as `eth_simulateV1` does. */
  simulate: (async (engine, views, { parent, payload, limits, errors }, { timeout, ...more }) => {
    const base = { ...views, parent }
    const left = timeout === undefined ? limits : { ...limits, timeout }
    const blocks = await simulate({ engine }, base, payload, { ...more, limits: left })
    const transaction = payload.returnFullTransactions === true ? formatTransaction : undefined
    return blocks.map((block) => formatSimulatedBlock(block, { errors, transaction }))
  }) satisfies Task<SimulationArguments, object[]>,
} as const

/** A block and a parent may belong to much larger objects, which a message would copy. */
export function sendable(args: TaskArguments<TaskName>): TaskArguments<TaskName> {
  if ('parent' in args) {
    const { header, hashBytes } = args.parent
    return { ...args, parent: { header, hashBytes } }
  }
  const { number, timestamp, gasLimit, baseFeePerGas, coinbase, ...more } = args.block
  const { prevRandao, difficulty, blobBaseFee } = more
  const fees = { baseFeePerGas, blobBaseFee }
  const block = { number, timestamp, gasLimit, coinbase, prevRandao, difficulty, ...fees }
  return { ...args, block }
}

/** Name of a task. */
export type TaskName = keyof typeof heavyTasks

export type TaskArguments<Name extends TaskName> = Parameters<(typeof heavyTasks)[Name]>[2]

export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof heavyTasks)[Name]>>
