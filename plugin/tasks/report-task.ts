import { writeFile } from 'node:fs/promises'
import type { NewTaskActionFunction } from 'hardhat/types/tasks'
import {
  isBytes,
  loadExecutionReport,
  loadManifest,
  OptionError,
  plainText,
  printable,
} from '../../devnet/pluginApi.ts'
import { callNode, request } from '../rpc-client.ts'
import { addressOf, type ControlArguments, type Origin } from './control-task.ts'
import { reported } from './reported.ts'

/**
 * Executes a transaction of a running node on both engines, writes what came of it to a file, and
 * prints if they differ.
 *
 * @returns the exit code: 0 if the node and both engines agree, else 1
 * @throws {OptionError} if there is no hash, or the file cannot be written
 * @throws {DevnetError} if no pending-node answers, or it does not tell all of the transaction
 */
export async function runReport(args: ControlArguments, origin: Origin): Promise<number> {
  const { hash, url, out, json } = args
  if (!isBytes(hash, 32)) throw new OptionError('Name a transaction by its hash: report 0x….')
  const address = await addressOf(url, origin.project)
  const ask = (method: string, ...params: readonly unknown[]) =>
    request(address, { method, params })
  const status = await callNode(address, { method: 'preconf_status' }, origin.program)
  const { differingPart, executeRecorded, recordExecution } = await loadExecutionReport()
  const { version, bugs, dependencies } = await loadManifest()
  const record = await recordExecution(hash, status.profile ?? 'plain', ask)
  const fast = await executeRecorded(record, 'fast', ask)
  const library = await executeRecorded(record, 'library', ask)
  const difference = differingPart(record.node, fast, library) ?? null
  const asked = await ask('web3_clientVersion')
  const versions = { ...dependencies, package: version, node: process.version, asked }
  const file = typeof out === 'string' ? out : `report-${hash.slice(2, 10)}.json`
  const text = JSON.stringify({ versions, difference, ...record, fast, library }, null, 2)
  await writeFile(file, `${text}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'is there already' : `cannot be written: ${error.code}`
    throw new OptionError(`${file} ${reason}; name another file with --out.`)
  })
  const [node, ...engines] = [record.node, fast, library].map(
    (result) =>
      `status ${plainText(result.status)} and gasUsed ${plainText(result.gasUsed ?? 'none')}`,
  )
  const sentence =
    difference === null
      ? `No difference: ${node}; ${file} has the rest.`
      : `The engines differ in ${difference} (node: ${node}, fast: ${engines[0]}, library: ${engines[1]}); attach ${file} to an issue at ${bugs}.`
  console.log(printable(json === true ? JSON.stringify({ difference, file }) : sentence))
  return difference === null ? 0 : 1
}

/** The action of `npx hardhat pending-node report`. */
export const reportTask: NewTaskActionFunction = async (args, project) => {
  const result = await reported(() => runReport(args, { project }))
  process.exitCode = result.success ? result.value : 2
}
