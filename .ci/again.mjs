// Runs an npm script of vitest, as in `node .ci/again.mjs npm test`. Test files that fail run once
// more, alone: a machine with other work can be too slow for a time limit. A file that fails twice
// has failed. One that fails once is named at the end, and gets a line in test/unstable.txt, which
// is to be committed: the test or the node has a fault to mend.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** More files than this do not fail by chance. */
const MOST_FILES = 3

const [npm, ...script] = process.argv.slice(2)
const scratch = mkdtempSync(join(tmpdir(), 'pending-node-tests-'))
try {
  const first = vitest('first-report.json')
  process.exitCode = first === 0 ? 0 : again(failedFiles('first-report.json'))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Runs the command, which writes its report to this file, and answers its exit code. */
function vitest(report, ...args) {
  const reporters = ['--reporter=default', '--reporter=json']
  reporters.push(`--outputFile.json=${join(scratch, report)}`)
  return spawnSync(npm, [...script, '--', ...reporters, ...args], { stdio: 'inherit' }).status ?? 1
}

/** The failed test files in a report of vitest, each with a line of why; none if it broke off. */
function failedFiles(report) {
  if (!existsSync(join(scratch, report))) return new Map()
  const { testResults } = JSON.parse(readFileSync(join(scratch, report), 'utf8'))
  const failed = testResults.filter(({ status }) => status === 'failed')
  return new Map(
    failed.map(({ name, message, assertionResults }) => {
      const messages = assertionResults.flatMap(({ failureMessages }) => failureMessages ?? [])
      const [line] = stripVTControlCharacters(messages[0] ?? message ?? '').split('\n')
      return [relative(process.cwd(), name).replaceAll('\\', '/'), line]
    }),
  )
}

function again(failed) {
  const files = [...failed.keys()]
  if (files.length === 0 || files.length > MOST_FILES) return 1
  console.error(`\nFailed, and run once more alone: ${files.join(', ')}\n`)
  const second = vitest('second-report.json', '--maxWorkers=1', ...files)
  const failedAgain = failedFiles('second-report.json')
  // No report of the second run says what passed.
  if (second !== 0 && failedAgain.size === 0) return second
  const unstable = [...failed].filter(([file]) => !failedAgain.has(file))
  if (unstable.length === 0) return second
  // In a container, the checkout is often another user's.
  const revision = ['-c', 'safe.directory=*', 'rev-parse', '--short', 'HEAD']
  const commit = spawnSync('git', revision, { encoding: 'utf8' })
  const when = `${new Date().toISOString().slice(0, 10)} ${commit.stdout?.trim() ?? ''}`
  const lines = unstable.map(([file, line]) => `${when} ${file}: ${line}\n`).join('')
  appendFileSync('test/unstable.txt', lines)
  const names = unstable.map(([file]) => file).join(', ')
  console.error(`\nUnstable: failed once, then passed alone: ${names}`)
  console.error(`Now in test/unstable.txt, to commit:\n${lines}`)
  return second
}
