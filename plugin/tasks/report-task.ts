import { writeFile } from 'node:fs/promises'
import type { NewTaskActionFunction } from 'hardhat/types/tasks'
import { isBytes, loadExecutionReport, loadManifest, OptionError } from '../../devnet/pluginApi.ts'
import { callNode, request } from '../rpc-client.ts'
import { addressOf, type ControlArguments, type Origin } from './control-task.ts'
import { reported } from './reported.ts'

/** ms after which a request is given up: longer than the trace that it may ask for. */
const TIMEOUT = 90_000

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
  const node = await addressOf(url, origin.project)
  const timed = () => ({ ...node, signal: AbortSignal.timeout(TIMEOUT) })
  const ask = (method: string, ...params: readonly unknown[]) =>
    request(timed(), { method, params })
  const { profile = 'plain' } = await callNode(
    timed(),
    { method: 'preconf_status' },
    origin.program,
  )
  const { differingPart, executeRecorded, recordExecution } = await loadExecutionReport()
  const { version, bugs, dependencies } = await loadManifest()
  const record = await recordExecution(hash, profile, ask)
  const fast = await executeRecorded(record, 'fast', ask)
  const library = await executeRecorded(record, 'library', ask)
  const part = differingPart(record.node, fast, library)
  const versions = {
    ...dependencies,
    package: version,
    node: process.version,
    asked: await ask('web3_clientVersion'),
  }
  const file = typeof out === 'string' ? out : `report-${hash.slice(2, 10)}.json`
  const report = { versions, difference: part ?? null, ...record, fast, library }
  const text = `${JSON.stringify(report, null, 2)}\n`
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'is there already' : `cannot be written: ${error.code}`
    throw new OptionError(`${file} ${reason}; name another file with --out.`)
  })
  const values = [record.node, fast, library].map(
    ({ status, gasUsed }) => `${status} and ${gasUsed}`,
  )
  if (json === true) console.log(JSON.stringify({ difference: part ?? null, file }))
  else if (part === undefined)
    console.log(`No difference: status and gasUsed are ${values[0]}; ${file} has the rest.`)
  else {
    const all = `(status and gasUsed of node, fast and library: ${values.join(', ')})`
    console.log(`The engines differ in ${part} ${all}; attach ${file} to an issue at ${bugs}.`)
  }
  return part === undefined ? 0 : 1
}

/** The action of `npx hardhat pending-node report`. */
export const reportTask: NewTaskActionFunction = async (args, project) => {
  const result = await reported(() => runReport(args, { project }))
  process.exitCode = result.success ? result.value : 2
}
