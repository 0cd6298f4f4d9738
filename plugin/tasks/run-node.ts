import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { constants } from 'node:os'
import type { NewTaskActionFunction } from 'hardhat/types/tasks'
import type { Devnet } from '../../devnet/index.ts'
import { loadOptions, loadProjectToken } from '../../devnet/pluginApi.ts'
import { ArtifactFolder } from '../artifacts/artifact-folder.ts'
import { createContractNames } from '../artifacts/contract-names.ts'
import type { FailureSource } from '../network/failures/failed-request.ts'
import {
  accountsLines,
  bindingLines,
  clocksLines,
  pageLines,
  readyLine,
  streamLines,
} from '../output/banner.ts'
import { JsonLog, jsonLine, omittedJson, readyFields } from '../output/json-log.ts'
import { LineWriter } from '../output/line-writer.ts'
import { eventLines, omittedLine, type PlainEvent, painter, timeText } from '../output/lines.ts'
import { NodeLog } from '../output/node-log.ts'
import { TextLog } from '../output/text-log.ts'
import { asking } from '../rpc-client.ts'
import { openBrowser } from './open-browser.ts'
import { reported } from './reported.ts'

/** The network of which the node of `npx hardhat pending-node` is, for explanations. */
const TASK_NETWORK = 'pending'

/** Variable of the environment that sets the dashboard's token. */
const TOKEN = 'PENDING_NODE_DASHBOARD_TOKEN'

/** The action of `npx hardhat pending-node`: runs the node until a signal ends it. */
export const runNodeTask: NewTaskActionFunction = (args, project) =>
  reported(async () => {
    const { artifacts, root } = project.config.paths
    process.exitCode = await createAndRunNode(args, {
      artifacts,
      root,
      project: { context: project, networkName: TASK_NETWORK },
    })
  })

interface RunNodeParameters {
  /** Explains transactions that fail. Default: the node runs without Hardhat */
  readonly project?: Pick<FailureSource, 'context' | 'networkName'>
  /** The project's folder. Default: the working directory */
  readonly root?: string
  /** The user's command for this program, for messages. Default: `npx hardhat pending-node` */
  readonly program?: string
  /** Default: whether the process runs in a container of Docker or Podman */
  readonly inContainer?: boolean
  /** Shows a page to the user. Default: {@link openBrowser} */
  readonly open?: (url: string) => void
}

/**
 * Starts `devnet`, prints what it does, and stops it at the first SIGINT or SIGTERM (on Windows:
 * Ctrl-C, Ctrl-Break or a closed console); a second one ends the process at once.
 *
 * @returns the exit code, 128 + the number of the signal. It is the same as when a signal kills
 * `hardhat node`, so that an interrupted script stops too
 * @throws {ListenError} if the port is taken
 * @throws {ChainFileError} if a file to start from is unusable, or the state cannot be saved
 */
export async function runNode(
  devnet: Devnet,
  host: Host,
  parameters: RunNodeParameters,
): Promise<number> {
  const { stdout } = host
  const { json, quiet, open, noDashboard, state, dumpState } = devnet.options
  const writer = new LineWriter(stdout, json ? omittedJson : omittedLine)
  const origins: string[] = []
  const listen = <Name extends PlainEvent>(name: Name, print: (line: string) => void) =>
    devnet.on(name, (event) => print(json ? jsonLine(name, event) : eventLines[name](event)))
  const ends = (['fork', 'import', 'load'] as const).map((name) =>
    listen(name, (line) => origins.push(line)),
  )
  await devnet.start()
  for (const end of ends) end()
  // Before the first line is printed: a program that waits for that line may send a signal at once.
  const signalled = firstSignal(host)
  writer.print(...startLines(devnet, origins, { ...parameters, stdout }))
  writer.flush()
  if (open && !noDashboard) (parameters.open ?? openBrowser)(devnet.dashboard.pageUrl)
  const log = quiet ? undefined : openLog(devnet, writer, { ...parameters, stdout })
  const { signal, release } = await signalled
  const code = 128 + constants.signals[signal]
  const saves = state !== undefined || dumpState !== undefined
  setTimeout(() => host.exit(code), saves ? SAVE_TIMEOUT : STOP_TIMEOUT).unref()
  await log?.close()
  if (!quiet) listen('save', (line) => writer.print(line))
  try {
    await devnet.stop()
  } finally {
    release()
  }
  writer.flush()
  return code
}

/**
 * Makes a node and runs it in this process; see {@link runNode}.
 *
 * @param args - options by name, as on the command line (text, or `true` for a flag) or as in a
 * configuration
 * @param parameters - with the folder of the project's artifacts
 * @throws {OptionError} if an option, or a secret of the environment, is unknown, malformed or out
 * of range
 */
export async function createAndRunNode(
  args: Readonly<Record<string, unknown>>,
  parameters: RunNodeParameters & { readonly artifacts: string },
): Promise<number> {
  const contracts = new ArtifactFolder(parameters.artifacts)
  const options = (await loadOptions()).parseOptions({ contracts, ...args }, process.env)
  // For the next start; Node keeps the cache in the system's temporary folder.
  enableCompileCache()
  // Imported only now, so that a wrong option is reported before the EVM is loaded.
  const { createDevnet } = await import('../../devnet/index.ts')
  if (!options.noDashboard && process.env[TOKEN] === undefined) {
    const projectToken = await loadProjectToken()
    // As if the user had set it: only a node that people start keeps one on the disk.
    process.env[TOKEN] = await projectToken(parameters.root ?? process.cwd())
  }
  return await runNode(createDevnet(options), process, parameters)
}

/** The part of `process` that {@link runNode} uses. */
export interface Host {
  readonly platform: NodeJS.Platform
  readonly stdout: NodeJS.WritableStream
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** SIGHUP is not handled, so that `nohup` works. */
const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Windows has no SIGTERM: `kill` ends a process there at once. These are Ctrl-C, Ctrl-Break and a
 * closed console, after which Windows leaves a process about 10 s.
 */
const WINDOWS_END_SIGNALS = ['SIGINT', 'SIGBREAK', 'SIGHUP'] as const

/**
 * Time in ms after the first signal at which the process is ended if something still keeps it
 * alive.
 */
const STOP_TIMEOUT = 900

/** The same for a node that saves its state, because that can take long. */
const SAVE_TIMEOUT = 600_000

type OutputParameters = RunNodeParameters & Pick<Host, 'stdout'>

/** Files that Docker and Podman put into each of their containers. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv']

/**
 * The lines that are printed when the node is ready; the first one says so.
 *
 * @param origins - lines about the files that the chain starts from
 */
function startLines(
  devnet: Devnet,
  origins: readonly string[],
  { program, stdout, inContainer = CONTAINER_FILES.some(existsSync) }: OutputParameters,
): string[] {
  const { options, url } = devnet
  const paint = painter(stdout)
  const ready = options.json ? jsonLine('ready', readyFields(devnet)) : readyLine(url, paint)
  if (options.quiet) return [ready]
  if (options.json) return [ready, ...origins]
  return [
    ready,
    ...origins,
    ...clocksLines(options, url, program),
    ...streamLines(devnet),
    '',
    ...bindingLines(options.hostname, inContainer, paint),
    ...accountsLines(devnet, paint, columnsOf(stdout) !== undefined),
    ...pageLines(devnet, paint),
    '',
  ]
}

/** Prints what happens on the node from now on. */
function openLog(
  devnet: Devnet,
  writer: LineWriter,
  { project, stdout }: OutputParameters,
): NodeLog {
  const { json, verbose, contracts } = devnet.options
  const paint = painter(stdout)
  const columns = () => columnsOf(stdout)
  const accounts = accountNames(devnet)
  return new NodeLog({
    devnet,
    writer,
    verbose,
    stamp: () => (json ? '' : `${paint('dim', timeText(Date.now()))} `),
    findNames: createContractNames(asking(devnet.provider), contracts, accounts),
    findFrames: async ({ hash, error }) => {
      if (project === undefined || error === null) return []
      // Imported only now: few nodes have failures to explain.
      const { framesOf } = await import('../network/failures/connection-failures.ts')
      return await framesOf(devnet, project, { ...error, transactionHash: hash })
    },
    format: (findNames, findFrames) =>
      json
        ? new JsonLog({ findNames, verbose })
        : new TextLog({ paint, accounts, columns, findNames, findFrames, verbose }),
    columns,
  })
}

/** Width of the terminal that a stream writes to; `undefined` if it is none. */
function columnsOf(stdout: Host['stdout']): number | undefined {
  return 'columns' in stdout && typeof stdout.columns === 'number' ? stdout.columns : undefined
}

/** Names of the node's accounts, as its pages show them. */
function accountNames({ accounts }: Devnet): ReadonlyMap<string, string> {
  return new Map(accounts.map(({ address }, index) => [address.toLowerCase(), `Account #${index}`]))
}

/** Waits for the first signal; until `release` is called, a second one ends the process. */
function firstSignal(host: Host): Promise<{ signal: NodeJS.Signals; release: () => void }> {
  const endSignals = host.platform === 'win32' ? WINDOWS_END_SIGNALS : END_SIGNALS
  return new Promise((resolve) => {
    let signalled = false
    const listener = (signal: NodeJS.Signals) => {
      if (signalled) host.exit(128 + constants.signals[signal])
      signalled = true
      resolve({ signal, release })
    }
    const release = () => {
      for (const signal of endSignals) host.off(signal, listener)
    }
    for (const signal of endSignals) host.on(signal, listener)
  })
}
