import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const again = fileURLToPath(new URL('../../.ci/again.mjs', import.meta.url))

/** In place of vitest: fails so often with all files in its report, then with those that last. */
const SCRIPT = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
const { failures, names, lasting } = JSON.parse(readFileSync('script.json', 'utf8'))
const runs = existsSync('runs') ? readFileSync('runs', 'utf8').split('\\n').length : 1
appendFileSync('runs', process.argv.slice(3).filter((text) => !text.includes('eport')).join(' ') + '\\n')
const report = process.argv.find((text) => text.startsWith('--outputFile.json='))
const assertionResults = [{}, { failureMessages: ['\\u001b[31mwants a | b\\u001b[39m\\n    at line 1'] }]
const failing = runs > failures ? lasting : names
const testResults = failing.map((name) => ({ name: join(process.cwd(), name), status: 'failed', assertionResults }))
if (report) writeFileSync(report.slice(18), JSON.stringify({ testResults }))
process.exitCode = runs > failures && lasting.length === 0 ? 0 : 1
`

/** Runs a script that fails so often. @returns its end, how it was run, and the lines written down */
function play(failures: number, names: readonly string[], lasting: readonly string[] = []) {
  const cwd = mkdtempSync(join(tmpdir(), 'pending-node-again-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }))
  mkdirSync(join(cwd, 'test'))
  writeFileSync(join(cwd, 'test/unstable.txt'), '')
  writeFileSync(join(cwd, 'script.mjs'), SCRIPT)
  writeFileSync(join(cwd, 'script.json'), JSON.stringify({ failures, names, lasting }))
  const { status, stderr } = spawnSync(process.execPath, [again, process.execPath, 'script.mjs'], {
    cwd,
    encoding: 'utf8',
  })
  const lines = (path: string) => readFileSync(join(cwd, path), 'utf8').split('\n').slice(0, -1)
  return { status, stderr, runs: lines('runs'), written: lines('test/unstable.txt') }
}

test('a file that fails once and passes alone is unstable, and written down', () => {
  const { status, stderr, runs, written } = play(1, ['test/a.test.ts'])
  expect([status, runs]).toEqual([0, ['', '--maxWorkers=1 test/a.test.ts']])
  expect(written).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d \w* test\/a\.test\.ts: wants a \| b$/),
  ])
  expect(stderr).toContain('Unstable: failed once, then passed alone: test/a.test.ts\n')
  expect(stderr).toContain(`Now in test/unstable.txt, to commit:\n${written[0]}\n`)
})

test('a file that passes alone is written down although another fails twice', () => {
  const names = ['test/a.test.ts', 'test/b.test.ts']
  const { status, written } = play(1, names, ['test/b.test.ts'])
  expect([status, written]).toEqual([1, [expect.stringContaining('test/a.test.ts: wants')]])
})

test.each([
  ['passes', 0, ['test/a.test.ts'], 0, 1],
  ['fails twice', 2, ['test/a.test.ts'], 1, 2],
  ['breaks off without a report of files', 1, [], 1, 1],
  ['has more failures than come by chance', 1, ['a', 'b', 'c', 'd'], 1, 1],
])('nothing is written down of a script that %s', (_, failures, names, code, count) => {
  const { status, runs, written } = play(failures, names)
  expect([status, runs.length, written]).toEqual([code, count, []])
})
