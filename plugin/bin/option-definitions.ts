import { type OptionDefinition, optionTable } from '../../devnet/optionTable.ts'
import { type ControlCommand, commonControlOptions, controlCommands } from '../control-commands.ts'

/** How an option is read from the command line. */
export type Reading =
  /** It takes no value. */
  | 'flag'
  /** It takes one value. */
  | 'text'
  /** It takes a value, and may be given again. */
  | 'list'

/** Options by their names in camelCase. */
export type Definitions = Readonly<Record<string, Reading>>

/** The options of the node. */
export const nodeDefinitions: Definitions = Object.fromEntries(
  Object.entries(optionTable).map(([name, { type }]: [string, OptionDefinition]) => [
    name,
    type === 'flag' || type === 'list' ? type : 'text',
  ]),
)

/** The options of a command to a running node. */
export function controlDefinitions(command: ControlCommand): Definitions {
  const options = { ...controlCommands[command].options, ...commonControlOptions }
  return Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, type]))
}
