import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLACES } from '../../devnet/faults/faultPlaces.ts'
import { tracerNames } from '../../devnet/json/schemas/tracerChoice.ts'
import { optionGroups, optionTable } from '../../devnet/options/optionTable.ts'
import { profileOf } from '../../devnet/options/profileTable.ts'
import { methodFiles } from '../../devnet/rpc/methodFiles.ts'
import { readSources } from './sources.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Tables of methods, which say nothing of what one answers. */
const TABLES = /(?:latestTicks|methodTable|recipes|remoteRules)\.test\.ts$/

/** The words of the tests in a folder. */
function wordsOf(path: string, word = /\w+/g): Set<string> {
  const files = readdirSync(new URL(path, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !TABLES.test(file))
    .map((file) => `${path}/${file}`)
  return new Set(files.flatMap((file) => read(file).match(word) ?? []))
}

/** The text of a file after `begin`, up to `end`. */
function after(path: string, begin: string, end?: string): string {
  const text = read(path)
  const at = text.indexOf(begin)
  if (at === -1) throw new Error(`${path} has no ${begin}`)
  return text.slice(at, end === undefined ? undefined : text.indexOf(end, at))
}

/** The words that a source quotes. */
const quoted = (text: string) => [...text.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)

/** Whether a word stands there. */
function isIn(words: ReadonlySet<string>) {
  return (name: string) => words.has(name)
}

/** Whether a table of a document has it. */
const isShown = (table: string) => (name: string) => table.includes(`\`${name}\``)

const methods = await Promise.all(
  Object.entries(methodFiles).map(async ([name, load]) => ({ name, ...(await load()).default })),
)
const pendingTable = after('devnet/README.md', '\n## What `"pending"` answers\n', '\n\nEvery')

const { wallet: _, ...ownOptions } = optionGroups
const options = Object.values(ownOptions).flatMap((group) => Object.keys(group))
const used = readSources()
  .filter(({ path }) => !path.startsWith('devnet/options/'))
  .flatMap(({ lines }) => lines.flatMap((line) => line.match(/\w+/g) ?? []))

/** Those that no request names. */
const OWN_TRACERS = ['structLogger', 'failureTracer', 'preimages', 'otterscan']
const tracers = [...read('devnet/tracing/createTracer.ts').matchAll(/\n {4}case '(\w+)':/g)]
  .map(([, name = '']) => name)
  .filter((name) => !OWN_TRACERS.includes(name))

const kinds = quoted(after('devnet/options/profile.ts', 'STANDARD_KINDS'))
const faults = Object.keys(PLACES)

/** Places of a recipe of ARCHITECTURE.md: the names that must be there, and the cure for one lacking. */
const PLACES_OF_NAMES: readonly (readonly [
  place: string,
  names: readonly string[],
  has: (name: string) => boolean,
  cure: string,
])[] = [
  [
    'test/devnet/rpc/methods',
    methods.map(({ name }) => name),
    isIn(wordsOf('test')),
    'a test that calls NAME',
  ],
  [
    'devnet/README.md',
    methods.filter(({ readsState }) => readsState !== undefined).map(({ name }) => name),
    isShown(pendingTable),
    '`NAME` in the table of What "pending" answers: it reads a state',
  ],
  [
    'devnet/options',
    options,
    isIn(new Set(used)),
    'NAME is read nowhere: take it from Options where it has its effect',
  ],
  ['test/devnet/options/options.test.ts', options, isIn(wordsOf('test/devnet')), 'a test of NAME'],
  [
    'devnet/options/groups/chainOptions.ts',
    optionTable.profile.choices,
    isIn(new Set(optionTable.profile.description.match(/[\w-]+/g))),
    'NAME in the description of `profile`',
  ],
  [
    'test/devnet/rpc/profiles.test.ts',
    optionTable.profile.choices,
    isIn(wordsOf('test/devnet/rpc', /[\w-]+/g)),
    'what is expected of the profile NAME',
  ],
  [
    'devnet/json/schemas/tracerChoice.ts',
    tracers,
    isIn(new Set(tracerNames.split(', '))),
    "['NAME', mapped(ANY, () => ({ name: 'NAME' }))] in READERS, with its options in place of ANY",
  ],
  ['devnet/README.md', tracers, isShown(pendingTable), '`NAME` in the row of the tracers'],
  ['test/devnet/tracing', tracers, isIn(wordsOf('test/devnet/tracing')), 'a test of NAME'],
  [
    'devnet/stream/README.md',
    profileOf('plain').kinds,
    isShown(read('devnet/stream/README.md')),
    '| `NAME` | <second parameter> | <one message for each> | <result> | in the table of kinds',
  ],
  [
    'devnet/options/profileTable.ts',
    kinds,
    isIn(new Set(optionTable.profile.choices.flatMap((name) => profileOf(name).kinds))),
    "'NAME' in the cell `kinds` of the profiles that have it",
  ],
  ['test/devnet/stream', kinds, isIn(wordsOf('test/devnet/stream')), 'a test of NAME'],
  [
    'devnet/faults/README.md',
    faults,
    isShown(read('devnet/faults/README.md')),
    '| `NAME` | <what happens> | <fields of its own> | in the table of kinds',
  ],
  ['test/devnet/faults', faults, isIn(wordsOf('test/devnet/faults')), 'a test of NAME'],
]

test.each(PLACES_OF_NAMES)('%s has all names that belong there', (place, names, has, cure) => {
  const missing = names.filter((name) => !has(name))
  expect(names.length).toBeGreaterThan(5)
  expect(missing.map((name) => `${place}: ${cure.replaceAll('NAME', name)}`)).toEqual([])
})
