import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { TestProject } from 'vitest/node'
import type { Devnet, OptionsInput } from '../../devnet/index.ts'
import { reasonOf, tell } from '../../devnet/pluginApi.ts'
import { tooOldNode } from '../node-version.ts'
import { isCollecting, tellHardhat } from './collecting.ts'

/** Options of the global setup, which runs before the tests. */
export interface GlobalSetupOptions {
  /** Compiles the contracts, as `npx hardhat build` does. Default: true */
  readonly compile?: boolean | undefined
  /**
   * Starts one node for the whole run: with these options, or, if `true`, with the defaults. It
   * listens on a free port unless the options name one. Default: `pendingNode` of vitest's
   * `test.provide`, else whether the environment has `PENDING_NODE=1`
   */
  readonly node?: boolean | OptionsInput | undefined
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the node that the global setup has started. */
    pendingNodeUrl: string
    /** In `test.provide`: makes the global setup start a node, with these options. */
    pendingNode: boolean | OptionsInput
  }
}

/** Environment variable with the address of the node. */
const URL_VARIABLE = 'PENDING_NODE_URL'

/**
 * A `globalSetup` of vitest: compiles the project's contracts and, on request, starts one node for
 * the whole run, whose address tests get from `inject('pendingNodeUrl')` or
 * `process.env.PENDING_NODE_URL`. If that variable is already set, its node is used and none is
 * started. When a watched run starts its tests again, it compiles again and resets the node that it
 * started.
 *
 * With `HARDHAT_COVERAGE=true`, `HARDHAT_GAS_STATS=true` or `HARDHAT_GAS_STATS_JSON=<file>` in the
 * environment, Hardhat's reports follow at the end, if `hardhat-pending-node/vitest` is among the
 * `setupFiles`.
 *
 * @throws {SetupError} if there is no Hardhat project, its contracts do not compile, an option of
 * the node is wrong, or its port is taken
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
    const problem = tooOldNode('hardhat-pending-node')
    if (problem !== undefined) throw forUser(new SetupError(problem))
    const config = findConfig(project.config.root)
    // Workers have another working directory than the project's, too.
    if (config !== undefined) {
      project.config.env = { [CONFIG_VARIABLE]: config, ...project.config.env }
    }
    let hre: HardhatRuntimeEnvironment | undefined
    const prepare = async () => {
      if (!compile && !isCollecting()) return
      hre ??= await loadHardhat(config, project.config.root)
      if (compile) await compileProject(hre)
      if (isCollecting()) await tellHardhat('onTestRunStart', hre)
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
      // An error thrown here would end the watch, so the tests run with the contracts as they were.
      await prepare().catch((error: unknown) => tell(reasonOf(error)))
      await devnet?.provider.request({ method: 'hardhat_reset' })
    })
    return async () => {
      if (devnet !== undefined) {
        delete process.env[URL_VARIABLE]
        await devnet.stop()
      }
      if (isCollecting() && hre !== undefined) await tellHardhat('onTestRunDone', hre)
    }
  }
}

/** The global setup with its defaults, for `test.globalSetup` in vitest.config.ts. */
export default createGlobalSetup()

async function startNode(asked: true | OptionsInput): Promise<Devnet> {
  // Imported only now: a run without a node does not need it.
  const { createDevnet } = await import('../../devnet/index.ts')
  const devnet = createDevnet({ port: 0, ...(asked === true ? undefined : asked) })
  await devnet.start()
  return devnet
}

/** The global setup cannot do its work; the message says what to do. */
class SetupError extends Error {
  override name = 'SetupError'
}

/** Names of errors of which users need only the message; importing the classes loads the node. */
const USER_ERRORS = ['OptionError', 'ListenError', 'ChainFileError']

/** The error, without its stack if the user can fix it. */
function forUser(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const known = USER_ERRORS.includes(error.name) ? new SetupError(error.message) : error
  if (known instanceof SetupError) known.stack = String(known)
  return known
}

const WAY_OUT = 'skip compilation with createGlobalSetup({ compile: false })'

/** Compiles the contracts of a Hardhat project. @throws {SetupError} if they do not compile */
async function compileProject(hre: HardhatRuntimeEnvironment): Promise<void> {
  try {
    await hre.tasks.getTask('build').run({
      quiet: true,
      // As `hardhat test` does: tests can be left out only if they are compiled separately.
      noTests: hre.config.solidity.splitTestsCompilation,
    })
  } catch (cause) {
    throw hasNumber(cause, 910)
      ? new SetupError(`The contracts do not compile: fix what is printed above, or ${WAY_OUT}.`)
      : new SetupError(`The contracts cannot be compiled: fix the cause, or ${WAY_OUT}.`, { cause })
  }
}

/**
 * Loads Hardhat with the configuration of a project.
 *
 * @throws {SetupError} if there is none for the folder, or it fails
 */
async function loadHardhat(
  config: string | undefined,
  folder: string,
): Promise<HardhatRuntimeEnvironment> {
  if (config === undefined) {
    throw new SetupError(
      `There is no Hardhat configuration in ${folder} or above it: run vitest in a Hardhat project, name it in the environment variable ${CONFIG_VARIABLE}, or ${WAY_OUT}.`,
    )
  }
  try {
    return await loadProject(config)
  } catch (cause) {
    const message = `The Hardhat configuration ${config} does not load: fix the cause, or ${WAY_OUT}.`
    throw new SetupError(message, { cause })
  }
}

/** True if this is Hardhat's error of this number: its message begins with e.g. `HHE910:`. */
function hasNumber(error: unknown, number: number): boolean {
  return error instanceof Error && error.message.startsWith(`HHE${number}:`)
}

/** Hardhat's own variable with the path of the configuration. */
const CONFIG_VARIABLE = 'HARDHAT_CONFIG'

/**
 * The configuration of the Hardhat project that a folder lies in. Hardhat itself looks from the
 * working directory, which in a monorepo is not that of the project under test.
 *
 * @returns `undefined` if there is none in the folder or above it
 */
function findConfig(folder: string): string | undefined {
  const named = process.env[CONFIG_VARIABLE]
  if (named !== undefined) return resolve(named)
  for (let at = folder; ; at = dirname(at)) {
    const found = ['hardhat.config.ts', 'hardhat.config.js']
      .map((name) => join(at, name))
      .find((path) => existsSync(path))
    if (found !== undefined || dirname(at) === at) return found
  }
}

/** Makes an environment of a configuration. One process may have several, each of a project. */
async function loadProject(config: string): Promise<HardhatRuntimeEnvironment> {
  const { createHardhatRuntimeEnvironment, importUserConfig } = await import('hardhat/hre')
  return createHardhatRuntimeEnvironment(await importUserConfig(config), { config }, config)
}
