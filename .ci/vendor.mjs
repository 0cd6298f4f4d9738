// Bundles the libraries that the node is built on into a few files in dist/, because loading them
// file by file is most of the time that a test waits for its first node: some 400 files, each of
// which a TypeScript loader looks at once more. The compiled files are changed to import these.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const outdir = join(dist, 'devnet/vendor')

/** An import of one of the libraries, static or dynamic, as tsc writes it. */
const IMPORT =
  /((?:from |import\()')((?:@ethereumjs|@noble|@scure|micro-eth-signer|zod)\b[^']*)(?=')/g

export default function vendor() {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  // Code for browsers is bundled already.
  const files = names.filter((name) => name.endsWith('.js') && !name.includes('browser'))
  const imported = new Set()
  for (const name of files) {
    const path = join(dist, name)
    const text = readFileSync(path, 'utf8').replace(IMPORT, (_, before, specifier) => {
      imported.add(specifier)
      const bundle = relative(dirname(path), join(outdir, `${nameOf(specifier)}.js`))
      return before + (bundle.startsWith('.') ? bundle : `./${bundle}`).replaceAll('\\', '/')
    })
    writeFileSync(path, text)
  }
  const { metafile } = buildSync({
    entryPoints: [...imported].map((specifier) => ({ in: specifier, out: nameOf(specifier) })),
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
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(Object.keys(metafile.inputs)))
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
