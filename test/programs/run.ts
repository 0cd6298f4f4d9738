// Plays every program of the table against a node in every mode, and compares the outcome with the
// table. Then runs the tests of examples that need many packages, and checks the packed package
// (packaging/rows.ts), or the one of `--package <file>`. Arguments select rows by their names:
// `npm run test:programs -- cast viem`. With `--share <seed>` each program is played in one mode, and
// the package with one package manager on one Node.js, chosen by the seed, a whole number.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type AnvilMode, anvilModes, type Mode, modes, type Network, networks } from './modes.ts'
import { type Outcome, programs } from './outcomes.ts'
import { packagings } from './packaging/rows.ts'
import { packagingShareOf, shareOf } from './share.ts'
import { startNode } from './startNode.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Time in ms that one program may take in one mode; one that hangs has failed. */
const TIME_LIMIT = 90_000

/** The same of an installation, most of which is downloads. */
const INSTALL_TIME_LIMIT = 300_000

/** The same of the tests of an example, which end themselves before. */
const EXAMPLE_TIME_LIMIT = 240_000

/** Folders in `examples/`, whose packages are among those of the programs. */
const examples = ['ponder-reorg', 'wagmi-playwright']

/** Time in ms between two seals of a node on which a program fails, if the table does not say one. */
const FAILURE_SEAL_INTERVAL = 30_000

/** Installs the programs of a folder, unless what is installed is what the lock file says. */
function install(cwd: string) {
  const installed = join(cwd, 'node_modules/.package-lock.json')
  const locked = join(cwd, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(locked).mtimeMs) return
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['ci', ...flags], { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error(`The programs of ${cwd} could not be installed.`)
}

/** Checks the types of the scenarios, which need the programs, and so are not part of the project. */
function checkTypes(cwd: string) {
  const { status } = spawnSync('npx', ['tsc', '-p', cwd], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error(`The scenarios of ${cwd} have wrong types.`)
}

interface Played {
  readonly code: number | null
  readonly output: string
}

/**
 * Runs a scenario in a group of processes of its own, of which nothing stays behind.
 *
 * @param limit - time in ms
 */
async function play(scenario: string, args: string[], limit = TIME_LIMIT): Promise<Played> {
  const scratch = mkdtempSync(join(tmpdir(), 'pending-node-program-'))
  try {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(folder, `${scenario}.ts`), ...args],
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
    const closed = Promise.withResolvers<number | null>()
    child.once('close', closed.resolve)
    const timer = setTimeout(() => {
      output += `\nno end within ${limit} ms`
      end()
    }, limit)
    const code = await closed.promise
    clearTimeout(timer)
    process.off('exit', end)
    return { code, output }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

function flagsOf(mode: Mode | AnvilMode | Network, expected: Outcome): string[] {
  const definition = { ...modes, ...anvilModes, ...networks }[mode]
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

/** What is wrong with the lines in which the node says what helps; `undefined` if nothing. */
function unexpectedHints(isNoticed: boolean, hints: readonly string[]): string | undefined {
  const fits = hints.every((line) => line.includes('--receipts sealed or --instant: https://'))
  if (hints.length === (isNoticed ? 1 : 0) && fits) return undefined
  return `wants ${isNoticed ? 'one hint' : 'no hint'} of the node, and there came: ${hints.join('\n')}`
}

function tail(output: string): string {
  return output.trim().split('\n').slice(-30).join('\n')
}

/** Counts and prints how a row was played. */
function report(title: string, outcome: string, wrong: string | undefined, start: number) {
  const time = `${((performance.now() - start) / 1_000).toFixed(1)} s`
  if (wrong === undefined) {
    passed++
    console.log(`${title}: ${outcome} (${time})`)
  } else {
    failed++
    console.error(`${title}: ${wrong} (${time})`)
  }
}

/** Packs the package, as it is built, into a folder. */
function pack(into: string): string {
  const flags = ['--ignore-scripts', '--silent', '--pack-destination', into]
  const { status, stdout } = spawnSync('npm', ['pack', ...flags], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error('The package could not be packed.')
  return join(into, stdout.trim())
}

const {
  values: { share: seed, package: given },
  positionals: wanted,
} = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string' }, package: { type: 'string' } },
})
if (seed !== undefined && !/^\d+$/.test(seed)) {
  throw new Error(`--share takes a whole number, not ${seed}.`)
}
const share = seed === undefined ? undefined : shareOf(Number(seed))
const packagingShare = seed === undefined ? undefined : packagingShareOf(Number(seed))
const names = [...Object.keys(programs), ...examples, ...Object.keys(packagings)]
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  throw new Error(`No such rows: ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
}
const isWanted = ([name]: readonly [string, ...unknown[]]) =>
  wanted.length === 0 || wanted.includes(name)
const wantedPrograms = Object.entries(programs).filter(isWanted)
const wantedExamples = examples.filter((name) => isWanted([name]))
const wantedPackagings = Object.entries(packagings).filter(isWanted)

// Whatever ends this process, no other stays behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (seed !== undefined) console.log(`The share of seed ${seed}: each program in one mode.`)
let passed = 0
let failed = 0
if (wantedPrograms.length > 0 || wantedExamples.length > 0) install(folder)
if (wantedPrograms.length > 0) checkTypes(folder)
for (const [name, { outcomes, likeAnvil, onNetworks, isNoticed }] of wantedPrograms) {
  const all = Object.entries({ ...outcomes, ...likeAnvil, ...onNetworks })
  // Object.entries() forgets what the keys are.
  for (const [mode, expected] of all as [Mode | AnvilMode | Network, Outcome][]) {
    if (share !== undefined && share.get(name) !== mode) continue
    const start = performance.now()
    await using node = await startNode(...flagsOf(mode, expected))
    const played = await play(`scenarios/${name}`, [node.url])
    const outcome = expected === 'works' ? 'works' : `fails: ${expected.fails}`
    await node[Symbol.asyncDispose]()
    const isHinted = (mode === 'default' || mode === 'anvil') && (isNoticed ?? expected !== 'works')
    const wrong = difference(expected, played) ?? unexpectedHints(isHinted, node.hints)
    report(`${name}, ${mode}`, outcome, wrong, start)
  }
}
for (const name of wantedExamples) {
  const start = performance.now()
  const played = await play('example.child', [name], EXAMPLE_TIME_LIMIT)
  report(`example ${name}`, 'works', difference('works', played), start)
}
if (wantedPackagings.length > 0) {
  const packaging = join(folder, 'packaging')
  install(packaging)
  checkTypes(packaging)
  const packed = mkdtempSync(join(tmpdir(), 'pending-node-pack-'))
  try {
    const file = given === undefined ? pack(packed) : resolve(given)
    for (const [name, versions] of wantedPackagings) {
      for (const version of versions) {
        if (packagingShare !== undefined && packagingShare.get(name) !== version) continue
        const start = performance.now()
        const played = await play(`packaging/${name}`, [file, version], INSTALL_TIME_LIMIT)
        const title = `${name}, ${version === 'own' ? process.version : `Node.js ${version}`}`
        report(title, 'works', difference('works', played), start)
      }
    }
  } finally {
    rmSync(packed, { recursive: true, force: true, maxRetries: 3 })
  }
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
