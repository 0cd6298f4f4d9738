import { estimateGas } from '../execution/estimate.ts'
import { executionTarget } from '../execution/target.ts'
import type { CallRequest } from '../execution/types.ts'
import type { RpcContext } from './context.ts'
import { defaultAccount } from './unlockedAccounts.ts'

/**
 * The gas for a transaction that is to be sealed at once, in the block that would be sealed now.
 *
 * @throws {ExecutionRevertedError} {@link ExecutionHaltedError}, {@link CallRefusedError}, {@link GasAllowanceError} as
 *   `eth_estimateGas`
 * @throws {NoAccountError}
 */
export async function estimateSend(
  context: RpcContext,
  request: CallRequest,
  signal: AbortSignal,
): Promise<bigint> {
  const { chain, clocks, options } = context
  await clocks.refresh()
  const from = request.from ?? defaultAccount(context)
  return estimateGas(
    chain,
    executionTarget(chain, chain.pending),
    { ...request, from },
    {
      gasCap: BigInt(options.callGasLimit),
      timeout: options.simulateTimeout,
      signal,
      onPrint: (printed, call) => context.observer.printed('eth_sendTransaction', call, printed),
    },
  )
}
