import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { Result } from 'hardhat/types/utils'
import type { Status } from '../../devnet/index.ts'
import {
  integerFromText,
  isObject,
  jsonIn,
  OptionError,
  printableJson,
  readForeignFile,
} from '../../devnet/pluginApi.ts'
import { isReplayNetwork } from '../network-config.ts'
import { painter } from '../output/lines.ts'
import { statusText } from '../output/status-text.ts'
import { callNode, type NodeAddress } from '../rpc-client.ts'
import { type ControlCommand, DEFAULT_URL } from './control-commands.ts'
import { reported } from './reported.ts'

/** ms that a node has for an advance. */
const LONGEST_ADVANCE = 600_000

/** Values of the command's options by name: text, or `true` for a flag. */
export type ControlArguments = Readonly<Record<string, string | boolean | undefined>>

/** The part of a Hardhat project that says which node is meant. */
export type Project = Pick<HardhatRuntimeEnvironment, 'config' | 'globalOptions'>

/** The program that runs a command: a task of Hardhat, or the `pending-node` binary. */
export interface Origin {
  /** `undefined` if the binary runs it. */
  readonly project?: Project
  /** The user's command for this program, for messages. Default: `npx hardhat pending-node` */
  readonly program?: string
}

/**
 * Sends one command to a running node and prints the status that it answers with. The node is that
 * of `--url`, else that of the project's `--network`, else the one at port 8545 of this machine.
 */
export function runControlTask(
  command: ControlCommand,
  args: ControlArguments,
  { project, program }: Origin,
): Promise<Result<Status, string>> {
  return reported(async () => {
    const params = await PARAMS[command](args)
    const address = await addressOf(args.url, project)
    // Advancing many blocks takes long.
    const longer = command === 'advance' && { signal: AbortSignal.timeout(LONGEST_ADVANCE) }
    const method = `preconf_${command}` as const
    const status = await callNode({ ...address, ...longer }, { method, params }, program)
    const text =
      args.json === true
        ? printableJson(JSON.stringify(status))
        : statusText(status, painter(process.stdout))
    console.log(text)
    return status
  })
}

/** The parameters of each command's JSON-RPC method. */
const PARAMS: Readonly<
  Record<ControlCommand, (args: ControlArguments) => readonly object[] | Promise<readonly object[]>>
> = {
  freeze: ({ ticks }) => (ticks === true ? [{ ticks }] : []),
  resume: () => [],
  advance: (args) => [distance(args)],
  seal: () => [],
  faults: ({ file, clear }) => {
    if (typeof file !== 'string') return clear === true ? [{ rules: [] }] : []
    if (clear !== true) return readRules(file)
    throw new OptionError('--file and --clear exclude each other.')
  },
  status: () => [],
}

/** The rules in a file; the node checks them. */
async function readRules(file: string): Promise<readonly object[]> {
  const script = jsonIn((await readForeignFile(file)).toString())
  if (isObject(script)) return [script]
  const problem =
    script === undefined ? 'cannot be read: it is not JSON' : 'holds no object with rules'
  throw new OptionError(`--file ${JSON.stringify(file)} ${problem}.`)
}

/** Distance to advance: exactly one of the two options. */
function distance({ ticks, blocks }: ControlArguments): object {
  if (typeof ticks === 'string' && blocks === undefined) return { ticks: count('--ticks', ticks) }
  if (typeof blocks === 'string' && ticks === undefined)
    return { blocks: count('--blocks', blocks) }
  throw new OptionError('Say how far to advance: either --ticks or --blocks, with a number.')
}

function count(label: string, text: string): number {
  const number = Number(integerFromText(text) ?? 0)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw new OptionError(`${label} must be a positive integer, not ${JSON.stringify(text)}.`)
}

/** The address that is given, else that of the project's network, else {@link DEFAULT_URL}. */
export async function addressOf(
  url: string | boolean | undefined,
  project?: Project,
): Promise<NodeAddress> {
  if (typeof url === 'string') return { url }
  return (await networkAddress(project)) ?? { url: DEFAULT_URL }
}

/**
 * The node behind the network that `--network` or `HARDHAT_NETWORK` names; `undefined` if neither
 * is given.
 *
 * @throws {OptionError} if there is no such network, or its node is not in another process
 */
async function networkAddress(project?: Project): Promise<NodeAddress | undefined> {
  // Hardhat's types do not say that `network` may be undefined.
  const name: string | undefined = project?.globalOptions.network
  if (project === undefined || name === undefined) return undefined
  const { networks } = project.config
  const network = Object.hasOwn(networks, name) ? networks[name] : undefined
  if (network === undefined) {
    const names = Object.keys(networks).filter((one) => !isReplayNetwork(one))
    const list = names.sort().join(', ')
    throw new OptionError(`There is no network ${JSON.stringify(name)}; there are ${list}.`)
  }
  if (network.type === 'http' && network.pendingNode === undefined) {
    return { url: await network.url.getUrl(), headers: network.httpHeaders }
  }
  const reason =
    network.type === 'http'
      ? `Each connection to network "${name}" has a node of its own, in the process of the test: call the methods of connection.pendingNode there.`
      : `Network "${name}" is simulated by Hardhat and has no pending-node.`
  throw new OptionError(
    `${reason} To reach a node in another process, use --url, or --network with an http network that has its url.`,
  )
}
