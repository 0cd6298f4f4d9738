// Runs the tests of stack traces, of reports and of a team's suite with the oldest Hardhat that the
// package allows and with the newest one; `npm run test:full` has them with the one in between. By
// default some of each; with --all all; with `oldest` or `newest` on that Hardhat alone. A newest one
// that cannot be installed is skipped.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

const nomic = (...names) => names.map((name) => `@nomicfoundation/hardhat-${name}`)

/** Each with plugins of its time. */
const hardhats = {
  oldest: [
    'hardhat@3.8.0',
    ...nomic('toolbox-viem@5.0.7', 'toolbox-mocha-ethers@3.0.7', 'ethers@4.0.15', 'mocha@3.0.21'),
    ...nomic('node-test-runner@3.0.17', 'verify@3.0.21', 'keystore@3.0.12'),
    ...nomic('viem@3.0.8', 'network-helpers@3.0.9', 'ignition@3.1.6', 'ignition-viem@3.1.5'),
    ...nomic('ignition-ethers@3.1.5'),
  ],
  newest: ['hardhat@latest', ...nomic('toolbox-viem@latest', 'toolbox-mocha-ethers@latest')],
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What tests and their projects have besides, and the sources: in the versions of this project. */
const common = [
  ...['solc', 'viem', 'vitest', 'typescript', '@types/node'].map((name) => {
    return [name, manifest.devDependencies[name]]
  }),
  ...Object.entries(manifest.dependencies),
  ['@types/mocha', '10.0.10'],
].map((entry) => entry.join('@'))

const files = [
  'test/integration/stackTraces/equalFrames.test.ts',
  'test/full/reports.test.ts',
  'test/full/existingSuite.test.ts',
]

/** Of the full names of tests: one client, one runner and one network. */
const some = '^(?:pending .* viem, send$|node:test.* pending)'

const isWhole = process.argv.includes('--all')

function run(command, args, cwd, env = {}) {
  const { status } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  return status === 0
}

/** The package as it is packed, in a folder. */
function packed(folder) {
  if (!run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root)) {
    throw new Error('The package could not be packed.')
  }
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  )
}

/** This project's sources and tests, beside the packages that are installed in a folder. */
function addSources(folder) {
  const programs = join(root, 'test/programs')
  for (const name of ['package.json', 'plugin', 'devnet', 'test', 'dist']) {
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      // Programs of others, with packages of their own.
      filter: (path) => path !== programs,
    })
  }
  const anvil = 'node_modules/.cache/anvil'
  if (existsSync(join(root, anvil)))
    cpSync(join(root, anvil), join(folder, anvil), { recursive: true })
  const test = { testTimeout: 600_000, hookTimeout: 600_000, maxWorkers: '100%' }
  writeFileSync(
    join(folder, 'vitest.config.js'),
    `export default ${JSON.stringify({ test: { ...test, include: ['test/**/*.test.ts'] } })}`,
  )
}

/**
 * Hardhat 3.8 makes networks fail, its own too, that are made while it sets up its engine, such as
 * those of two test files: with these options of Node.js, it is set up in advance. Not in threads of
 * loaders, because a second set-up in a process prints a line.
 */
function engineFirst(folder) {
  const context = join(folder, 'node_modules/hardhat/dist/src/internal/edr/context.js')
  const preload = join(folder, 'preload.mjs')
  writeFileSync(
    preload,
    `import { isMainThread } from 'node:worker_threads'
if (isMainThread) {
  const { getGlobalEdrContext } = await import(${JSON.stringify(pathToFileURL(context).href)})
  await getGlobalEdrContext()
}
`,
  )
  return { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` }
}

function test(name, packages, file) {
  const folder = mkdtempSync(join(tmpdir(), 'pending-node-hardhat-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    if (!run('npm', ['install', ...flags, file, ...packages, ...common], folder)) {
      if (name !== 'newest') throw new Error(`${packages[0]} could not be installed.`)
      // A Hardhat that nobody can install yet does not stop a release.
      console.warn('Skipped: the newest Hardhat cannot be installed.')
      return
    }
    const hardhat = readFileSync(join(folder, 'node_modules/hardhat/package.json'), 'utf8')
    console.log(`\nhardhat ${JSON.parse(hardhat).version}, the ${name}`)
    addSources(folder)
    const chosen = isWhole ? ['test/integration/stackTraces', ...files.slice(1)] : files
    const filter = isWhole ? [] : ['--testNamePattern', some]
    const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
    const env = {
      HARDHAT_PACKAGES: join(folder, 'node_modules'),
      ...(name === 'oldest' ? engineFirst(folder) : {}),
    }
    if (
      !run(
        process.execPath,
        [vitest, 'run', '--hideSkippedTests', ...filter, ...chosen],
        folder,
        env,
      )
    ) {
      process.exitCode = 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const folder = mkdtempSync(join(tmpdir(), 'pending-node-pack-'))
try {
  const file = packed(folder)
  const named = Object.keys(hardhats).filter((name) => process.argv.includes(name))
  for (const [name, packages] of Object.entries(hardhats)) {
    if (named.length === 0 || named.includes(name)) test(name, packages, file)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
