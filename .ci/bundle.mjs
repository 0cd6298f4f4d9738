// Bundles the pages' and the wallet's code for browsers into dist/, from where both the compiled
// package and the sources serve it, and puts the native binaries beside them. Runs in the build and
// before each test run, so that no test sees an old bundle.
import { cpSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))

export default function setUp() {
  bundle()
}

/** @returns the paths of the files of libraries that became part of the bundles */
export function bundle() {
  const binaries = resolve(root, 'node_modules/secp256k1/prebuilds')
  // Never over one that is there: a running process may have it mapped, and would crash.
  cpSync(binaries, `${root}dist/native`, { recursive: true, force: false })
  return [
    binaries,
    ...build('wallet', [{ in: 'wallet/provider/install.ts', out: 'provider' }]),
    ...buildPage('wallet', 'approvalPage.tsx'),
    ...buildPage('dashboard', 'app.tsx'),
  ]
}

function buildPage(room, script) {
  const entryPoints = [script, 'page.css'].map((name) => ({
    in: `pages/${room}/${name}`,
    out: 'page',
  }))
  const jsx = { jsx: 'automatic', jsxImportSource: 'preact' }
  // The libraries' licenses are in LICENSES.txt.
  const output = { format: 'esm', target: 'es2023', minify: true, legalComments: 'none' }
  cpSync(`${root}devnet/pages/${room}/page.html`, `${root}dist/devnet/${room}/browser/page.html`)
  return build(room, entryPoints, { ...jsx, ...output })
}

function build(room, entryPoints, options) {
  const absWorkingDir = `${root}devnet/`
  const outdir = `${root}dist/devnet/${room}/browser/`
  const common = { absWorkingDir, outdir, entryPoints, bundle: true, charset: 'utf8' }
  const { metafile } = buildSync({ ...common, metafile: true, ...options })
  return Object.keys(metafile.inputs)
    .filter((path) => path.includes('node_modules'))
    .map((path) => resolve(absWorkingDir, path))
}
