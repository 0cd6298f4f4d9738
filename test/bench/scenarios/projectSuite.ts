import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToolboxProject } from '../../full/toolboxProject.ts'
import { root } from '../project.ts'
import type { Measurement, Scenario } from '../scenario.ts'

type Project = Awaited<ReturnType<typeof createToolboxProject>>

const NETWORKS = ['default', 'instant', 'pending'] as const

/** What is run in turn: the suite on each network, and an empty test. */
const RUNS = ['empty', ...NETWORKS] as const

interface Suite {
  readonly name: string
  /** Arguments of Node.js in the project, which the test file follows. */
  readonly command: (network: string) => readonly string[]
  /** Test files of the suite, and one with nothing but an empty test. */
  readonly file: string
  readonly empty: string
}

const HARDHAT = 'node_modules/hardhat/dist/src/cli.js'
const VITEST = 'node_modules/vitest/vitest.mjs'

const viem = { file: 'test/viem/market.ts', empty: 'test/viem/empty.ts' }

const suites: readonly Suite[] = [
  {
    name: 'viem',
    command: (network) => [HARDHAT, 'test', 'nodejs', '--network', network],
    ...viem,
  },
  {
    name: 'ethers',
    command: (network) => {
      return [HARDHAT, '--config', 'ethers.config.ts', 'test', 'mocha', '--network', network]
    },
    file: 'test/ethers/market.ts',
    empty: 'test/ethers/empty.ts',
  },
  { name: 'vitest', command: (network) => [VITEST, 'run', '--mode', network], ...viem },
]

/** Hardhat takes its options from the environment, too, and so under vitest. */
const flags: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  '': {},
  ', --coverage': { HARDHAT_COVERAGE: 'true' },
}

/** ms that a run took, and its processes computed. */
interface Spent {
  readonly wall: number
  readonly cpu: number
}

let project: Promise<Project> | undefined
let rounds = 0

/** The project that test/full runs on each network, installed once. */
async function createProject(): Promise<Project> {
  const created = await createToolboxProject('market')
  process.on('exit', () => created[Symbol.dispose]())
  const nothing = `it('does nothing', () => {})\n`
  writeFileSync(
    join(created.folder, 'test/viem/empty.ts'),
    `import { it } from 'node:test'\n${nothing}`,
  )
  writeFileSync(join(created.folder, 'test/ethers/empty.ts'), nothing)
  // With the plugin's set-up, without which vitest counts no hits.
  cpSync(join(root, 'test/full/reports/vitest.config.ts'), join(created.folder, 'vitest.config.ts'))
  return created
}

/** What a team's suite costs on the plugin's networks, beside Hardhat's own. */
export const projectSuite: Scenario = {
  name: 'projectSuite',
  about:
    "a project's suite on the plugin's networks over Hardhat's own, each less the run of an empty test",
  peers: ['ours'],
  rounds: 5,
  async measure() {
    project ??= createProject()
    const measurements: Measurement[] = []
    const round = rounds++
    for (const suite of suites) {
      for (const [label, env] of Object.entries(flags)) {
        measurements.push(...(await compare(await project, suite, { label, env, round })))
      }
    }
    return measurements
  },
}

async function compare(
  { folder }: Project,
  { name, command, file, empty }: Suite,
  { label, env, round }: { label: string; env: NodeJS.ProcessEnv; round: number },
): Promise<Measurement[]> {
  const run = (kind: (typeof RUNS)[number]) =>
    kind === 'empty'
      ? spend({ folder, env, fails: false }, [...command('default'), empty])
      : // A test that compares blocks may fail on `pending`, which costs nothing.
        spend({ folder, env, fails: kind === 'pending' }, [...command(kind), file])
  // Coverage compiles the contracts anew, and so does its end.
  await run('empty')
  // Each round begins with the next run, so that none always finds the caches warm.
  const order = RUNS.map((_, index) => RUNS[(index + round) % RUNS.length] ?? 'empty')
  const spent = new Map<string, Spent>()
  for (const kind of order) spent.set(kind, await run(kind))
  /** Without what an empty test costs. */
  const cost = (network: string, unit: keyof Spent) =>
    (spent.get(network)?.[unit] ?? 0) - (spent.get('empty')?.[unit] ?? 0)
  const values: Measurement[] = []
  for (const unit of ['cpu', 'wall'] as const) {
    const own = cost('default', unit)
    values.push({
      metric: `${name}${label}, default, ${unit}`,
      unit: 'ms',
      better: 'neither',
      value: own,
    })
    for (const network of ['instant', 'pending']) {
      values.push({
        metric: `${name}${label}, ${network} / default, ${unit}`,
        unit: '×',
        better: 'lower',
        value: cost(network, unit) / own,
      })
    }
  }
  return values
}

/** Runs tests to their end. @throws {Error} if there are failures, and these are not expected */
async function spend(
  { folder, env, fails }: { folder: string; env: NodeJS.ProcessEnv; fails: boolean },
  args: readonly string[],
): Promise<Spent> {
  // The shell tells the CPU time of the processes that it has waited for, and of theirs.
  const script = '"$@" >output.txt 2>&1; code=$?; times; exit $code'
  const begin = performance.now()
  const times = await new Promise<string>((resolve, reject) => {
    const command = ['-c', script, 'sh', process.execPath, ...args]
    const options = { cwd: folder, env: { ...process.env, ...env } }
    execFile('sh', command, options, (error, stdout) =>
      error === null || fails ? resolve(stdout) : reject(error),
    )
  })
  const wall = performance.now() - begin
  const [, children = ''] = times.trim().split('\n')
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
  const cpu = parts.reduce((sum, [, m, s]) => sum + Number(m) * 60_000 + Number(s) * 1000, 0)
  return { wall, cpu }
}
