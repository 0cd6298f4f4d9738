// Bundles the libraries that the node is built on into a few files in dist/, because loading them
// file by file is most of the time that a test waits for its first node: some 400 files, each of
// which a TypeScript loader looks at once more. The compiled files are changed to import these.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const outdir = join(dist, 'devnet/vendor')

/** An import of one of the libraries, static or dynamic, as tsc writes it. */
const IMPORT =
  /(?:import (?<names>[^'()]+) from |export (?<passedOn>[^'()]+) from |import\()'(?<specifier>(?:@ethereumjs|@noble|@scure|micro-eth-signer|zod)\b[^']*)'/g

export default function vendor() {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  // Code for browsers is bundled already.
  const files = names.filter((name) => name.endsWith('.js') && !name.includes('browser'))
  /** What is used of each library; `*` for all. */
  const used = new Map()
  for (const name of files) {
    const path = join(dist, name)
    const before = readFileSync(path, 'utf8')
    const after = before.replace(IMPORT, (text, ...rest) => {
      const { specifier, names } = rest.at(-1)
      const known = used.get(specifier) ?? new Set()
      used.set(specifier, known)
      for (const used of usedNames(names, before)) known.add(used)
      const bundle = relative(dirname(path), join(outdir, `${nameOf(specifier)}.js`))
      const target = (bundle.startsWith('.') ? bundle : `./${bundle}`).replaceAll('\\', '/')
      return text.replace(specifier, target)
    })
    if (after !== before) writeFileSync(path, after)
  }
  // One entry a library, with what is used of it: zod alone would otherwise be 750 kB.
  const entries = mkdtempSync(join(dist, 'entries-'))
  for (const [specifier, known] of used) {
    const what = known.has('*') ? '*' : `{ ${[...known].join(', ')} }`
    writeFileSync(join(entries, `${nameOf(specifier)}.js`), `export ${what} from '${specifier}'\n`)
  }
  const { metafile } = buildSync({
    entryPoints: [...used.keys()].map((specifier) => join(entries, `${nameOf(specifier)}.js`)),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    metafile: true,
    // Their CommonJS parts load Node's own modules.
    banner: {
      js: "import { createRequire as createVendorRequire } from 'node:module'\nconst require = createVendorRequire(import.meta.url)",
    },
  })
  rmSync(entries, { recursive: true })
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(Object.keys(metafile.inputs)))
}

/** The names that an import takes, in a file with this text. */
function usedNames(names, text) {
  const namespace = /^\* as (\w+)$/.exec(names ?? '')?.[1]
  if (namespace !== undefined) {
    return Array.from(
      text.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, 'g')),
      ([, name]) => name,
    )
  }
  const list = /^\{([^}]*)\}$/s.exec(names?.trim() ?? '')?.[1]
  // A dynamic import, or one that takes a default.
  if (list === undefined) return ['*']
  return list
    .split(',')
    .map((item) => item.trim().split(' as ')[0])
    .filter((name) => name !== '')
}

function nameOf(specifier) {
  return specifier.replace(/^@|\.js$/g, '').replaceAll('/', '-')
}

/** The licenses of the packages that these files belong to. */
function licenses(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  const require = createRequire(import.meta.url)
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = require(join(process.cwd(), folder, 'package.json'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text =
        file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
      return `${name} ${version}, ${license}, https://www.npmjs.com/package/${name}${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
