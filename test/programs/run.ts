// Plays every program of the table against a node in every mode, and compares with what the table
// says. Arguments select rows by their names: `npm run test:programs -- cast viem`. With
// `--share <seed>` each is played in one mode, which the seed, a whole number, chooses.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Mode, modes, type Network, networks } from './modes.ts'
import { type Outcome, programs } from './outcomes.ts'
import { shareOf } from './share.ts'
import { startNode } from './startNode.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Time in ms that one program may take in one mode; one that hangs has failed. */
const TIME_LIMIT = 90_000

/** Time in ms between two seals of a node on which a program fails, if the table does not say one. */
const FAILURE_SEAL_INTERVAL = 30_000

/** Installs the programs, unless what is installed is what the lock file says. */
function install() {
  const installed = join(folder, 'node_modules/.package-lock.json')
  const locked = join(folder, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(locked).mtimeMs) return
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['ci', ...flags], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error('The programs could not be installed.')
}

/** Checks the types of the scenarios, which need the programs, and so are not part of the project. */
function checkTypes() {
  const { status } = spawnSync('npx', ['tsc', '-p', folder], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The scenarios have wrong types.')
}

interface Played {
  readonly code: number | null
  readonly output: string
}

/** Runs a scenario in a group of processes of its own, of which nothing stays behind. */
async function play(scenario: string, url: string): Promise<Played> {
  const scratch = mkdtempSync(join(tmpdir(), 'pending-node-program-'))
  try {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(folder, 'scenarios', `${scenario}.ts`), url],
      {
        cwd: scratch,
        detached: true,
        // Nothing that is played reports its use to anybody.
        env: {
          ...process.env,
          HARDHAT_DISABLE_TELEMETRY: 'true',
          PONDER_TELEMETRY_DISABLED: 'true',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const { pid } = child
    if (pid === undefined) throw new Error(`${scenario} could not be started.`)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += String(data)
      })
    }
    const end = () => process.kill(-pid, 'SIGKILL')
    process.once('exit', end)
    const { promise, resolve } = Promise.withResolvers<number | null>()
    child.once('close', resolve)
    const timer = setTimeout(() => {
      output += `\nno end within ${TIME_LIMIT} ms`
      end()
    }, TIME_LIMIT)
    const code = await promise
    clearTimeout(timer)
    process.off('exit', end)
    return { code, output }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

function flagsOf(mode: Mode | Network, expected: Outcome): string[] {
  const definition = { ...modes, ...networks }[mode]
  const usual = 'sealInterval' in definition ? definition.sealInterval : undefined
  const interval = expected === 'works' ? usual : (expected.sealInterval ?? FAILURE_SEAL_INTERVAL)
  const clock = interval === undefined ? [] : ['--seal-interval', String(interval)]
  return [...definition.flags, ...clock]
}

/** What is wrong with what a program did; `undefined` if it is what the table says. */
function difference(expected: Outcome, { code, output }: Played): string | undefined {
  if (expected === 'works') return code === 0 ? undefined : `fails:\n${tail(output)}`
  if (code === 0) return `works, and the table says that it fails with "${expected.fails}"`
  if (output.includes(expected.fails)) return undefined
  return `fails without "${expected.fails}":\n${tail(output)}`
}

function tail(output: string): string {
  return output.trim().split('\n').slice(-30).join('\n')
}

const {
  values: { share: seed },
  positionals: wanted,
} = parseArgs({ allowPositionals: true, options: { share: { type: 'string' } } })
if (seed !== undefined && !/^\d+$/.test(seed)) {
  throw new Error(`--share takes a whole number, not ${seed}.`)
}
const share = seed === undefined ? undefined : shareOf(Number(seed))
const unknown = wanted.filter((name) => !Object.hasOwn(programs, name))
if (unknown.length > 0) {
  throw new Error(
    `No such rows: ${unknown.join(', ')}. There are: ${Object.keys(programs).join(', ')}.`,
  )
}

// Whatever ends this process, no other stays behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (seed !== undefined) console.log(`The share of seed ${seed}: each program in one mode.`)
install()
checkTypes()
let passed = 0
let failed = 0
for (const [name, { outcomes, onNetworks }] of Object.entries(programs)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const all = Object.entries({ ...outcomes, ...onNetworks })
  // Object.entries() forgets what the keys are.
  for (const [mode, expected] of all as [Mode | Network, Outcome][]) {
    if (share !== undefined && share.get(name) !== mode) continue
    const start = performance.now()
    await using node = await startNode(...flagsOf(mode, expected))
    const played = await play(name, node.url)
    const wrong = difference(expected, played)
    const time = `${((performance.now() - start) / 1_000).toFixed(1)} s`
    if (wrong === undefined) {
      passed++
      const outcome = expected === 'works' ? 'works' : `fails: ${expected.fails}`
      console.log(`${name}, ${mode}: ${outcome} (${time})`)
    } else {
      failed++
      console.error(`${name}, ${mode}: ${wrong} (${time})`)
    }
  }
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
