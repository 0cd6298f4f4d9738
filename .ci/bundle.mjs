// Bundles the code for browsers into dist/, from where both the compiled package and the
// sources serve it. Runs in the build and before each test run, so that no test sees an old bundle.
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

export default function bundle() {
  bundleRoom('wallet', [
    { in: 'page/main.ts', out: 'page' },
    { in: 'page/styles.css', out: 'page' },
    { in: 'provider/install.ts', out: 'provider' },
  ])
  bundleRoom('dashboard', [
    { in: 'page/start.ts', out: 'page' },
    { in: 'page/styles.css', out: 'page' },
  ])
}

/** Bundles what a room has for browsers, its page among it. */
function bundleRoom(name, entryPoints) {
  const room = fileURLToPath(new URL(`../devnet/${name}/`, import.meta.url))
  const outdir = fileURLToPath(new URL(`../dist/devnet/${name}/browser/`, import.meta.url))
  buildSync({ entryPoints, absWorkingDir: room, outdir, bundle: true, charset: 'utf8' })
  cpSync(`${room}page/page.html`, `${outdir}page.html`)
}
