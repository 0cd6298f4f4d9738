// Compiles plugin/ and devnet/ into dist/, which is what the package exports and what `npx hardhat` runs here.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
// The wallet's code for browsers is a project of its own, since it knows the DOM and nothing of Node.js.
for (const project of ['tsconfig.build.json', 'tsconfig.browser.json']) {
  const { status } = spawnSync('tsc', ['-p', project], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

// What tsc leaves out: the files of the approval page that are served as they are.
const assets = new URL('../devnet/wallet/page/', import.meta.url)
for (const name of readdirSync(assets).filter((name) => /\.(?:html|css)$/.test(name))) {
  cpSync(new URL(name, assets), new URL(`../dist/devnet/wallet/page/${name}`, import.meta.url))
}

// Editors show the comment of an option's declaration. On the same line, so that the declaration's map stays right.
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
