import { accountOptions } from './groups/accountOptions.ts'
import { chainOptions } from './groups/chainOptions.ts'
import { clockOptions } from './groups/clockOptions.ts'
import { forkOptions } from './groups/forkOptions.ts'
import { limitOptions } from './groups/limitOptions.ts'
import { outputOptions } from './groups/outputOptions.ts'
import { serverOptions, walletOptions } from './groups/serverOptions.ts'
import { stateOptions } from './groups/stateOptions.ts'
import type { OptionDefinition, ValueDefinition } from './optionDefinition.ts'

/** The options by group, in the order of their headings in the documents. */
export const optionGroups = {
  clocks: clockOptions,
  chain: chainOptions,
  fork: forkOptions,
  state: stateOptions,
  accounts: accountOptions,
  server: serverOptions,
  wallet: walletOptions,
  limits: limitOptions,
  output: outputOptions,
} as const

/**
 * Every option of `createDevnet` and of `npx hardhat pending-node`. The types, the checks, the
 * command line and the tables in the documentation come from here. Hardhat loads this module at
 * every start, so it imports almost nothing.
 */
export const optionTable = {
  ...clockOptions,
  ...chainOptions,
  ...forkOptions,
  ...stateOptions,
  ...accountOptions,
  ...serverOptions,
  ...walletOptions,
  ...limitOptions,
  ...outputOptions,
} as const satisfies Record<string, OptionDefinition>

export type OptionName = keyof typeof optionTable

/** A network whose pre-confirmations the node can show. */
export type ProfileName = (typeof optionTable.profile.choices)[number]

/** The second spellings: of which option each is and, if it is a flag, for which value. */
export const secondSpellings: ReadonlyMap<string, { name: string; value?: string }> = new Map(
  Object.entries<OptionDefinition>(optionTable).flatMap(([name, { alias, shorthand }]) => [
    ...(alias === undefined ? [] : [[alias, { name }] as const]),
    ...(shorthand === undefined ? [] : [[shorthand.flag, { name, ...shorthand }] as const]),
  ]),
)

/** The default in the documentation: `defaultText`, or the value as a user would type it. */
export function shownDefault(definition: ValueDefinition): string {
  const { type, default: value = type === 'flag' ? false : undefined, defaultText } = definition
  if (defaultText !== undefined) return defaultText
  return type === 'list' || value === undefined ? 'none' : String(value)
}
