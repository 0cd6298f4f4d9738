import type { Result } from 'hardhat/types/utils'
import type { Status } from '../devnet/types.ts'
import { defaultUrl } from './control-commands.ts'
import { networkAddress, type Project } from './node-address.ts'
import { painter } from './output/paint.ts'
import { statusText } from './output/status.ts'
import { reported } from './report.ts'
import { callNode } from './rpc-client.ts'

export type { Project } from './node-address.ts'

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
