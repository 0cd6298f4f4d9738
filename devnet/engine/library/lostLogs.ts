import type { EVMResult } from '@ethereumjs/evm'
import type { RawLog } from '../../protocol/receipt.ts'
import type { LogEmission } from '../types.ts'
import type { Log } from './evmInternals.ts'

/**
 * Counts the logs of an execution as geth's simulation does: those too that a failed frame takes
 * back. A failed frame leaves a mark in their place among the logs of its caller.
 */
export class LostLogs {
  /** Number of logs that each mark stands for. Marks are told from logs by identity. */
  readonly #marks = new Map<RawLog, number>()

  /**
   * Called before the logs of a frame are added to its caller's.
   *
   * @param transfers - how many logs for transfers the frame takes back besides
   */
  leave({ execResult }: EVMResult, transfers: number): void {
    if (execResult.exceptionError === undefined) return
    // Its result has lost them; its interpreter still has them.
    const lost: readonly RawLog[] = execResult.runState?.interpreter._result.logs ?? []
    const count = lost.reduce((sum, log) => sum + (this.#marks.get(log) ?? 1), transfers)
    if (count === 0) return
    const mark: Log = [new Uint8Array(20), [], new Uint8Array()]
    this.#marks.set(mark, count)
    execResult.logs = [mark]
  }

  kept(logs: readonly RawLog[]): readonly RawLog[] {
    return this.#marks.size === 0 ? logs : logs.filter((log) => !this.#marks.has(log))
  }

  emission(logs: readonly RawLog[]): LogEmission {
    const positions: number[] = []
    let total = 0
    for (const log of logs) {
      const lost = this.#marks.get(log)
      if (lost === undefined) positions.push(total)
      total += lost ?? 1
    }
    return { positions, total }
  }
}
