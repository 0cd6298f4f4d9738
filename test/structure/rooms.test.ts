import { expect, test } from 'vitest'
import { type Import, readSources } from './sources.ts'

/**
 * The rooms of `devnet/`, lowest first (devnet/ARCHITECTURE.md). Rooms of one line stand side by
 * side. `doors` are the files in `devnet/` itself.
 */
const ROOMS = [
  ['primitives'],
  ['state'],
  ['protocol'],
  ['engine'],
  ['chain'],
  ['options'],
  ['upstream'],
  ['persistence'],
  ['clock', 'faults'],
  ['json'],
  ['execution'],
  ['tracing'],
  ['stream'],
  ['rpc'],
  ['server', 'wallet', 'dashboard'],
  ['pages'],
  ['node'],
  ['explore'],
  ['doors'],
  ['plugin'],
]

/** Values that a room may take from the one beside it. */
const BESIDE = new Set(['wallet > server', 'dashboard > server'])

/** Public types: every room may name them, and they name the options and the wallet's. */
const PUBLIC_TYPES = ['devnet/types.ts', 'devnet/statusTypes.ts', 'devnet/faults/types.ts']

const sources = readSources()
const imports = sources.flatMap((source) => source.imports)

function roomOf(path: string): string {
  const [top, room = ''] = path.split('/')
  if (top === 'plugin') return 'plugin'
  return room.endsWith('.ts') ? 'doors' : room
}

function levelOf(path: string): number {
  const level = ROOMS.findIndex((rooms) => rooms.includes(roomOf(path)))
  if (level < 0) throw new Error(`${path} is in no room`)
  return level
}

function isAllowed({ from, to, isType }: Import): boolean {
  const [own, other] = [roomOf(from), roomOf(to)]
  if (own === other || levelOf(to) < levelOf(from)) return true
  if (isType && (PUBLIC_TYPES.includes(to) || PUBLIC_TYPES.includes(from))) return true
  return levelOf(to) === levelOf(from) && (isType || BESIDE.has(`${own} > ${other}`))
}

function shown({ from, to, isType }: Import): string {
  return `${from} > ${to}${isType ? ' (types)' : ''}`
}

test('every import names a file that exists', () => {
  const paths = new Set(sources.map(({ path }) => path))
  const lost = imports.filter(({ to }) => to.endsWith('.ts') && !paths.has(to))
  expect(lost.map(shown)).toEqual([])
})

test('a room imports only what stands below it', () => {
  expect(imports.filter((one) => !isAllowed(one)).map(shown)).toEqual([])
})

test('no value cycle', () => {
  const values = new Map(
    sources.map(({ path, imports: own }) => [
      path,
      own.filter(({ isType }) => !isType).map(({ to }) => to),
    ]),
  )
  const done = new Set<string>()
  const way: string[] = []
  const cycles: string[] = []
  function walk(path: string): void {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' > '))
    if (done.has(path) || way.includes(path)) return
    way.push(path)
    for (const next of values.get(path) ?? []) walk(next)
    way.pop()
    done.add(path)
  }
  for (const path of values.keys()) walk(path)
  expect(cycles).toEqual([])
})

test('few circles of more than three files, and none of more than twelve, types included', () => {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const reached = (start: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const open = [start]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      for (const to of next.get(path) ?? []) {
        if (found.has(to)) continue
        found.add(to)
        open.push(to)
      }
    }
    return found
  }
  const reach = new Map(sources.map(({ path }) => [path, reached(path)]))
  const circles = new Map<string, readonly string[]>()
  for (const [path, found] of reach) {
    const circle = [...found].filter((other) => reach.get(other)?.has(path)).sort()
    if (circle.length > 3) circles.set(circle.join(), circle)
  }
  // Opcodes and frames of the fast engine, the border, sessions of the wallet, the dashboard.
  expect([...circles.values()].map(([first]) => first)).toHaveLength(4)
  expect([...circles.values()].filter((circle) => circle.length > 12)).toEqual([])
})

test('few files lie loose', () => {
  const loose = sources.filter(({ path }) => /^devnet\/[^/]+$/.test(path))
  expect(loose.map(({ path }) => path)).toEqual([
    'devnet/index.ts',
    'devnet/pluginApi.ts',
    'devnet/statusTypes.ts',
    'devnet/types.ts',
  ])
})

test('the plugin knows only the public doors of the node', () => {
  const doors = [
    'devnet/index.ts',
    'devnet/pluginApi.ts',
    'devnet/options/optionDefinition.ts',
    'devnet/options/optionTable.ts',
  ]
  const others = imports.filter(
    ({ from, to }) => from.startsWith('plugin/') && to.startsWith('devnet/') && !doors.includes(to),
  )
  expect(others.map(shown)).toEqual([])
})
