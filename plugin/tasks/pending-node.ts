import { existsSync } from 'node:fs'
import type { NewTaskActionFunction } from 'hardhat/types/tasks'
import { parseOptions } from '../../devnet/options/options.ts'
import { reported } from '../control-task.ts'
import { runNode } from '../run-node.ts'

/** Runs the node until a signal ends it. */
const action: NewTaskActionFunction = (args, { config }) =>
  reported(async () => {
    const options = parseOptions(args)
    // Only here, so that a wrong option is answered before the EVM is loaded.
    const { createDevnet } = await import('../../devnet/index.ts')
    process.exitCode = await runNode(
      createDevnet(options),
      process,
      existsSync('/.dockerenv'),
      config.paths.artifacts,
    )
  })

export default action
