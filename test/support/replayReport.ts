import {
  differingPart,
  type ExecutionRecord,
  executeRecorded,
} from '../../devnet/node/executionReport.ts'

/**
 * Executes a report of `pending-node report` again, without its node: what a maintainer does with
 * one that is attached to an issue.
 *
 * @returns the first part in which the results differ, and the results
 */
export async function replayReport(text: string) {
  const record: ExecutionRecord = JSON.parse(text)
  const missing = async (method: string) => {
    throw new Error(`The report lacks an answer to ${method}`)
  }
  const fast = await executeRecorded(record, 'fast', missing)
  const library = await executeRecorded(record, 'library', missing)
  return { part: differingPart(record.node, fast, library), node: record.node, fast, library }
}
