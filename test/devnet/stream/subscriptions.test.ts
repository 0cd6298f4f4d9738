import { describe, expect, test } from 'vitest'
import { type Push, Subscriptions, subscriptionsOf } from '../../../devnet/stream/subscriptions.ts'
import { fakeConnection } from './fakeConnection.ts'

/** A source that says how many listen to it. */
function fakeSource() {
  const pushes = new Set<Push>()
  return {
    listeners: pushes,
    start(push: Push) {
      pushes.add(push)
      return () => void pushes.delete(push)
    },
    emit(result: unknown) {
      for (const push of pushes) push(JSON.stringify(result))
    },
  }
}

describe('Subscriptions', () => {
  test('default', () => {
    const connection = fakeConnection()
    const source = fakeSource()
    const subscriptions = new Subscriptions(connection)
    const id = subscriptions.add(source.start, 10)
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    source.emit('a')
    expect(connection.sent).toEqual([
      { method: 'eth_subscription', params: { subscription: id, result: 'a' } },
    ])
    expect(subscriptions.remove(id)).toBe(true)
    source.emit('b')
    expect(connection.sent.length).toBe(1)
    expect(source.listeners.size).toBe(0)
    expect(subscriptions.remove(id)).toBe(false)
  })

  test('behavior: ids of other connections are not known', () => {
    const source = fakeSource()
    const id = new Subscriptions(fakeConnection()).add(source.start, 10)
    expect(new Subscriptions(fakeConnection()).remove(id)).toBe(false)
    expect(source.listeners.size).toBe(1)
  })

  test('behavior: they end with the connection', () => {
    const connection = fakeConnection()
    const source = fakeSource()
    const subscriptions = new Subscriptions(connection)
    const id = subscriptions.add(source.start, 10)
    subscriptions.add(source.start, 10)
    connection.close()
    expect(source.listeners.size).toBe(0)
    expect(subscriptions.remove(id)).toBe(false)
    expect(() => subscriptions.add(source.start, 10)).toThrow(
      expect.objectContaining({ code: -32000, message: 'the connection has closed' }),
    )
    expect(source.listeners.size).toBe(0)
  })

  test('args: most', () => {
    const source = fakeSource()
    const subscriptions = new Subscriptions(fakeConnection())
    const id = subscriptions.add(source.start, 2)
    subscriptions.add(source.start, 2)
    expect(() => subscriptions.add(source.start, 2)).toThrow(
      expect.objectContaining({
        code: -32005,
        message: 'this connection has 2 subscriptions, which is the limit',
      }),
    )
    expect(source.listeners.size).toBe(2)
    subscriptions.remove(id)
    subscriptions.add(source.start, 2)
    expect(source.listeners.size).toBe(2)
  })

  test('behavior: a source that refuses to start takes no place', () => {
    const subscriptions = new Subscriptions(fakeConnection())
    const broken = (): never => {
      throw new Error('no')
    }
    expect(() => subscriptions.add(broken, 1)).toThrow('no')
    expect(subscriptions.add(fakeSource().start, 1)).toMatch(/^0x/)
  })
})

test('behavior: what a source sends at once may close the connection', () => {
  const connection = fakeConnection()
  const source = fakeSource()
  const subscriptions = new Subscriptions({ ...connection, notify: () => connection.close() })
  subscriptions.add((push) => {
    push('1')
    return source.start(push)
  }, 10)
  expect(source.listeners.size).toBe(0)
})

test('subscriptionsOf: one table for each connection', () => {
  const connection = fakeConnection()
  expect(subscriptionsOf(connection)).toBe(subscriptionsOf(connection))
  expect(subscriptionsOf(fakeConnection())).not.toBe(subscriptionsOf(connection))
})
