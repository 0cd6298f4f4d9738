import { EVMError, type PrecompileFunc } from '@ethereumjs/evm'
import type { Pace } from './pace.ts'
import { PrecompileThread, PrecompileThreadError } from './precompileThread.ts'
import { precompileWeight, weightyPrecompiles } from './precompileWeight.ts'

/** ms that a precompile may hold the event loop: starting a thread for less takes longer than the work. */
const HEAVY = 60

/** Below this much gas no precompile can be at work for that long. */
const HEAVY_GAS = 100_000n

/** One of each for the process: a tick does not wait for what calls are doing. */
const threads = { calls: new PrecompileThread(), ticks: new PrecompileThread() }

/**
 * Lets precompiles do their long work on another thread. They know no place to pause: 50 M gas of BLAKE2F or of pairings
 * would hold the event loop, and with it ticks and the limits of calls, for ten seconds and more.
 */
export function offloadPrecompiles(
  precompiles: Map<string, PrecompileFunc>,
  rules: { readonly chainId: number; readonly hardfork: string },
  pace: Pace,
): void {
  for (const address of weightyPrecompiles) {
    const stock = precompiles.get(address)
    if (stock !== undefined) precompiles.set(address, offloaded(address, stock, rules, pace))
  }
}

function offloaded(
  address: string,
  stock: PrecompileFunc,
  { chainId, hardfork }: Parameters<typeof offloadPrecompiles>[1],
  pace: Pace,
): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit } = input
    if (gasLimit < HEAVY_GAS || precompileWeight(address, data) < HEAVY) return stock(input)
    const job = { chainId, hardfork, address, data, gasLimit }
    const thread = pace.isUrgent ? threads.ticks : threads.calls
    try {
      const result = await pace.elsewhere((signal) => thread.run(job, signal))
      const { returnValue, executionGasUsed, error } = result
      return error === undefined
        ? { returnValue, executionGasUsed }
        : { returnValue, executionGasUsed, exceptionError: new EVMError(error) }
    } catch (error) {
      if (error instanceof PrecompileThreadError) return stock(input)
      throw error
    }
  }
}
