// Plays all of what `.ci/run` plays a share of: the long random tests, the node's tests on the
// library, the random ones with the library as the judge (test/full/vitest.config.ts), and all
// tests of hardhats.mjs. With `--part 1/3` one of three parts, the same at each run. Files select
// some tests.
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string', default: '1/1' } },
})
const [, part, parts] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.part) ?? []
if (!(Number(part) <= Number(parts))) throw new Error(`--part is one as 1/3, not ${values.part}.`)

const shard = parts === '1' ? [] : ['--shard', values.part]
const config = ['--config', 'test/full/vitest.config.ts', '--mode', 'long']
run('vitest', 'run', ...config, ...shard, ...positionals)
if (part === parts && positionals.length === 0) run('node', '.ci/hardhats.mjs', '--all')

function run(command, ...args) {
  const shell = process.platform === 'win32'
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell })
  if (status !== 0) process.exitCode = status ?? 1
}
