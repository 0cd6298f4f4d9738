import { definePlugin } from 'hardhat/plugins'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import { controlTasks, nodeTask } from './tasks/task-definitions.ts'

export type * from '../devnet/index.ts'
export { pendingNode } from './network-config.ts'
export type * from './type-extensions.ts'
export type * from './types.ts'

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
  },
  tasks: [nodeTask, ...controlTasks],
})

export default plugin
