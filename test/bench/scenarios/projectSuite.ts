import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToolboxProject } from '../../full/toolboxProject.ts'
import type { Measurement, Scenario } from '../scenario.ts'

type Project = Awaited<ReturnType<typeof createToolboxProject>>

const NETWORKS = ['default', 'instant', 'pending'] as const

interface Suite {
  readonly name: string
  readonly args: readonly string[]
  /** Test files of the suite, and one with nothing but an empty test. */
  readonly file: string
  readonly empty: string
}

const suites: readonly Suite[] = [
  {
    name: 'viem',
    args: ['test', 'nodejs'],
    file: 'test/viem/market.ts',
    empty: 'empty/viem.ts',
  },
  {
    name: 'ethers',
    args: ['--config', 'ethers.config.ts', 'test', 'mocha'],
    file: 'test/ethers/market.ts',
    empty: 'empty/ethers.ts',
  },
]

const flags: Readonly<Record<string, readonly string[]>> = {
  '': [],
  ', --coverage': ['--coverage'],
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
  mkdirSync(join(created.folder, 'empty'))
  writeFileSync(
    join(created.folder, 'empty/viem.ts'),
    `import { it } from 'node:test'\nit('does nothing', () => {})\n`,
  )
  writeFileSync(join(created.folder, 'empty/ethers.ts'), `it('does nothing', () => {})\n`)
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
      for (const [label, flag] of Object.entries(flags)) {
        measurements.push(...(await compare(await project, suite, { label, flag, round })))
      }
    }
    return measurements
  },
}

async function compare(
  { folder }: Project,
  { name, args, file, empty }: Suite,
  { label, flag, round }: { label: string; flag: readonly string[]; round: number },
): Promise<Measurement[]> {
  // Each round begins with the next network, so that none always finds the caches warm.
  const order = NETWORKS.map((_, index) => NETWORKS[(index + round) % NETWORKS.length] ?? 'default')
  const run = (test: string, network: string) =>
    spend({ folder }, [...args, '--network', network, ...flag, test])
  // Coverage compiles the contracts anew, and so does its end.
  await run(empty, 'default')
  const base = await run(empty, 'default')
  const spent = new Map<string, Spent>()
  for (const network of order) spent.set(network, await run(file, network))
  const own = spent.get('default') ?? base
  const values: Measurement[] = []
  for (const kind of ['cpu', 'wall'] as const) {
    values.push({
      metric: `${name}${label}, default, ${kind}`,
      unit: 'ms',
      better: 'neither',
      value: own[kind] - base[kind],
    })
    for (const network of ['instant', 'pending']) {
      const ours = spent.get(network) ?? base
      values.push({
        metric: `${name}${label}, ${network} / default, ${kind}`,
        unit: '×',
        better: 'lower',
        value: (ours[kind] - base[kind]) / (own[kind] - base[kind]),
      })
    }
  }
  return values
}

/** Runs Hardhat to its end. A test that compares blocks fails on `pending`, which costs nothing. */
async function spend({ folder }: Pick<Project, 'folder'>, args: readonly string[]): Promise<Spent> {
  const hardhat = join(folder, 'node_modules/hardhat/dist/src/cli.js')
  // The shell tells the CPU time of the processes that it has waited for, and of theirs.
  const script = '"$@" >output.txt 2>&1; times'
  const begin = performance.now()
  const times = await new Promise<string>((resolve, reject) => {
    const command = ['-c', script, 'sh', process.execPath, hardhat, ...args]
    execFile('sh', command, { cwd: folder }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
  })
  const wall = performance.now() - begin
  const [, children = ''] = times.trim().split('\n')
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
  const cpu = parts.reduce((sum, [, m, s]) => sum + Number(m) * 60_000 + Number(s) * 1000, 0)
  return { wall, cpu }
}
