// Compiles plugin/ and devnet/ into dist/, which is what the package exports and what `npx hardhat` runs here.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'

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
const assets = new URL('../devnet/wallet/browser/client/page/', import.meta.url)
for (const name of readdirSync(assets).filter((name) => /\.(?:html|css)$/.test(name))) {
  cpSync(
    new URL(name, assets),
    new URL(`../dist/devnet/wallet/browser/client/page/${name}`, import.meta.url),
  )
}
