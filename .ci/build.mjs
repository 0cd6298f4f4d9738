// Builds plugin/ and devnet/ into dist/, which is what the package exports and what `npx hardhat`
// runs here: declarations by tsc, JavaScript by pack.mjs.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { bundle } from './bundle.mjs'
import core from './core.mjs'
import pack from './pack.mjs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (status !== 0) process.exit(status ?? 1)

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
    readFileSync(declarations, 'utf8').replace(/^ {4}(?=readonly (\w+): \{$)/gm, (indent, name) => {
      const { description } = table[name]
      return `${indent}/** ${description} Default: ${shownDefault(table[name])} */ `
    }),
  )
}
