import { task } from 'hardhat/config'
import { definePlugin } from 'hardhat/plugins'
import { ArgumentType } from 'hardhat/types/arguments'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import type { NewTaskDefinition, NewTaskDefinitionBuilder } from 'hardhat/types/tasks'
import { type OptionDefinition, optionTable, shownDefault } from '../devnet/options/optionTable.ts'
import { commonControlOptions, controlCommands, defaultUrl } from './control-commands.ts'

export type * from '../devnet/types.ts'
export { pendingNode } from './network-config.ts'
export type * from './type-extensions.ts'
export type * from './types.ts'

const json = { name: 'json', description: commonControlOptions.json.description } as const
const url = {
  name: 'url',
  description: `${commonControlOptions.url.description.slice(0, -1)} (default: that of --network, else ${defaultUrl})`,
  type: ArgumentType.STRING_WITHOUT_DEFAULT,
  defaultValue: undefined,
} as const
const { freeze, resume, advance, seal, status } = controlCommands

/**
 * Pre-confirmations for Hardhat: `npx hardhat pending-node`, the tasks that drive its two clocks, and networks of which
 * each connection has a node of its own in this process.
 */
const plugin: HardhatPlugin = definePlugin({
  id: 'hardhat-pending-node',
  hookHandlers: {
    config: () => import('./hooks/config.ts'),
    hre: () => import('./hooks/hre.ts'),
    network: () => import('./hooks/network.ts'),
  },
  tasks: [
    nodeTask(),
    task(['pending-node', 'freeze'], freeze.description)
      .addFlag({ name: 'ticks', description: freeze.options.ticks.description })
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/freeze.ts'))
      .build(),
    task(['pending-node', 'resume'], resume.description)
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/resume.ts'))
      .build(),
    task(['pending-node', 'advance'], advance.description)
      .addOption({
        name: 'ticks',
        description: advance.options.ticks.description,
        type: ArgumentType.STRING_WITHOUT_DEFAULT,
        defaultValue: undefined,
      })
      .addOption({
        name: 'blocks',
        description: advance.options.blocks.description,
        type: ArgumentType.STRING_WITHOUT_DEFAULT,
        defaultValue: undefined,
      })
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/advance.ts'))
      .build(),
    task(['pending-node', 'seal'], seal.description)
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/seal.ts'))
      .build(),
    task(['pending-node', 'status'], status.description)
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/status.ts'))
      .build(),
  ],
})

/** The node's task takes all options as text, because Hardhat's own errors about numbers do not say what would be right. */
function nodeTask(): NewTaskDefinition {
  let builder: NewTaskDefinitionBuilder = task(
    'pending-node',
    'Start a local chain with a pre-confirmed pending state',
  )
  const options: [string, OptionDefinition][] = Object.entries(optionTable)
  for (const [name, option] of options) {
    const { description } = option
    if (option.type === 'flag') builder = builder.addFlag({ name, description })
    else if (hasNoPlainDefault(option)) {
      builder = builder.addOption({
        name,
        description: `${description.slice(0, -1)} (default: ${shownDefault(option)})`,
        type: ArgumentType.STRING_WITHOUT_DEFAULT,
        defaultValue: undefined,
      })
    } else builder = builder.addOption({ name, description, defaultValue: String(option.default) })
  }
  return builder.setAction(() => import('./tasks/pending-node.ts')).build()
}

/** Whether the command line has to tell an option that is left out from one that is given its default. */
function hasNoPlainDefault({ type, defaultText, inGenesis }: OptionDefinition): boolean {
  return defaultText !== undefined || inGenesis === true || type === 'list' || type === 'path'
}

export default plugin
