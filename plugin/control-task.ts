import type { Result } from 'hardhat/types/utils'
import type { Status } from '../devnet/types.ts'
import { defaultUrl } from './control-commands.ts'
import { networkAddress, type Project } from './node-address.ts'
import { painter } from './output/lines.ts'
import { statusText } from './output/status-text.ts'
import { callNode } from './rpc-client.ts'

export type { Project } from './node-address.ts'

import { ChainFileError, DevnetError, OptionError } from '../devnet/primitives/errors.ts'

/** What every task that drives a running node takes. */
export interface ControlArguments {
  /** Address of the node. Default: that of the network that the project's `--network` names, else port 8545 of this machine */
  readonly url?: string | undefined
  readonly json: boolean
  /** How the user starts this program, for messages; default: `npx hardhat pending-node`. */
  readonly program?: string
}

/**
 * Sends one command to the node, and prints the status that it answers with; errors of `params` are reported too.
 *
 * @param project - Hardhat's, where there is one
 */
export function control(
  { url, json, program }: ControlArguments,
  project: Project | undefined,
  method: `preconf_${string}`,
  params: () => readonly object[] = () => [],
): Promise<Result<Status, string>> {
  return reported(async () => {
    const given = params()
    const named = url === undefined ? await networkAddress(project) : { url }
    const status = await callNode(named ?? { url: defaultUrl }, method, given, program)
    console.log(json ? JSON.stringify(status) : statusText(status, painter(process.stdout)))
    return status
  })
}

/**
 * Runs the work of a task. An error that the user can put right is one sentence on stderr and a failed result,
 * for which Hardhat sets the exit code 1; thrown, it would be printed with advice and, in CI, with its stack.
 * Any other error is a defect and goes on to Hardhat.
 */
export async function reported<T>(work: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return { success: true, value: await work() }
  } catch (error) {
    if (!isForUser(error)) throw error
    console.error(error.message)
    return { success: false, error: error.message }
  }
}

/** A ListenError is known by its name, because its class comes with the server, which most tasks do not load. */
function isForUser(error: unknown): error is Error {
  if (error instanceof OptionError || error instanceof DevnetError) return true
  if (error instanceof ChainFileError) return true
  return error instanceof Error && error.name === 'ListenError'
}
