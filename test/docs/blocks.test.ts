import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Block, blocks, moduleOf } from './blocks.ts'
import { exists, root } from './documents.ts'

/** Of users with the compiler's own strictness, on the package as it is built. */
const compilerOptions = {
  noUncheckedIndexedAccess: false,
  noImplicitReturns: false,
  noUnusedLocals: false,
  exactOptionalPropertyTypes: false,
}

const place = ({ document, line }: Block) => `${document}:${line}`
const tsc = fileURLToPath(new URL('node_modules/typescript/lib/tsc.js', root))

/** Errors of the compiler, each at its place in a document. */
function errorsOf(checked: readonly Block[]): string[] {
  // Within the project, whose own name leads to its build; git and other tests ignore the name.
  const folder = mkdtempSync(join(fileURLToPath(root), 'test', 'blocks.tmp.'))
  try {
    const names = checked.map((block) => `${place(block).replace(/\W/g, '-')}.ts`)
    for (const [index, block] of checked.entries()) {
      writeFileSync(join(folder, `${names[index]}`), moduleOf(block))
    }
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions,
      include: ['*.ts'],
      exclude: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const { stdout, error } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (error !== undefined) throw error
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((text) => {
        const [, name = '', line = '', rest = ''] =
          /^(\S+\.ts)\((\d+),\d+\): (.*)$/.exec(text) ?? []
        const block = checked[names.indexOf(name)]
        return block === undefined ? text : `${block.document}:${line}: ${rest}`
      })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('blocks are found with their lines and comments', () => {
  const languages = Object.groupBy(blocks, ({ language }) => language)
  expect(languages.ts?.length).toBeGreaterThan(20)
  expect(languages.sh?.length).toBeGreaterThan(20)
  const first = languages.sh?.find(({ document }) => document === 'devnet/persistence/README.md')
  expect(first).toMatchObject({ line: expect.any(Number), code: expect.stringMatching(/^npx /) })
})

test('every block of TypeScript is sound', { timeout: 120_000 }, () => {
  // Those that quote a file of an example are checked with it, in its project.
  const own = blocks.filter(
    ({ language, comment }) => language === 'ts' && !comment.startsWith('example: '),
  )
  expect(errorsOf(own)).toEqual([])
})

test('an unsound block is found, at its line', { timeout: 120_000 }, () => {
  const at = { document: 'a.md', line: 7, language: 'ts' }
  const context = {
    comment: 'types: declare const one: number; f(() => { … })\nfunction f(_: () => void) {}',
  }
  expect(
    errorsOf([{ ...at, ...context, code: 'const two: number = one\nconst three: string = one\n' }]),
  ).toEqual(["a.md:8: error TS2322: Type 'number' is not assignable to type 'string'."])
})

const commands = blocks.filter(({ language }) => /^(?:sh|bash|js)$/.test(language))

test.each(commands.map((block) => [place(block), block] as const))(
  'the commands of %s are run by a test, or say why not',
  (_, { language, comment }) => {
    const [, tests] = /^run by (.+)$/.exec(comment) ?? []
    if (tests === undefined) {
      expect(comment).toMatch(/^not run: \S/)
      expect(language, 'JavaScript is run').not.toBe('js')
    } else expect(tests.split(', ').filter((path) => !exists(path))).toEqual([])
  },
)
