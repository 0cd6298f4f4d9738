// Lints the Dockerfile, the workflows and the actions.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { validateAction, validateWorkflow } from '@action-validator/core'
import { validate } from 'dockerfile-utils'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const text = (path: string) => readFileSync(root + path, 'utf8')

const warnings = validate(text('Dockerfile')).map(
  ({ range, message }) => `Dockerfile:${range.start.line + 1}: ${message}`,
)
const github = readdirSync(`${root}.github`, { recursive: true, encoding: 'utf8' })
const findings = github.flatMap((name) => {
  const path = `.github/${name}`
  if (/^workflows\/.*\.yml$/.test(name)) return validateWorkflow(text(path)).errors.map(shown(path))
  if (name.endsWith('/action.yml')) return validateAction(text(path)).errors.map(shown(path))
  return []
})
for (const finding of [...warnings, ...findings]) console.error(finding)
if (warnings.length + findings.length > 0) process.exitCode = 1

function shown(path: string) {
  return (error: unknown) => `${path}: ${JSON.stringify(error)}`
}
