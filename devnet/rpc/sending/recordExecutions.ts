import type { Chain } from '../../chain/chain.ts'
import type { Execution } from '../../engine/types.ts'
import type { Hex } from '../../primitives/hex.ts'

/**
 * Calls `run` with a map, by transaction hash, to which each tick during `run` adds its executions.
 * The return data of a transaction is only in the report of its tick, not in the chain.
 */
export async function recordExecutions<Result>(
  chain: Chain,
  run: (executions: ReadonlyMap<Hex, Execution>) => Promise<Result>,
): Promise<Result> {
  const recorded = new Map<Hex, Execution>()
  const stopListening = chain.events.ticked.add(({ executed, executions }) => {
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
