// Builds the JavaScript of dist/ from the sources: what is loaded together lies in one file, with the
// libraries that the node is built on. Loading some 200 files one by one is a third of the time that
// a test waits for its first node, and under a TypeScript loader, which looks at each, more.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const devnet = join(root, 'devnet/')

/** Libraries that become part of dist/; all other packages are installed beside this one. */
const LIBRARIES = /^(?:@bitauth\/libauth|secp256k1)\//

/** Methods that almost every test suite calls. */
const USUAL_METHODS = [
  'eth_accounts',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
  'eth_sendTransaction',
  'evm_mine',
  'evm_revert',
  'evm_setNextBlockTimestamp',
  'evm_snapshot',
  'hardhat_getAutomine',
  'hardhat_impersonateAccount',
  'hardhat_metadata',
  'hardhat_mine',
  'hardhat_setBalance',
  'hardhat_stopImpersonatingAccount',
  'web3_clientVersion',
]

/**
 * What is loaded together: these files, with all of devnet/ that they import statically. plugin/ is
 * not in them, because it loads Hardhat, which a node does not need.
 */
const GROUPS = {
  // At each start of Hardhat.
  options: ['plugin/index.ts'],
  // With the first connection of a process, to whatever network.
  api: ['devnet/pluginApi.ts'],
  // At a start of Hardhat whose configuration has options of a node, and with the first node.
  settings: ['devnet/options/options.ts'],
  // With its first node.
  node: ['devnet/index.ts'],
  // With its first requests and its first transaction.
  run: [
    ...USUAL_METHODS.map((name) => `devnet/rpc/methods/${name}.ts`),
    'devnet/engine/executor.ts',
    'devnet/engine/fast/fastMachine.ts',
    'devnet/engine/fast/selfTest.ts',
  ],
  // With its first failure, whose place in Solidity is looked for.
  trace: ['devnet/rpc/methods/debug_traceCall.ts', 'devnet/rpc/methods/debug_traceTransaction.ts'],
  // With its first simulation.
  simulate: ['devnet/rpc/methods/eth_simulateV1.ts'],
}

/** @param bundled - paths of the files of libraries that other bundles in dist/ hold */
export default async function pack(bundled) {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const workers = readdirSync(join(root, 'devnet'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.worker.ts'))
    .map((name) => `devnet/${name}`)
  const outputs = [...Object.values(exports).map((entry) => entry.default), ...Object.values(bin)]
  const entries = [
    ...outputs
      .filter((path) => path !== undefined)
      .map((path) => path.replace(/^(?:\.\/)?dist\//, '').replace(/js$/, 'ts')),
    ...workers,
    // Read by the build, to document the options.
    'devnet/options/optionTable.ts',
    'devnet/options/walletOptions.ts',
  ]
  const groups = []
  const placed = new Set()
  for (const [name, from] of Object.entries(GROUPS)) {
    const files = new Set()
    for (const file of from) addStatic(join(root, file), files)
    const own = new Set([...files].filter((file) => file.startsWith(devnet) && !placed.has(file)))
    for (const file of own) placed.add(file)
    groups.push({ name, test: (id) => own.has(id), priority: 10 - groups.length })
  }
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file.slice(0, -3), join(root, file)])),
    platform: 'node',
    external: (id, importer) =>
      !id.startsWith('.') &&
      !id.startsWith('/') &&
      !LIBRARIES.test(id) &&
      (id.startsWith('node:') || importer?.includes('node_modules') !== true),
    // Some files are imported where they are needed first, and by files that need them anyway.
    checks: { ineffectiveDynamicImport: false },
  })
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    // For the tests; users' stacks have the readable code of the package.
    sourcemap: 'hidden',
    // They are in the sources and the declarations, and are a third of what a loader reads.
    comments: { jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups },
  })
  await build.close()
  const libraries = new Set(bundled)
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue
    const foreign = chunk.moduleIds.filter((id) => id.includes('node_modules'))
    for (const id of foreign) libraries.add(id)
    const path = join(dist, chunk.fileName)
    // What only passes on another file's exports has no map.
    if (chunk.map === null) continue
    if (foreign.length === 0) slimMap(path)
    else dropMap(path)
    if (dirname(path) === join(dist, 'chunks')) moveImports(path)
  }
  writeFileSync(join(dist, 'chunks', IMPORTER), importer)
  skipPassages()
  writeFileSync(join(dist, 'LICENSES.txt'), licenses([...libraries]))
}

/** Adds a file and all own files that it imports statically, directly or not. */
function addStatic(file, files) {
  if (files.has(file) || !existsSync(file)) return
  files.add(file)
  const imports = /^(?:import|export) (?!type )(?:[^'"]* from )?'(\.[^']+)'/gm
  for (const [, path] of readFileSync(file, 'utf8').matchAll(imports)) {
    addStatic(resolve(dirname(file), path), files)
  }
}

/** The sources lie in the package, so their map need not hold them. */
function slimMap(path) {
  const map = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
  delete map.sourcesContent
  writeFileSync(`${path}.map`, JSON.stringify(map))
}

/** The sources of libraries do not lie in the package. */
function dropMap(path) {
  rmSync(`${path}.map`)
}

const IMPORTER = 'import-file.js'

const importer = `const files = {}
export const importFile = (id) => (files[id] ??= import(id))
`

/**
 * Lets a small file beside a chunk do what it imports on demand. The TypeScript loader that Hardhat
 * starts with (tsx) rewrites each file that has an `import()`, with a source map of all its tokens:
 * ten times as long as loading it.
 */
function moveImports(path) {
  const text = readFileSync(path, 'utf8')
  const moved = text.replace(/\bimport\("([^"]+)"\)/g, 'importFile("$1")')
  if (moved === text) return
  if (/\bimportFile\b/.test(text)) {
    throw new Error(`The imports of ${path} cannot be moved`)
  }
  // At the end, so that a source map still tells the right lines.
  const [code, map = ''] = moved.split(/(?=^\/\/# sourceMappingURL)/m)
  writeFileSync(path, `${code}import { importFile } from "./${IMPORTER}";\n${map}`)
}

/**
 * A method that lies in a large file has a small one besides, which only passes it on. Takes it from
 * the large one at once: loading the small one is a millisecond under tsx.
 */
function skipPassages() {
  const chunks = join(dist, 'chunks')
  const texts = new Map(
    readdirSync(chunks)
      .filter((name) => name.endsWith('.js'))
      .map((name) => [name, readFileSync(join(chunks, name), 'utf8')]),
  )
  for (const [name, text] of texts) {
    const [, names, from] = /^export \{ ([^}]+) \} from "(\.\/[^"]+)";\s*$/.exec(text) ?? []
    if (names === undefined) continue
    const getters = names.split(', ').map((each) => {
      const [own, given = own] = each.split(' as ')
      return `get ${given}() { return file.${own}; }`
    })
    const passage = new RegExp(`(\\bimport(?:File)?\\()"\\./${name}"\\)`, 'g')
    for (const [other, code] of texts) {
      const direct = code.replace(
        passage,
        (_, load) => `${load}"${from}").then((file) => ({ ${getters.join(', ')} }))`,
      )
      if (direct === code) continue
      texts.set(other, direct)
      writeFileSync(join(chunks, other), direct)
    }
  }
}

/** The licenses of the packages that these files belong to. */
function licenses(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      )
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text =
        file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
      return `${name} ${version}, ${license}, https://www.npmjs.com/package/${name}${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
