import type { Engine } from '../../engine/engine.ts'
import type { BlockContext } from '../../engine/types.ts'
import type { Views } from '../../engine/workers/stateReads.ts'
import { createAccessList } from '../../execution/accessList.ts'
import { type CallParameters, call, type PrintListener } from '../../execution/call.ts'
import { estimateGas } from '../../execution/estimate.ts'
import type { ExecutionTarget } from '../../execution/executionTarget.ts'
import type { ExecutionLimits, HeldState } from '../../execution/machineLease.ts'
import { simulate, simulationFailure } from '../../execution/simulate.ts'
import type { SimulatedParent } from '../../execution/simulateBlock.ts'
import type { CallRequest, SimulationLimits, SimulationPayload } from '../../execution/types.ts'
import { formatSimulatedBlock, type SimulationFormat } from '../../json/formatSimulatedBlock.ts'
import { formatTransaction } from '../../json/formatTransaction.ts'
import type { JsonText } from '../../primitives/jsonText.ts'

/** What a task reads of the chain. */
export interface TaskViews extends Views {
  readonly state: HeldState
}

/** Arguments of a task that runs one call. Plain values, so that a thread can be sent them. */
export interface CallArguments
  extends Pick<CallParameters, 'gasCap' | 'stateOverrides' | 'blockOverrides'> {
  /** The block that code sees. */
  readonly block: BlockContext
  readonly request: CallRequest
}

/** Arguments of a simulation, which are plain too. */
export interface SimulationArguments {
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
export interface Task<Arguments, Result> {
  readonly name: TaskName
  run(engine: Engine, views: TaskViews, args: Arguments, limits: TaskLimits): Promise<Result>
  /** Tasks of one kind probably take the same time: those that call the same function. */
  kindOf(args: Arguments): string
  /** The arguments without what they hold beyond their types, which a message would copy. */
  sendable(args: Arguments): Arguments
  /** The error to answer if the task is aborted on its thread. */
  failure(error: unknown): unknown
}

/** Name of a task. */
export type TaskName = 'call' | 'estimateGas' | 'createAccessList' | 'simulate'

function callTask<Result>(
  name: TaskName,
  run: (
    chain: { readonly engine: Engine },
    target: ExecutionTarget,
    request: CallRequest,
    parameters: CallParameters,
  ) => Promise<Result>,
): Task<CallArguments, Result> {
  return {
    name,
    run: (engine, { state, blockHashes }, { block, request, ...parameters }, limits) =>
      run({ engine }, { state, block, blockHashes }, request, { ...parameters, ...limits }),
    kindOf: ({ request }) => `${name} ${calleeOf(request)}`,
    sendable: (args) => ({ ...args, block: plainBlock(args.block) }),
    failure: (error) => error,
  }
}

/** The tasks by name, the same on all threads. */
export const heavyTasks = {
  call: callTask('call', call),
  estimateGas: callTask('estimateGas', estimateGas),
  createAccessList: callTask('createAccessList', createAccessList),
  simulate: simulationTask(),
} as const

/** Answers blocks as `eth_simulateV1` does; from another thread as text. */
function simulationTask(): Task<SimulationArguments, readonly object[] | JsonText> {
  return {
    name: 'simulate',
    async run(engine, views, { parent, payload, limits, errors }, { timeout, ...more }) {
      const left = timeout === undefined ? limits : { ...limits, timeout }
      const parameters = { ...more, limits: left }
      const blocks = await simulate({ engine }, { ...views, parent }, payload, parameters)
      const transaction = payload.returnFullTransactions === true ? formatTransaction : undefined
      return blocks.map((block) => formatSimulatedBlock(block, { errors, transaction }))
    },
    kindOf({ payload: { blockStateCalls } }) {
      const counts = blockStateCalls.map(({ calls = [] }) => calls.length)
      const first = blockStateCalls.find(({ calls = [] }) => calls.length > 0)?.calls?.[0]
      return `simulate ${counts} ${first === undefined ? '' : calleeOf(first)}`
    },
    sendable: ({ parent: { header, hashBytes }, ...args }) => ({
      ...args,
      parent: { header, hashBytes },
    }),
    failure: simulationFailure,
  }
}

/** Characters of 0x and a selector, and as many of init code as tell contracts apart. */
const SELECTOR = 10
const INIT_CODE = 200

function calleeOf({ to, data = '0x' }: CallRequest): string {
  return to === undefined ? data.slice(0, INIT_CODE) : `${to} ${data.slice(0, SELECTOR)}`
}

function plainBlock(block: BlockContext): BlockContext {
  const { number, timestamp, gasLimit, coinbase, prevRandao, difficulty } = block
  const { baseFeePerGas, blobBaseFee } = block
  const fees = { baseFeePerGas, blobBaseFee }
  return { number, timestamp, gasLimit, coinbase, prevRandao, difficulty, ...fees }
}
