// Fetches what test/conformance plays, at pinned commits, and says how to name it: recordings, the chain
// that they are about, and a sample of the official consensus tests, which takes 2 GB of disk for a while.
// The cases for wallets were written for this project and are not published: their test is skipped.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import {
  AMSTERDAM_FOLDERS,
  FILE_SIZE,
  FIXTURES,
  fetchSource,
  firstBlocksOf,
  RECORDINGS,
  resultSchemas,
  SPECIFICATION,
  sampleOf,
} from '../test/conformance/sources.ts'

const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url))
const folder = join(cache, 'conformance')

mkdirSync(cache, { recursive: true })
// Beside the result, which is renamed once it is whole.
const scratch = mkdtempSync(join(cache, 'conformance-'))
try {
  const made = join(scratch, 'made')
  const recordings = fetched(RECORDINGS, 'recordings')
  cpSync(join(recordings, 'tests'), join(made, 'execution-apis'), { recursive: true })
  const openRpc = readFileSync(
    join(fetched(SPECIFICATION, 'specification'), 'openrpc.json'),
    'utf8',
  )
  const schemas = JSON.stringify(resultSchemas(openRpc))
  writeFileSync(join(made, 'execution-apis/result-schemas.json'), schemas)
  const fixtures = fetched(FIXTURES, 'fixtures')
  const folders = readdirSync(join(fixtures, 'blockchain_tests'))
  writeTests(join(fixtures, 'blockchain_tests'), folders, sampleOf, join(made, 'consensus'))
  const amsterdam = join(fixtures, 'blockchain_tests_devnet/for_amsterdam/amsterdam')
  writeTests(amsterdam, AMSTERDAM_FOLDERS, firstBlocksOf, join(made, 'amsterdam'))
  rmSync(folder, { recursive: true, force: true })
  renameSync(made, folder)
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}
console.log(`The tests of test/conformance run with CONFORMANCE_DIR=${folder}`)

function fetched(source, name) {
  console.log(`${source.repository} at ${source.commit}`)
  const into = join(scratch, name)
  mkdirSync(into)
  fetchSource(source, into)
  return into
}

/** Writes a file for each folder of fixtures, with one test a line. */
function writeTests(from, folders, testsOf, to) {
  mkdirSync(to)
  for (const part of folders) {
    const tests = readdirSync(join(from, part), { recursive: true })
      .sort()
      .map((name) => join(from, part, name))
      .filter((path) => path.endsWith('.json') && statSync(path).size < FILE_SIZE)
      .flatMap((path) => testsOf(readFileSync(path, 'utf8')))
    if (tests.length === 0) continue
    const lines = tests.map((test) => `${JSON.stringify(test)}\n`).join('')
    writeFileSync(join(to, `${part}.jsonl.gz`), gzipSync(lines))
  }
}
