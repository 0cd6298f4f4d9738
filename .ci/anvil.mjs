// Fetches anvil for tests and benchmarks, once. Not a dependency: its packages for other systems are
// optional ones, which a lock file written on one system does not hold. Without network, the tests that
// need it are skipped; with CI=true that fails.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { anvilProgram } from '../test/support/anvil.ts'

const PACKAGE = '@foundry-rs/anvil@1.7.1'
const folder = fileURLToPath(new URL('../node_modules/.cache/anvil/', import.meta.url))

export default function anvil() {
  if (anvilProgram() !== undefined) return
  mkdirSync(folder, { recursive: true })
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1']
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...flags, PACKAGE], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  // npm leaves out the package with the program without a word if it cannot have it: it is optional.
  if (status === 0 && anvilProgram() !== undefined) return
  const message = `${PACKAGE} could not be installed`
  if (process.env.CI === 'true') throw new Error(message)
  console.warn(`${message}: tests that need it are skipped.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) anvil()
