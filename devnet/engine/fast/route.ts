import { warn } from '../../primitives/warn.ts'
import { type ForkRules, isAtLeast } from '../../protocol/forks.ts'
import type { Machine } from '../machine.ts'
import type { FastMachine } from './fastMachine.ts'

/** The engine that executes: ours, as far as it can, or only @ethereumjs/vm. */
export type EngineChoice = 'fast' | 'library'

/** More gas than this the fast engine cannot count. */
const MAX_GAS = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Reason why the library executes this, although the machine has the fast engine; `undefined` if
 * not.
 */
export function whyLibrary(
  { isTraced }: Machine,
  gasLimit: bigint | number,
): 'trace' | 'gas' | undefined {
  if (isTraced) return 'trace'
  return gasLimit > MAX_GAS ? 'gas' : undefined
}

let loading: Promise<typeof FastMachine | undefined> | undefined

/**
 * The fast engine for these rules; `undefined` before Berlin, and if it does not work here, which
 * the log tells once.
 */
export function fastEngine(rules: ForkRules): Promise<typeof FastMachine | undefined> {
  if (!isAtLeast(rules.hardfork, 'berlin')) return Promise.resolve(undefined)
  loading ??= load()
  return loading
}

async function load(): Promise<typeof FastMachine | undefined> {
  const [{ FastMachine }, { selfTestFailure }] = await Promise.all([
    import('./fastMachine.ts'),
    import('./selfTest.ts'),
  ])
  const failure = selfTestFailure()
  if (failure === undefined) return FastMachine
  warn(`the fast engine does not work here, and @ethereumjs/vm executes everything: ${failure}`)
  return undefined
}
