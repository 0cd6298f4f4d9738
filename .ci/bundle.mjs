// Bundles the wallet's code for browsers into dist/, from where both the compiled package and the
// sources serve it. Runs in the build and before each test run, so that no test sees an old bundle.
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const wallet = fileURLToPath(new URL('../devnet/wallet/', import.meta.url))
const outdir = fileURLToPath(new URL('../dist/devnet/wallet/browser/', import.meta.url))

export default function bundle() {
  const entryPoints = [
    { in: 'page/main.ts', out: 'page' },
    { in: 'page/styles.css', out: 'page' },
    { in: 'provider/install.ts', out: 'provider' },
  ]
  buildSync({ entryPoints, absWorkingDir: wallet, outdir, bundle: true, charset: 'utf8' })
  cpSync(`${wallet}page/page.html`, `${outdir}page.html`)
}
