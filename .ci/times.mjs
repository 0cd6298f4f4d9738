// Plays the test files of `npm test`, or those that are named, and tells what each takes. All of
// them, sorted by file, go into a file in node_modules/.cache; the slowest are printed, and with
// --write stand in CONTRIBUTING.md. The figures are those of the file's worker, threads included, from its
// imports to its last test. Processes that a test starts are not in the CPU time, and modules count
// where a worker loads them first.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const SLOWEST = 20

const root = fileURLToPath(new URL('../', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' } },
})

if (values.write && positionals.length > 0) throw new Error('--write is about all files.')

const start = performance.now()
const vitest = await startVitest('test', positionals, {
  root,
  watch: false,
  setupFiles: [join(root, '.ci/cpu.mjs')],
})
const wall = performance.now() - start
// A file that breaks off before its last test has no figures.
const files = vitest.state.getTestModules().map((module) => ({
  path: relative(root, module.moduleId),
  tests: [...module.children.allTests()].length,
  wall: 0,
  cpu: 0,
  ...module.meta(),
}))
await vitest.close()

const folder = join(root, 'node_modules/.cache/hardhat-pending-node')
mkdirSync(folder, { recursive: true })
const all = join(folder, 'times.md')
writeFileSync(all, table(files.toSorted((one, other) => (one.path < other.path ? -1 : 1))))
const slowest = files.toSorted((one, other) => other.cpu - one.cpu).slice(0, SLOWEST)
const [cpu, tests] = ['cpu', 'tests'].map((key) => files.reduce((sum, file) => sum + file[key], 0))
const summary = `${tests} tests in ${files.length} files: ${seconds(wall)} s on ${availableParallelism()} cores, ${seconds(cpu)} s of CPU in the workers.`
console.log(`\n${table(slowest)}\n${summary}\nAll files: ${all}`)
if (values.write) write(`${summary}\n\n${table(slowest)}`)

function table(rows) {
  const lines = rows.map(
    ({ path, wall, cpu, tests }) =>
      `| \`${path}\` | ${seconds(wall)} | ${seconds(cpu)} | ${tests} |`,
  )
  return ['| File | Wall, s | CPU, s | Tests |', '|---|---|---|---|', ...lines, ''].join('\n')
}

function seconds(time) {
  return (time / 1_000).toFixed(1)
}

function write(part) {
  const path = join(root, 'CONTRIBUTING.md')
  const text = readFileSync(path, 'utf8')
  const place = /(?<=<!-- times: [^>]*-->\n).*(?=<!-- \/times -->)/s
  if (!place.test(text)) throw new Error(`${path} has no part "times".`)
  writeFileSync(
    path,
    text.replace(place, () => part),
  )
}
