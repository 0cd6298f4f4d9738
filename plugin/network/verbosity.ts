import type { HookContext } from 'hardhat/types/hooks'

type Context = Pick<HookContext, 'globalOptions'>

/** True if Hardhat prints the trees of calls that fail: from `-vvv` on. */
export function printsFailures({ globalOptions }: Context): boolean {
  return globalOptions.verbosity >= 3
}

/** True if Hardhat prints the trees of all calls and transactions: from `-vvvv` on. */
export function printsAll({ globalOptions }: Context): boolean {
  return globalOptions.verbosity >= 4
}
