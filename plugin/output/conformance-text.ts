import type { ConformanceCheck, ConformanceReport } from '../conformance/types.ts'
import { counted, type Paint } from './lines.ts'

/** A report as text for people: lines for each check below its moment, then the numbers. */
export function reportText(report: ConformanceReport, paint: Paint): string {
  const { passed, failed, notApplicable } = report
  const tick = paint('green', '✓')
  const cross = paint('red', '✗')
  const lines: Line[] = [
    ...passed.map((check): Line => [check, `${tick} ${label(check)}`]),
    ...failed.map((check): Line => {
      const { asked, came, source } = check
      const question = asked === undefined ? [] : [`asked ${asked}`]
      const details = [...question, `came  ${came}`, `by    ${source}`]
      return [check, [`${cross} ${label(check)}`, ...details].join('\n      ')]
    }),
    ...notApplicable.map((check): Line => [check, paint('dim', `– ${label(check)}; ${check.why}`)]),
  ]
  const numbers = `${counted(passed.length, 'check')} passed, ${failed.length} failed, ${notApplicable.length} not applicable`
  return [...grouped(lines, paint), paint(failed.length > 0 ? 'red' : 'green', numbers)].join('\n')
}

/** Checks that did not run, as text for people: each with its source. */
export function checksText(checks: readonly ConformanceCheck[], paint: Paint): string {
  const lines = checks.map(
    (check): Line => [check, `${label(check)} ${paint('dim', check.source)}`],
  )
  return [...grouped(lines, paint), counted(checks.length, 'check')].join('\n')
}

type Line = readonly [check: ConformanceCheck, text: string]

/** Width of the column of names. */
const NAME = 44

function label({ name, expected }: ConformanceCheck): string {
  return `${name.padEnd(NAME)} ${expected}`
}

function grouped(lines: readonly Line[], paint: Paint): string[] {
  const groups = Map.groupBy(lines, ([{ subject }]) => subject)
  return [...groups].flatMap(([subject, own]) => [
    paint('bold', subject),
    ...own.map(([, line]) => `  ${line}`),
    '',
  ])
}
