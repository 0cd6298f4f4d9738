// Builds plugin/ and devnet/ into dist/, which is what the package exports and what `npx hardhat`
// runs here: declarations by tsc, JavaScript by pack.mjs. A build of the same inputs stays.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'
import core from './core.mjs'
import pack from './pack.mjs'

const stamp = new URL('../dist/.inputs', import.meta.url)
const inputs = hashOfInputs()
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) {
  // A test run may have made these two of other sources.
  bundle()
  core()
  console.log('dist/ is up to date.')
  process.exit()
}
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (status !== 0) process.exit(status ?? 1)

keepReachableDeclarations()
const bundled = bundle()
core()
await pack(bundled)

// Adds each option's description to its declaration as a comment, which editors show. It goes on
// the same line, so that the declaration's map stays right.
const { optionTable, shownDefault } = await import('../dist/devnet/options/optionTable.js')
const { walletOptionTable } = await import('../dist/devnet/options/walletOptions.js')
for (const [name, table] of [
  ['optionTable', optionTable],
  ['walletOptions', walletOptionTable],
]) {
  const declarations = new URL(`../dist/devnet/options/${name}.d.ts`, import.meta.url)
  writeFileSync(
    declarations,
    readFileSync(declarations, 'utf8').replace(
      /^ {4,8}(?=readonly (\w+): \{$)/gm,
      (indent, name) => {
        const option = table[name]
        // The name of a group.
        if (option === undefined) return indent
        return `${indent}/** ${option.description} Default: ${shownDefault(option)} */ `
      },
    ),
  )
}

writeFileSync(stamp, inputs)

/** A hash of all that dist/ follows from: sources, settings, this build, installed packages. */
function hashOfInputs() {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const sources = ['devnet', 'plugin'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
      .map(({ parentPath, name }) => join(parentPath, name)),
  )
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json']
  const scripts = ['build', 'bundle', 'core', 'pack'].map((name) => `.ci/${name}.mjs`)
  const installed = 'node_modules/.package-lock.json'
  const others = [...settings, ...scripts, installed].map((path) => join(root, path))
  const hash = createHash('sha256')
  for (const path of [...sources.sort(), ...others]) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

/** Removes the declarations that no entry of the package reaches: 9 in 10. */
function keepReachableDeclarations() {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const kept = new Set(
    Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : join(root, types))),
  )
  // Grows while it is walked.
  for (const path of kept) {
    const named = /(?:\bfrom |\bimport\(|^import )['"](\.[^'"]+)['"]/gm
    for (const [, name] of readFileSync(path, 'utf8').matchAll(named)) {
      kept.add(join(dirname(path), name.replace(/\.[jt]sx?$/, '.d.ts')))
    }
  }
  const dist = join(root, 'dist')
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, name)
    if (name.endsWith('.d.ts') && !kept.has(path)) rmSync(path)
  }
}
