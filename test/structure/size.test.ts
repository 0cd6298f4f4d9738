import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { read, root, tracked } from '../docs/documents.ts'

/**
 * The most lines that each room may have, comments and blank lines included: as many as it has.
 * Whoever makes a room smaller lowers its number. It is raised, with the reason beside it, only
 *
 * - by a change whose issue names a budget of lines, by at most that budget; `test` by at most
 *   three lines for each line of the budget, or by 2,000 if the issue has none;
 * - by at most 20 lines for a mended fault;
 * - by what moves in from rooms that lose more.
 *
 * `UPDATE_SIZES=1 npx vitest run test/structure/size.test.ts` writes the numbers of today.
 */
const CEILINGS: Readonly<Record<string, number>> = {
  'devnet/*': 591,
  'devnet/chain': 6_409,
  'devnet/clock': 1_824, // openChain, from node, rpc and the tests
  'devnet/dashboard': 5_599,
  'devnet/engine': 11_811,
  'devnet/execution': 2_136,
  'devnet/explore': 1_214,
  'devnet/faults': 1_067,
  'devnet/json': 2_350,
  'devnet/node': 2_883,
  'devnet/options': 2_117,
  'devnet/pages': 9_347,
  'devnet/persistence': 3_734,
  'devnet/primitives': 3_124, // file locks, a WebSocket client: from upstream and pages
  'devnet/protocol': 3_360,
  'devnet/rpc': 9_366, // naming, from dashboard, wallet and plugin
  'devnet/server': 2_076,
  'devnet/state': 3_432,
  'devnet/stream': 2_045,
  'devnet/tracing': 2_618,
  'devnet/upstream': 3_901,
  'devnet/wallet': 5_800,
  'plugin/*': 793,
  'plugin/artifacts': 534,
  'plugin/assertions': 1_245,
  'plugin/bin': 357,
  'plugin/conformance': 1_343,
  'plugin/hooks': 251,
  'plugin/network': 3_182,
  'plugin/output': 1_163,
  'plugin/tasks': 710,
  'plugin/vitest': 377,
  'style sheets': 3_729,
  test: 131_320, // fixtures of 0.1.0, and their tests
}

const OWN_PATH = 'test/structure/size.test.ts'

/** A folder of `devnet/` or `plugin/`, `*` for files beside these, all style sheets, or `test`. */
function roomOf(path: string): string {
  const [top = '', room = '', ...rest] = path.split('/')
  if (top === 'test') return top
  if (path.endsWith('.css')) return 'style sheets'
  return `${top}/${rest.length === 0 ? '*' : room}`
}

/** The lines of each room, of the files that git knows or could take. */
function countLines(): Map<string, number> {
  const lines = new Map<string, number>()
  for (const path of tracked('devnet', 'plugin', 'test')) {
    if (!/\.(?:tsx?|css|html|m?js|sol)$/.test(path)) continue
    const count = read(path).split('\n').length - 1
    lines.set(roomOf(path), (lines.get(roomOf(path)) ?? 0) + count)
  }
  return lines
}

/** Writes a number a room into this file, and keeps what stands beside it. */
function update(lines: ReadonlyMap<string, number>) {
  const text = read(OWN_PATH)
  const beside = new Map(
    [...text.matchAll(/^ {2}'?([\w/* ]+)'?: [\d_]+,(.*)$/gm)].map(([, room, rest]) => [room, rest]),
  )
  const rows = [...lines].sort().map(([room, count]) => {
    const number = String(count).replace(/\B(?=(?:\d{3})+$)/g, '_')
    return `  ${room === 'test' ? room : `'${room}'`}: ${number},${beside.get(room) ?? ''}\n`
  })
  const table = /(?<=^const CEILINGS.* = \{\n)[^}]*(?=^\})/m
  writeFileSync(
    new URL(OWN_PATH, root),
    text.replace(table, () => rows.join('')),
  )
}

test('no room has more lines than its ceiling', () => {
  const lines = countLines()
  if (process.env.UPDATE_SIZES === '1') return update(lines)
  const over = [...lines].flatMap(([room, count]) => {
    const free = (CEILINGS[room] ?? 0) - count
    return free < 0
      ? `${room} is ${-free} lines over: take lines away, or raise its number in ${OWN_PATH} with the reason beside it`
      : []
  })
  expect(over).toEqual([])
  const free = Object.entries(CEILINGS).flatMap(([room, ceiling]) => {
    const left = ceiling - (lines.get(room) ?? 0)
    return left === 0 ? [] : `${room} ${left}`
  })
  if (free.length > 0) console.info(`Lines that are free: ${free.join(', ')}`)
})
