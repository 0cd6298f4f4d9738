import type { ExecutionTarget } from '../../execution/executionTarget.ts'
import type { RpcContext } from '../context.ts'
import type { CallArguments } from '../heavy/callTasks.ts'
import type { Task, TaskLimits } from '../heavy/task.ts'

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
