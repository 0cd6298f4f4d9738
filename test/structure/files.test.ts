import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { readSources } from './sources.ts'

const MAX_COLUMNS = 100
const METHODS = ['devnet/rpc/methods', 'devnet/wallet/methods', 'devnet/dashboard/methods']

const sources = readSources()

test('no base name stands twice but index.ts, types.ts and those of methods', () => {
  const places = Map.groupBy(
    sources.map(({ path }) => path).filter((path) => !METHODS.includes(dirname(path))),
    (path) => basename(path),
  )
  places.delete('index.ts')
  places.delete('types.ts')
  expect([...places.values()].filter((paths) => paths.length > 1)).toEqual([])
})

test('files in devnet/ are named in camelCase, in plugin/ in kebab-case', () => {
  const named = sources.filter(({ path }) => !METHODS.includes(dirname(path)))
  const wrong = named.filter(({ path }) => {
    const [name = '', kind] = basename(path)
      .replace(/\.tsx?$/, '')
      .split('.')
    const pattern = path.startsWith('plugin/') ? /^[a-z0-9-]+$/ : /^[a-z][A-Za-z0-9]*$/
    return !pattern.test(name) || !(kind === undefined || kind === 'worker' || kind === 'd')
  })
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('the function or class that a file is named after stands first in it', () => {
  // The core is written from its smallest parts up.
  const others = sources.filter(({ path }) => !path.includes('/assembly/'))
  const late = others.flatMap(({ path, lines }) => {
    const name = basename(path)
      .replace(/\.tsx?$/, '')
      .replaceAll('-', '')
    const names = lines.flatMap((line) => {
      const found = /^(?:export )?(?:default )?(?:async )?(?:class|function\*?) (\w+)/.exec(line)
      return found?.[1]?.toLowerCase() ?? []
    })
    return names.indexOf(name.toLowerCase()) > 0 ? [path] : []
  })
  expect(late).toEqual([])
})

test('comments wrap at 100 columns', () => {
  const wide = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      line.length > MAX_COLUMNS && /^\s*(?:\/\/|\/?\*)|\s\/\/ /.test(line)
        ? [`${path}:${index + 1}`]
        : [],
    ),
  )
  expect(wide).toEqual([])
})

test('the node and its pages tell nobody to run Hardhat, which need not be there', () => {
  // One of the programs that send a transaction, each of which the page names.
  const example = '<Example name="Hardhat">'
  const told = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      path.startsWith('devnet/') &&
      /^(?!\s*(?:\/\/|\/?\*)).*npx hardhat/.test(line) &&
      !line.includes(example)
        ? [`${path}:${index + 1}`]
        : [],
    ),
  )
  expect(told).toEqual([])
})

test('doc comments begin with a noun or a verb, not with a noun clause', () => {
  const clauses = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const [, rest] = /^\s*\/\*\*(.*)$/.exec(line) ?? []
      const text = rest?.trim() === '' ? lines[index + 1]?.replace(/^\s*\*/, '') : rest
      const isClause = /^ (?:What|Whether|Who|Whoever|Where|How|Which|Why|When)\b/.test(text ?? '')
      return isClause ? [`${path}:${index + 1}`] : []
    }),
  )
  expect(clauses).toEqual([])
})

test("no view of the dashboard's page takes anything from another", () => {
  const views = sources.filter(({ path }) => /^devnet\/pages\/dashboard\/.*View\.tsx$/.test(path))
  expect(views.length).toBeGreaterThan(5)
  const taken = views.flatMap(({ path, imports }) =>
    imports.filter(({ to }) => /View\.tsx$/.test(to)).map(({ to }) => `${path} > ${to}`),
  )
  expect(taken).toEqual([])
})

test('what goes to stderr passes the one place that escapes it', () => {
  const writers = sources
    .filter(({ path }) => !/\/(?:pages|provider)\//.test(path))
    .filter(({ lines }) =>
      lines.some((line) => /\bconsole\.(?:error|warn)\(|process\.stderr/.test(line)),
    )
  expect(writers.map(({ path }) => path).sort()).toEqual([
    'devnet/primitives/warn.ts',
    // Its own words, before anything else can be loaded.
    'plugin/bin/pending-node.ts',
  ])
})
