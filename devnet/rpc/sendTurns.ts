import type { Chain } from '../chain/chain.ts'

/** The last of those who wait for each other, by chain. */
const turns = new WeakMap<Chain, Promise<void>>()

/** Whether somebody works, or waits, {@link inTurn}. */
export function hasTurns(chain: Chain): boolean {
  return turns.has(chain)
}

/**
 * Runs `work` when all that was given here before has ended: a send in instant mode that is estimated first is sealed before the
 * next begins, so that each is estimated on what the ones before it did, and none overtakes it.
 */
export function inTurn<Result>(chain: Chain, work: () => Promise<Result>): Promise<Result> {
  const result = (turns.get(chain) ?? Promise.resolve()).then(work)
  const end = () => {
    if (turns.get(chain) === ended) turns.delete(chain)
  }
  // A failure is the business of whoever asked.
  const ended = result.then(end, end)
  turns.set(chain, ended)
  return result
}
