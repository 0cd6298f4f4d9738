// Bundles the pages' and the wallet's code for browsers into dist/, from where both the compiled
// package and the sources serve it. Runs in the build and before each test run, so that no test sees
// an old bundle.
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
  return [...bundleWallet(), ...bundleDashboard()]
}

function bundleWallet() {
  const entryPoints = [
    { in: 'page/main.ts', out: 'page' },
    { in: 'page/styles.css', out: 'page' },
    { in: 'provider/install.ts', out: 'provider' },
  ]
  return build('wallet', { entryPoints })
}

function bundleDashboard() {
  const entryPoints = [
    { in: 'page/app.tsx', out: 'page' },
    { in: 'page/dashboard.css', out: 'page' },
  ]
  const jsx = { jsx: 'automatic', jsxImportSource: 'preact' }
  // The libraries' licenses are in LICENSES.txt.
  const output = { format: 'esm', target: 'es2023', minify: true, legalComments: 'none' }
  return build('dashboard', { entryPoints, ...jsx, ...output })
}

function build(room, options) {
  const absWorkingDir = `${root}devnet/${room}/`
  const outdir = `${root}dist/devnet/${room}/browser/`
  const common = { absWorkingDir, outdir, bundle: true, charset: 'utf8', metafile: true }
  const { metafile } = buildSync({ ...common, ...options })
  cpSync(`${absWorkingDir}page/page.html`, `${outdir}page.html`)
  return Object.keys(metafile.inputs)
    .filter((path) => path.includes('node_modules'))
    .map((path) => resolve(absWorkingDir, path))
}
