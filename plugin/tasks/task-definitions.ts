import { task } from 'hardhat/config'
import { ArgumentType } from 'hardhat/types/arguments'
import type {
  NewTaskActionFunction,
  NewTaskDefinition,
  NewTaskDefinitionBuilder,
} from 'hardhat/types/tasks'
import { type OptionDefinition, optionTable, shownDefault } from '../../devnet/pluginApi.ts'
import {
  COMMON_OPTIONS,
  CONTROL_COMMANDS,
  type ControlOption,
  commandNames,
  DEFAULT_URL,
} from './control-commands.ts'

/** An option of a task of Hardhat. */
interface TaskOption {
  readonly name: string
  readonly description: string
  /** `false` for a flag; `undefined` if an omitted option is not the same as its default. */
  readonly defaultValue: string | false | undefined
}

/** `npx hardhat pending-node`: starts a node. */
export const nodeTask: NewTaskDefinition = define(
  'pending-node',
  'Start a local chain with a pre-confirmed pending state',
  Object.entries(optionTable).map(([name, option]) => nodeOption(name, option)),
  async () => (await import('./run-node.ts')).runNodeTask,
)

/** `npx hardhat pending-node freeze` and the like: each sends one command to a running node. */
export const controlTasks: readonly NewTaskDefinition[] = commandNames.map((command) => {
  const { description, options } = CONTROL_COMMANDS[command]
  const url = {
    name: 'url',
    description: withDefault(
      COMMON_OPTIONS.url.description,
      `that of --network, else ${DEFAULT_URL}`,
    ),
    defaultValue: undefined,
  }
  return define(
    ['pending-node', command],
    description,
    [
      ...Object.entries(options).map(controlOption),
      url,
      controlOption(['json', COMMON_OPTIONS.json]),
    ],
    async () => {
      const { runControlTask } = await import('./control-task.ts')
      return (args, project) => runControlTask(command, args, { project })
    },
  )
})

function define(
  id: string | string[],
  description: string,
  options: readonly TaskOption[],
  loadAction: () => Promise<NewTaskActionFunction>,
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
  return builder.setAction(async () => ({ default: await loadAction() })).build()
}

/** All values are text: Hardhat's own errors about numbers do not say what is allowed. */
function nodeOption(name: string, option: OptionDefinition): TaskOption {
  const { type, description, defaultText, inGenesis } = option
  if (type === 'flag') return { name, description, defaultValue: false }
  if (defaultText === undefined && inGenesis !== true && type !== 'list' && type !== 'path') {
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

/** A sentence with a default in place of its full stop. */
function withDefault(description: string, text: string): string {
  return `${description.slice(0, -1)} (default: ${text})`
}
