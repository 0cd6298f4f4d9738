// Bundles the pages' and the wallet's code for browsers into dist/, from where both the compiled
// package and the sources serve it, and puts the native binaries beside them. Runs in the build and
// before each test run, so that no test sees an old bundle.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
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
  const provider = { entryPoints: [{ in: 'wallet/provider/install.ts', out: 'provider' }] }
  return [
    binaries,
    ...librariesOf(build('wallet', provider)),
    ...buildPage('wallet', 'approvalPage.tsx', ['provider.js']),
    ...buildPage('dashboard', 'app.tsx'),
  ]
}

/**
 * Builds a page. The names of its scripts and style sheets have a hash of what they hold, so that
 * browsers may keep them; only its html names them.
 *
 * @param others - files beside it
 */
function buildPage(room, script, others = []) {
  const sources = [`pages/${room}/${script}`, `pages/${room}/page.css`]
  const metafile = build(room, {
    entryPoints: sources.map((path) => ({ in: path, out: 'page' })),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    format: 'esm',
    target: 'es2023',
    minify: true,
    // The libraries' licenses are in LICENSES.txt.
    legalComments: 'none',
  })
  const names = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, basename(path)]),
  )
  const page = sources.reduce(
    (html, path) => html.replace(`page${extname(names.get(path))}`, names.get(path)),
    readFileSync(`${root}devnet/pages/${room}/page.html`, 'utf8'),
  )
  // Chunks that the script imports at once come along with it.
  const preloads = Object.values(metafile.outputs)
    .filter(({ entryPoint }) => entryPoint === sources[0])
    .flatMap(({ imports }) => imports.filter(({ kind }) => kind === 'import-statement'))
    .map(({ path }) => `<link rel="modulepreload" href="/${room}/${basename(path)}">\n`)
  const folder = `${root}dist/devnet/${room}/browser/`
  writeFileSync(`${folder}page.html`, page.replace('</head>', `${preloads.join('')}</head>`))
  const kept = new Set([
    'page.html',
    ...others,
    ...Object.keys(metafile.outputs).map((path) => basename(path)),
  ])
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(`${folder}${name}`)
  return librariesOf(metafile)
}

function build(room, options) {
  const absWorkingDir = `${root}devnet/`
  const outdir = `${root}dist/devnet/${room}/browser/`
  const common = { absWorkingDir, outdir, bundle: true, charset: 'utf8', metafile: true }
  return buildSync({ ...common, ...options }).metafile
}

function librariesOf({ inputs }) {
  return Object.keys(inputs)
    .filter((path) => path.includes('node_modules'))
    .map((path) => resolve(`${root}devnet/`, path))
}
