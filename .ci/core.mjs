// Compiles the execution core, which is written in AssemblyScript, into dist/, from where both the
// compiled package and the sources load it. Runs in the build and before each test run. What was
// compiled from the same sources before is taken from node_modules/.cache: compiling takes 5 s.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const sources = 'devnet/engine/core'
const outdir = join(root, 'dist', sources)
const cache = join(root, 'node_modules/.cache/hardhat-pending-node')

// -O2s makes the smallest and the fastest code; -O3 is 8 % slower. The first 800 pages are up to the
// memories of the frames, and a little of these. Below 0x1000 the compiler may put its data.
const options = '--runtime stub -O2s --noAssert --enable simd --initialMemory 800 --memoryBase 256'

export default function core() {
  const files = readdirSync(join(root, sources), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.startsWith('assembly') || file === 'layout.ts')
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const { version } = createRequire(import.meta.url)('assemblyscript/package.json')
  const hash = createHash('sha256').update(`${version} ${options}`)
  for (const file of files) hash.update(file).update(readFileSync(join(root, sources, file)))
  const name = `core-${hash.digest('hex').slice(0, 16)}`
  if (!existsSync(join(cache, `${name}.wasm`))) compile(name)
  mkdirSync(outdir, { recursive: true })
  for (const ending of ['wasm', 'wat']) {
    copyFileSync(join(cache, `${name}.${ending}`), join(outdir, `core.${ending}`))
  }
}

function compile(name) {
  mkdirSync(cache, { recursive: true })
  // Not under its name at once: another build may be looking for it.
  const draft = join(cache, `${name}.${process.pid}`)
  const asc = join(root, 'node_modules/assemblyscript/bin/asc.js')
  const outputs = ['--outFile', `${draft}.wasm`, '--textFile', `${draft}.wat`]
  const { status } = spawnSync(
    process.execPath,
    [asc, join(sources, 'assembly/index.ts'), ...outputs, ...options.split(' ')],
    { stdio: 'inherit', cwd: root },
  )
  if (status !== 0) process.exit(status ?? 1)
  for (const ending of ['wat', 'wasm']) {
    renameSync(`${draft}.${ending}`, join(cache, `${name}.${ending}`))
  }
}
