import { describe, expect, test } from 'vitest'
import { HeldBytes } from '../../../devnet/primitives/heldBytes.ts'
import { type Filter, Filters } from '../../../devnet/stream/filters.ts'

/** Signal of a client that does not hang up. */
const NEVER = new AbortController().signal

/** Filters over a chain of which they hear nothing but its turns, in a time that a test moves. */
function createFilters({ timeout = 1000, most = 10 } = {}) {
  const turns = new Set<() => void>()
  const time = { now: 0 }
  const filters = new Filters({
    events: {
      written: {
        add(listener) {
          turns.add(listener)
          return () => turns.delete(listener)
        },
      },
      abandoned: { add: () => () => undefined },
    },
    timeout,
    most,
    held: HeldBytes.ofNode(),
    now: () => time.now,
  })
  const log: string[] = []
  const filter = (name: string): Filter => ({
    changes: () => [name],
    follow: () => log.push(`${name} follows`),
    end: () => log.push(`${name} ends`),
  })
  return {
    filters,
    turns,
    time,
    log,
    add: (name: string) => filters.add(() => filter(name)),
    turn() {
      for (const listener of turns) listener()
    },
  }
}

const notFound = (id: string, reason: string) =>
  expect.objectContaining({ code: -32000, message: `filter not found: ${id}: ${reason}` })

const GONE = 'it was never made, was removed, or was not read for 1 s; make a new one'

describe('Filters', () => {
  test('default', () => {
    const { filters, add } = createFilters()
    expect([add('a'), add('b')]).toEqual(['0x1', '0x2'])
    expect([filters.changes(2n, NEVER), filters.changes(1n, NEVER)]).toEqual([['b'], ['a']])
    expect(filters.remove(1n)).toBe(true)
    expect(filters.remove(1n)).toBe(false)
    expect(() => filters.changes(1n, NEVER)).toThrow(notFound('0x1', GONE))
    expect(add('c')).toBe('0x3')
  })

  test('it listens to the chain only while there are filters', () => {
    const { filters, turns, add, turn, log, time } = createFilters()
    expect(turns.size).toBe(0)
    add('a')
    add('b')
    expect(turns.size).toBe(1)
    turn()
    filters.remove(1n)
    turn()
    expect(log).toEqual(['a follows', 'b follows', 'a ends', 'b follows'])
    filters.remove(2n)
    expect(turns.size).toBe(0)
    add('c')
    expect(turns.size).toBe(1)
    time.now = 1000
    turn()
    expect(turns.size).toBe(0)
    expect(log.at(-1)).toBe('c ends')
  })

  test('args: timeout', () => {
    const { filters, time, add, log } = createFilters()
    add('read')
    add('not read')
    time.now = 999
    filters.changes(1n, NEVER)
    time.now = 1000
    expect(() => filters.changes(2n, NEVER)).toThrow(notFound('0x2', GONE))
    expect(filters.remove(2n)).toBe(false)
    expect(log).toEqual(['not read ends'])
    time.now = 1998
    expect(filters.changes(1n, NEVER)).toEqual(['read'])
    time.now = 2998
    expect(() => filters.changes(1n, NEVER)).toThrow(notFound('0x1', GONE))
  })

  test('args: most', () => {
    const { filters, add, time } = createFilters({ most: 2 })
    add('a')
    add('b')
    expect(() => add('c')).toThrow(
      expect.objectContaining({
        code: -32005,
        message: 'the node has 2 filters, which is the limit; remove some with eth_uninstallFilter',
      }),
    )
    filters.remove(1n)
    expect(add('d')).toBe('0x3')
    time.now = 1000
    expect([add('e'), add('f')]).toEqual(['0x4', '0x5'])
  })

  test('a filter that cannot be made takes no place', () => {
    const { filters, add, turns } = createFilters({ most: 1 })
    const broken = () => {
      throw new Error('no')
    }
    expect(() => filters.add(broken)).toThrow('no')
    expect(turns.size).toBe(0)
    expect(add('a')).toBe('0x1')
  })

  test('only a filter of logs has a query', () => {
    const { filters, add } = createFilters()
    add('a')
    expect(() => filters.query(1n)).toThrow(
      notFound('0x1', 'it is not a filter of logs; read it with eth_getFilterChanges'),
    )
    const query = { addresses: [], topics: [] }
    filters.add(() => ({ changes: () => [], follow() {}, end() {}, query: () => query }))
    expect(filters.query(2n)).toBe(query)
  })

  test('a query is a read', () => {
    const { filters, time } = createFilters()
    filters.add(() => ({ changes: () => [], follow() {}, end() {}, query: () => undefined }))
    time.now = 999
    filters.query(1n)
    time.now = 1998
    expect(filters.query(1n)).toBe(undefined)
  })
})
