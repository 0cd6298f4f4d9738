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
  return [
    ...build('wallet', [
      { in: 'pages/wallet/main.ts', out: 'page' },
      { in: 'pages/wallet/styles.css', out: 'page' },
      { in: 'wallet/provider/install.ts', out: 'provider' },
    ]),
    ...build(
      'dashboard',
      [
        { in: 'pages/dashboard/app.tsx', out: 'page' },
        { in: 'pages/dashboard/dashboard.css', out: 'page' },
      ],
      PREACT,
    ),
  ]
}

const PREACT = {
  jsx: 'automatic',
  jsxImportSource: 'preact',
  format: 'esm',
  target: 'es2023',
  minify: true,
  // The libraries' licenses are in LICENSES.txt.
  legalComments: 'none',
}

function build(room, entryPoints, options) {
  const absWorkingDir = `${root}devnet/`
  const outdir = `${root}dist/devnet/${room}/browser/`
  const common = { absWorkingDir, outdir, entryPoints, bundle: true, charset: 'utf8' }
  const { metafile } = buildSync({ ...common, metafile: true, ...options })
  cpSync(`${absWorkingDir}pages/${room}/page.html`, `${outdir}page.html`)
  return Object.keys(metafile.inputs)
    .filter((path) => path.includes('node_modules'))
    .map((path) => resolve(absWorkingDir, path))
}
