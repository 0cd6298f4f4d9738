import type { Result } from 'hardhat/types/utils'
import type { Status } from '../devnet/types.ts'
import { painter } from './output/paint.ts'
import { statusText } from './output/status.ts'
import { reported } from './report.ts'
import { callNode } from './rpc-client.ts'

/** What every task that drives a running node takes. */
export interface ControlArguments {
  readonly url: string
  readonly json: boolean
  /** How the user starts this program, for messages; default: `npx hardhat pending-node`. */
  readonly program?: string
}

/** Sends one command to the node, and prints the status that it answers with; errors of `params` are reported too. */
export function control(
  { url, json, program }: ControlArguments,
  method: `preconf_${string}`,
  params: () => readonly object[] = () => [],
): Promise<Result<Status, string>> {
  return reported(async () => {
    const status = await callNode(url, method, params(), program)
    console.log(json ? JSON.stringify(status) : statusText(status, painter(process.stdout)))
    return status
  })
}
