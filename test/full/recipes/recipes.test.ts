import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A change of a file: `text` in place of `old`, which stands there; or a new file. */
interface Edit {
  readonly file: string
  readonly old: string | undefined
  readonly text: string
}

/** What a recipe begins with, or one of its steps. */
interface Step {
  readonly title: string
  readonly edits: readonly Edit[]
  /** Who notices if it is left out. */
  readonly by: string
  /** Words of one line with which they do. */
  readonly failure: readonly string[]
}

function readEdit(part: string): Edit {
  const [file = '', ...lines] = part.trimEnd().split('\n')
  const linesOf = (...signs: readonly string[]) =>
    lines.filter((line) => signs.includes(line.charAt(0))).map((line) => line.slice(1))
  const old = linesOf(' ', '-')
  const text = linesOf(' ', '+').join('\n')
  return old.length === 0
    ? { file, old: undefined, text: `${text}\n` }
    : { file, old: old.join('\n'), text }
}

/** The steps in recipes.txt, which says how it is written. */
const steps = readFileSync(new URL('recipes.txt', import.meta.url), 'utf8')
  .split(/^# /m)
  .slice(1)
  .flatMap((recipe): Step[] => {
    const [title = '', ...rest] = recipe.split('\n')
    const parts = [...rest.join('\n').matchAll(/^@ (.*?)\n! (\w+)(?:: ([^\n]*))?$/gms)]
    return parts.map(([, edits = '', by = '', failure = '']) => ({
      title,
      edits: edits.split(/^@ /m).map(readEdit),
      by,
      failure: failure.split(' … '),
    }))
  })
const stepsBy = (by: string) => steps.filter((step) => step.by === by)

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
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // As vitest.config.ts, without what `npm run generate` has built.
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
        'test/devnet/faults/randomScript.ts',
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
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const env = { ...Object.fromEntries(own), NO_COLOR: '1', PATH: path }
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

/** Writes what all recipes change, each file without what is left out. */
function write(leftOut: readonly Step[]): void {
  const texts = new Map<string, string>()
  const left = new Set(leftOut.flatMap(({ edits }) => edits))
  for (const edit of steps.flatMap(({ edits }) => edits)) {
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

/** In each round, of each recipe one of the steps that tests guard. */
const guarded = [...Map.groupBy(stepsBy('tests'), ({ title }) => title).values()]
const rounds = Array.from(
  { length: Math.max(...guarded.map(({ length }) => length)) },
  (_, round) => guarded.flatMap((ofRecipe) => ofRecipe.slice(round, round + 1)),
)

function expectNamed(leftOut: readonly Step[], printed: string): void {
  const lines = printed.split('\n')
  const isIn = (words: readonly string[]) =>
    lines.some((line) => words.every((word) => line.includes(word)))
  const lost = leftOut.map(({ failure }) => failure).filter((words) => !isIn(words))
  expect(lost, printed).toEqual([])
}

test('each recipe of ARCHITECTURE.md is played', () => {
  const [, chapter = ''] = readFileSync(join(root, 'devnet/ARCHITECTURE.md'), 'utf8').split(
    '\n## How to add\n',
  )
  const titles = [...chapter.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, title]) => title)
  expect([...new Set(steps.map(({ title }) => title))]).toEqual(titles)
  expect(new Set(steps.map(({ by }) => by))).toEqual(
    new Set(['begin', 'tests', 'types', 'generate']),
  )
})

// One course: each test goes on with the files that those before it have written.
test('npm run generate names the file and the line that it lacks', () => {
  const lacks = stepsBy('generate')
  write(lacks)
  const { status, printed } = generate()
  expect(status).toBe(1)
  // No stack.
  expect(printed).not.toContain('\n    at ')
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
  const generated = generate()
  expect(generated.status, generated.printed).toBe(0)
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

test.each(rounds.map((leftOut, index) => [index + 1, leftOut] as const))(
  'without a step of each recipe, tests name the file and the line: %i',
  (_, left) => {
    write(left)
    const { status, printed } = guards()
    expect(status).toBe(1)
    expectNamed(left, printed)
  },
)
