import type { TestProject } from 'vitest/node'
import type { OptionsInput } from '../../devnet/options/options.ts'
import type { Devnet } from '../../devnet/types.ts'
import { compileProject, forUser } from './compile.ts'
import './type-extensions.ts'

/** What the global set-up does before the tests of a run. */
export interface GlobalSetupOptions {
  /** Compiles the contracts, as `npx hardhat build` does. Default: true */
  readonly compile?: boolean | undefined
  /**
   * Starts one node for the run: with these options, or with `true` the defaults, but for a free port. Default:
   * `pendingNode` of vitest's `test.provide`, else whether the environment has `PENDING_NODE=1`
   */
  readonly node?: boolean | OptionsInput | undefined
}

/** Variable of the environment that has the address of the node. */
const URL_VARIABLE = 'PENDING_NODE_URL'

/**
 * A `globalSetup` of vitest: compiles the project's contracts and, where it is asked to, starts one node for the whole
 * run, whose address tests get by `inject('pendingNodeUrl')` or from `process.env.PENDING_NODE_URL`. An address that is
 * in the environment already is that of a node that runs elsewhere: then none is started. When the tests of a watched
 * run begin again, contracts are compiled again, and the node goes back to its start.
 *
 * @throws {SetupError} when there is no Hardhat project, its contracts do not compile, an option of the node is wrong, or
 * its port is taken
 *
 * @example
 * // test/global-setup.ts, named by `test.globalSetup` in vitest.config.ts
 * export default createGlobalSetup({ node: { frozen: true } })
 */
export function createGlobalSetup({
  compile = true,
  node,
}: GlobalSetupOptions = {}): (project: TestProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const prepare = async () => {
      if (compile) await compileProject()
    }
    const given = process.env[URL_VARIABLE]
    const asked =
      node ?? project.getProvidedContext().pendingNode ?? process.env.PENDING_NODE === '1'
    let devnet: Devnet | undefined
    try {
      await prepare()
      if (given === undefined && asked !== false) devnet = await startNode(asked)
    } catch (error) {
      throw forUser(error)
    }
    const url = devnet?.url ?? given
    if (url !== undefined) project.provide('pendingNodeUrl', url)
    if (devnet !== undefined) process.env[URL_VARIABLE] = devnet.url
    project.onTestsRerun(async () => {
      // Thrown here, an error would end the watch: the tests go on with the contracts as they were.
      await prepare().catch((error) => console.error(String(error)))
      await devnet?.provider.request({ method: 'hardhat_reset' })
    })
    return async () => {
      if (devnet === undefined) return
      delete process.env[URL_VARIABLE]
      await devnet.stop()
    }
  }
}

async function startNode(asked: true | OptionsInput): Promise<Devnet> {
  // A run that needs no node does not load one.
  const { createDevnet } = await import('../../devnet/index.ts')
  const devnet = createDevnet({ port: 0, ...(asked === true ? undefined : asked) })
  await devnet.start()
  return devnet
}
