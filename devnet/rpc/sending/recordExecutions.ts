import type { Chain } from '../../chain/chain.ts'
import type { Execution } from '../../engine/types.ts'
import type { Hex } from '../../primitives/hex.ts'

/**
 * Calls `run` with a map, by transaction hash, that fills with the executions of the ticks during
 * `run`. Return data is not stored: only the report of the tick has it.
 */
export async function recordExecutions<Result>(
  chain: Chain,
  run: (executions: ReadonlyMap<Hex, Execution>) => Promise<Result>,
): Promise<Result> {
  const recorded = new Map<Hex, Execution>()
  const stopListening = chain.onTick(({ executed, executions }) => {
    for (const [index, { transaction }] of executed.entries()) {
      const execution = executions[index]
      if (execution !== undefined) recorded.set(transaction.hash, execution)
    }
  })
  try {
    return await run(recorded)
  } finally {
    stopListening()
  }
}
