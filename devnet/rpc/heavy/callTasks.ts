import type { Engine } from '../../engine/engine.ts'
import { createAccessList } from '../../execution/accessList.ts'
import { type CallParameters, call } from '../../execution/call.ts'
import { estimateGas } from '../../execution/estimate.ts'
import type { ExecutionTarget } from '../../execution/executionTarget.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import type { BlockContext } from '../../protocol/blockContext.ts'
import type { RpcContext } from '../context.ts'
import { calleeOf, type Task, type TaskLimits, type TaskName } from './task.ts'

/** Arguments of a task that runs one call. Plain values, so that a thread can be sent them. */
interface CallArguments
  extends Pick<CallParameters, 'gasCap' | 'stateOverrides' | 'blockOverrides' | 'likeHardhat'> {
  /** The block that code sees. */
  readonly block: BlockContext
  readonly request: CallRequest
}

/** Tasks that run one call, apart from simulations: fewer requests need what those load. */
export const callTasks = {
  call: callTask('call', call),
  estimateGas: callTask('estimateGas', estimateGas),
  createAccessList: callTask('createAccessList', createAccessList),
} as const

/** Runs one call under the limits of the options. @throws {DevnetError} as the task does */
export function runCall<Result>(
  { heavy, options }: Pick<RpcContext, 'heavy' | 'options'>,
  task: Task<CallArguments, Result>,
  target: ExecutionTarget,
  call: Pick<CallArguments, 'request' | 'stateOverrides' | 'blockOverrides'>,
  limits: Omit<TaskLimits, 'timeout'>,
): Promise<Result> {
  const { callGasLimit, likeHardhat, simulateTimeout: timeout } = options
  const gasCap = BigInt(callGasLimit)
  const args = { ...call, block: target.block, gasCap, likeHardhat }
  return heavy.run(task, target, args, { ...limits, timeout })
}

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
    run(engine, { state, blockHashes, rules }, { block, request, ...parameters }, limits) {
      const now = () => engine.schedule.at(block.number, block.timestamp)
      const target = { state, block, blockHashes, rules: rules ?? now() }
      return run({ engine }, target, request, { ...parameters, ...limits })
    },
    kindOf: ({ request }) => `${name} ${calleeOf(request)}`,
    sendable: (args) => ({ ...args, block: plainBlock(args.block) }),
    failure: (error) => error,
  }
}

function plainBlock(block: BlockContext): BlockContext {
  const { number, timestamp, gasLimit, coinbase, prevRandao, difficulty } = block
  const { baseFeePerGas, blobBaseFee, slotNumber } = block
  const rest = { baseFeePerGas, blobBaseFee, slotNumber }
  return { number, timestamp, gasLimit, coinbase, prevRandao, difficulty, ...rest }
}
