import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recipes, type Step } from './recipes.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The tests that guard the places of the recipes, those of the recipes' own included. */
const GUARDS = [
  'test/structure/{files,recipes,rooms}.test.ts',
  'test/docs/generated.test.ts',
  'test/devnet/chain/steps.test.ts',
  'test/devnet/faults/matchers.test.ts',
  'test/devnet/options/options.test.ts',
  'test/devnet/rpc/border/remoteRules.test.ts',
  'test/devnet/rpc/latestTicks.test.ts',
  'test/devnet/rpc/methods/{badInput,methodTable,nodeInfo}.test.ts',
  'test/devnet/rpc/methods/demo_balances.test.ts',
]

/** Of the longer of these files, the tests that look at all names. */
const TITLES =
  'belong there|npm run generate|file|room|cycle|import|the methods are those|web pages|has the rule|default|demo_balances|clearCode|muteTick|rpc_modules'

let copy = ''

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'recipes-'))
  const left = new Set(['.git', 'dist', 'node_modules', 'pictures'])
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
  for (const name of ['dist', 'node_modules']) symlinkSync(join(root, name), join(copy, name))
  // As vitest.config.ts, without what is built already.
  writeFileSync(
    join(copy, 'guards.config.mjs'),
    `export default ${JSON.stringify({ cacheDir: 'cache', test: { include: GUARDS, isolate: false, maxWorkers: 1, testNamePattern: TITLES, testTimeout: 60_000 } })}`,
  )
  writeFileSync(
    join(copy, 'tsconfig.guards.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      include: ['devnet/**/*.d.ts'],
      files: [
        'devnet/index.ts',
        'devnet/explore/search.ts',
        'plugin/conformance/subscription-checks.ts',
        'test/devnet/chain/steps.test.ts',
        'test/devnet/faults/matchers.test.ts',
      ],
    }),
  )
})

afterAll(() => rm(copy, { recursive: true, force: true }))

/** Runs a program of Node.js in the copy. */
function run(...args: readonly string[]) {
  // Without the settings of this run of vitest.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|NODE_OPTIONS|FORCE_COLOR)/.test(name),
  )
  const env = { ...Object.fromEntries(own), NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    env,
  })
  // A list in a difference has its texts in quotes.
  return { status, printed: `${stdout}${stderr}`.replaceAll('\\"', '"') }
}

const generate = () => run('.ci/generate.mjs')
const guards = (...files: readonly string[]) =>
  run(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'guards.config.mjs',
    '--configLoader',
    'native',
    ...files,
  )
const types = () => run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.guards.json')

const everyEdit = recipes.flatMap(({ begin, steps }) => [
  ...begin,
  ...steps.flatMap(({ edits }) => edits),
])

/** Writes what all recipes change, each file without what is left out. */
function write(leftOut: readonly Step[]): void {
  const texts = new Map<string, string>()
  const left = new Set(leftOut.flatMap(({ edits }) => edits))
  for (const edit of everyEdit) {
    const { file, old, text } = edit
    const before =
      old === undefined ? '' : (texts.get(file) ?? readFileSync(join(root, file), 'utf8'))
    expect(before, `${file} has this`).toContain(old ?? '')
    if (!left.has(edit)) texts.set(file, old === undefined ? text : before.replace(old, () => text))
    else if (old === undefined) rmSync(join(copy, file), { force: true })
    else texts.set(file, before)
  }
  for (const [file, text] of texts) writeFileSync(join(copy, file), text)
}

/** Of each recipe, one of the steps that tests guard. */
const rounds = Array.from({ length: 7 }, (_, index) =>
  recipes.flatMap(({ steps }) => steps.filter(({ by }) => by === 'tests').slice(index, index + 1)),
)
const stepsBy = (by: Step['by']) =>
  recipes.flatMap(({ steps }) => steps.filter((step) => step.by === by))

function expectNamed(steps: readonly Step[], printed: string): void {
  const lines = printed.split('\n')
  const isIn = (words: readonly string[]) =>
    lines.some((line) => words.every((word) => line.includes(word)))
  const lost = steps.map(({ failure }) => failure).filter((words) => !isIn(words))
  expect(lost, printed).toEqual([])
}

test('each recipe of ARCHITECTURE.md is played', () => {
  const [, chapter = ''] = readFileSync(join(root, 'devnet/ARCHITECTURE.md'), 'utf8').split(
    '\n## How to add\n',
  )
  const titles = [...chapter.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, title]) => title)
  expect(recipes.map(({ title }) => title)).toEqual(titles)
})

test('npm run generate names the file and the line that it lacks', () => {
  const lacks = stepsBy('generate')
  write(lacks)
  const { status, printed } = generate()
  expect(status).toBe(1)
  // One sentence, and no stack.
  expect(printed.trim().split('\n')).toHaveLength(1)
  expectNamed(lacks, printed)
})

test('without npm run generate, tests say so', () => {
  write([])
  cpSync(join(root, 'devnet/rpc/methodFiles.ts'), join(copy, 'devnet/rpc/methodFiles.ts'))
  const { status, printed } = guards('generated', 'methodTable')
  expect(status).toBe(1)
  expect(printed).toContain('devnet/rpc/methodFiles.ts: npm run generate writes it')
  for (const page of ['devnet/rpc/README.md', 'devnet/options/README.md', 'devnet/PROFILES.md']) {
    expect(printed).toContain(`${page} is what \`npm run generate\` writes`)
  }
})

test('with all steps, all checks are green', () => {
  write([])
  expect(generate()).toEqual({ status: 0, printed: '' })
  expect(types()).toEqual({ status: 0, printed: '' })
  const { status, printed } = guards()
  expect(status, printed).toBe(0)
})

test('the compiler names the file in which a step is left out', () => {
  const left = stepsBy('types')
  write(left)
  const { status, printed } = types()
  expect(status).not.toBe(0)
  expectNamed(left, printed)
})

test.each(rounds.map((steps, index) => [index + 1, steps] as const))(
  'without a step of each recipe, tests name the file and the line: %i',
  (_, left) => {
    write(left)
    const { status, printed } = guards()
    expect(status).toBe(1)
    expectNamed(left, printed)
  },
)
