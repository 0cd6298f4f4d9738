import { overrideTask, task } from 'hardhat/config'
import { definePlugin } from 'hardhat/plugins'
import { ArgumentType } from 'hardhat/types/arguments'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import type {
  NewTaskActionFunction,
  NewTaskDefinition,
  NewTaskDefinitionBuilder,
} from 'hardhat/types/tasks'
import type { OptionDefinition } from '../devnet/options/optionDefinition.ts'
import { optionTable, shownDefault } from '../devnet/options/optionTable.ts'
import {
  COMMON_OPTIONS,
  CONTROL_COMMANDS,
  type Command,
  type ControlOption,
  commandNames,
  DEFAULT_URL,
} from './tasks/control-commands.ts'

export type * from '../devnet/index.ts'
export { pendingNode } from './network-config.ts'
export type * from './type-extensions.ts'
export type * from './types.ts'

/** `npx hardhat node --network pending`: a node with the options of the network. */
const hardhatNode = overrideTask('node')
  .setAction(async () => ({ default: (await import('./tasks/network-node.ts')).runNetworkNode }))
  .build()

/**
 * Pre-confirmations for Hardhat: `npx hardhat pending-node`, the tasks that control its two clocks,
 * and networks that give each connection a node of its own in this process.
 */
const plugin: HardhatPlugin = definePlugin({
  id: 'hardhat-pending-node',
  hookHandlers: {
    config: () => import('./hooks/config.ts'),
    hre: () => import('./hooks/hre.ts'),
    network: () => import('./hooks/network.ts'),
    solidity: () => import('./hooks/solidity.ts'),
  },
  tasks: [nodeTask(), ...commandNames.map(controlTask), hardhatNode],
})

export default plugin

/** An option of a Hardhat task. */
interface TaskOption {
  readonly name: string
  readonly description: string
  /** `false` for a flag; `undefined` if omitting the option differs from giving its default. */
  readonly defaultValue: string | false | undefined
}

/** `npx hardhat pending-node`: starts a node. */
function nodeTask(): NewTaskDefinition {
  return define('pending-node', {
    description:
      'Start a local chain with a pre-confirmed pending state (npx pending-node --help has the options in groups)',
    options: Object.entries<OptionDefinition>(optionTable).flatMap(([name, option]) => {
      const { alias, shorthand } = option
      const spellings = alias === undefined ? [name] : [name, alias]
      const options = spellings.map((spelling) => nodeOption(spelling, option))
      if (shorthand === undefined) return options
      const { flag, description } = shorthand
      return [...options, { name: flag, description, defaultValue: false as const }]
    }),
    loadAction: async () => (await import('./tasks/run-node.ts')).runNodeTask,
  })
}

/** `npx hardhat pending-node freeze` and the like: each sends one command to a running node. */
function controlTask(command: Command): NewTaskDefinition {
  const { options, ...rest } = CONTROL_COMMANDS[command]
  const { url, json } = COMMON_OPTIONS
  const urlDescription = withDefault(url.description, `that of --network, else ${DEFAULT_URL}`)
  const all = { ...options, url: { ...url, description: urlDescription }, json }
  return define(['pending-node', command], {
    ...rest,
    options: Object.entries(all).map(controlOption),
    async loadAction() {
      if (command === 'report') return (await import('./tasks/report-task.ts')).reportTask
      if (command === 'conformance') {
        return (await import('./tasks/conformance-task.ts')).runConformanceTask
      }
      const { runControlTask } = await import('./tasks/control-task.ts')
      return (args, project) => runControlTask(command, args, { project })
    },
  })
}

interface TaskParts {
  readonly description: string
  /** A word behind the name of the task. Default: none */
  readonly argument?: { readonly name: string; readonly description: string }
  readonly options: readonly TaskOption[]
  loadAction(): Promise<NewTaskActionFunction>
}

function define(
  id: string | string[],
  { description, argument, options, loadAction }: TaskParts,
): NewTaskDefinition {
  let builder: NewTaskDefinitionBuilder = task(id, description)
  for (const { defaultValue, ...option } of options) {
    if (defaultValue === false) builder = builder.addFlag(option)
    else if (defaultValue !== undefined) builder = builder.addOption({ ...option, defaultValue })
    else {
      const type = ArgumentType.STRING_WITHOUT_DEFAULT
      builder = builder.addOption({ ...option, type, defaultValue })
    }
  }
  if (argument !== undefined) {
    const type = ArgumentType.STRING_WITHOUT_DEFAULT
    builder = builder.addPositionalArgument({ ...argument, type, defaultValue: undefined })
  }
  return builder.setAction(async () => ({ default: await loadAction() })).build()
}

/** All values are read as text, because Hardhat's errors for numbers do not say what is valid. */
function nodeOption(name: string, option: OptionDefinition): TaskOption {
  const { type, description, defaultText, inGenesis, alias } = option
  if (type === 'flag') return { name, description, defaultValue: false }
  const isElsewhere = inGenesis === true || 'secret' in option
  const isOptional = isElsewhere || alias !== undefined || type === 'list' || type === 'path'
  if (defaultText === undefined && !isOptional) {
    return { name, description, defaultValue: String(option.default) }
  }
  return {
    name,
    description: withDefault(description, shownDefault(option)),
    defaultValue: undefined,
  }
}

function controlOption([name, { type, description }]: [string, ControlOption]): TaskOption {
  return { name, description, defaultValue: type === 'flag' ? false : undefined }
}

/** Adds a default to a description, in place of its full stop. */
function withDefault(description: string, text: string): string {
  return `${description.slice(0, -1)} (default: ${text})`
}
