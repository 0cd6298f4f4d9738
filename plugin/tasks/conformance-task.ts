import type { Result } from 'hardhat/types/utils'
import { printableJson, tell } from '../../devnet/pluginApi.ts'
import { conformance, conformanceChecks } from '../conformance/index.ts'
import type { ConformanceOptions, ConformanceReport } from '../conformance/types.ts'
import { checksText, reportText } from '../output/conformance-text.ts'
import { counted, painter } from '../output/lines.ts'
import { addressOf, type ControlArguments, type Project } from './control-task.ts'
import { reported } from './reported.ts'

/**
 * Checks an endpoint and prints what came of it, or prints the checks.
 *
 * @returns failed if any check failed
 */
export async function runConformanceTask(
  args: ControlArguments,
  project?: Project,
): Promise<Result<undefined, string>> {
  const result = await reported(() => run(args, project))
  if (!result.success) return result
  const failed = result.value?.failed.length ?? 0
  if (failed === 0) return { success: true, value: undefined }
  return { success: false, error: `${counted(failed, 'check')} failed` }
}

async function run(args: ControlArguments, project?: Project): Promise<ConformanceReport | null> {
  const { endpoint, url, json, list, only, ...texts } = args
  const names = typeof only === 'string' ? { only: only.split(',') } : {}
  // The options of the command are those of the kit, which checks them.
  const options = { ...texts, ...names } as unknown as ConformanceOptions
  const paint = painter(process.stdout)
  if (list === true) {
    const checks = await conformanceChecks(options)
    console.log(json === true ? shownJson(checks) : checksText(checks, paint))
    return null
  }
  const address = await addressOf(endpoint ?? url, project)
  const log = json === true ? tell : console.log
  const report = await conformance(address.url, { ...options, ...address, log })
  console.log(json === true ? shownJson(report) : reportText(report, paint))
  return report
}

function shownJson(value: object): string {
  return printableJson(JSON.stringify(value))
}
