import type { HookContext } from 'hardhat/types/hooks'

type Context = Pick<HookContext, 'globalOptions'>

/** Whether Hardhat prints the trees of calls that fail: from `-vvv` on. */
export function printsFailures({ globalOptions }: Context): boolean {
  return globalOptions.verbosity >= 3
}

/** Whether Hardhat prints the trees of all calls and transactions: from `-vvvv` on. */
export function printsAll({ globalOptions }: Context): boolean {
  return globalOptions.verbosity >= 4
}
