import { task } from 'hardhat/config'
import { definePlugin } from 'hardhat/plugins'
import { ArgumentType } from 'hardhat/types/arguments'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import type { NewTaskDefinition, NewTaskDefinitionBuilder } from 'hardhat/types/tasks'
import { type OptionDefinition, optionTable } from '../devnet/optionTable.ts'

export type * from '../devnet/types.ts'

const json = { name: 'json', description: 'Print the status as JSON, for scripts.' } as const
const url = {
  name: 'url',
  description: 'Address of the node.',
  type: ArgumentType.STRING,
  defaultValue: 'http://127.0.0.1:8545',
} as const

/** Pre-confirmations for Hardhat: `npx hardhat pending-node`, and the tasks that drive its two clocks. */
const plugin: HardhatPlugin = definePlugin({
  id: 'hardhat-pending-node',
  tasks: [
    pendingNode(),
    task(
      ['pending-node', 'freeze'],
      'Stop sealing: transactions are pre-confirmed and stay unsealed',
    )
      .addFlag({ name: 'ticks', description: 'Stop the ticks too.' })
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/freeze.ts'))
      .build(),
    task(['pending-node', 'resume'], 'Start both clocks again, from where they stood')
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/resume.ts'))
      .build(),
    task(['pending-node', 'advance'], 'Move time on by ticks or by blocks')
      .addOption({
        name: 'ticks',
        description: 'Ticks to run, each after one tick interval.',
        type: ArgumentType.STRING_WITHOUT_DEFAULT,
        defaultValue: undefined,
      })
      .addOption({
        name: 'blocks',
        description: 'Blocks to seal, each after one seal interval and a tick.',
        type: ArgumentType.STRING_WITHOUT_DEFAULT,
        defaultValue: undefined,
      })
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/advance.ts'))
      .build(),
    task(['pending-node', 'seal'], 'Seal the pending block now')
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/seal.ts'))
      .build(),
    task(['pending-node', 'status'], 'Show both clocks, the pending block and the mempool')
      .addOption(url)
      .addFlag(json)
      .setAction(() => import('./tasks/status.ts'))
      .build(),
  ],
})

/** The node's task takes all options as text, because Hardhat's own errors about numbers do not say what would be right. */
function pendingNode(): NewTaskDefinition {
  let builder: NewTaskDefinitionBuilder = task(
    'pending-node',
    'Start a local chain with a pre-confirmed pending state',
  )
  const options: [string, OptionDefinition][] = Object.entries(optionTable)
  for (const [name, option] of options) {
    const { description } = option
    if (option.type === 'flag') builder = builder.addFlag({ name, description })
    else if (hasNoPlainDefault(option)) {
      const shown = option.defaultText ?? plainDefault(option)
      builder = builder.addOption({
        name,
        description: `${description.slice(0, -1)} (default: ${shown})`,
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

function plainDefault({ type, default: value }: OptionDefinition): string {
  return type === 'list' || value === undefined ? 'none' : String(value)
}

export default plugin
