import { describe, expect, test } from 'vitest'
import { HeldBytes } from '../../../devnet/primitives/heldBytes.ts'
import { SharedText } from '../../../devnet/primitives/jsonText.ts'
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
      for (const push of pushes) push(new SharedText(JSON.stringify(result)))
    },
  }
}

const LIMITS = { maxSubscriptions: 10, maxTotalSubscriptions: 10 }

/** Counts the subscriptions of a node that has none yet. */
const open = () => ({ count: 0, held: HeldBytes.ofNode() })

describe('Subscriptions', () => {
  test('default', () => {
    const connection = fakeConnection()
    const source = fakeSource()
    const subscriptions = new Subscriptions(connection)
    const id = subscriptions.add(source.start, open(), LIMITS)
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

  test('ids of other connections are not known', () => {
    const source = fakeSource()
    const id = new Subscriptions(fakeConnection()).add(source.start, open(), LIMITS)
    expect(new Subscriptions(fakeConnection()).remove(id)).toBe(false)
    expect(source.listeners.size).toBe(1)
  })

  test('they end with the connection', () => {
    const connection = fakeConnection()
    const source = fakeSource()
    const subscriptions = new Subscriptions(connection)
    const id = subscriptions.add(source.start, open(), LIMITS)
    subscriptions.add(source.start, open(), LIMITS)
    connection.close()
    expect(source.listeners.size).toBe(0)
    expect(subscriptions.remove(id)).toBe(false)
    expect(() => subscriptions.add(source.start, open(), LIMITS)).toThrow(
      expect.objectContaining({ code: -32000, message: 'the connection has closed' }),
    )
    expect(source.listeners.size).toBe(0)
  })

  test('args: maxSubscriptions', () => {
    const source = fakeSource()
    const all = open()
    const limits = { maxSubscriptions: 2, maxTotalSubscriptions: 9 }
    const subscriptions = new Subscriptions(fakeConnection())
    const id = subscriptions.add(source.start, all, limits)
    subscriptions.add(source.start, all, limits)
    expect(() => subscriptions.add(source.start, all, limits)).toThrow(
      expect.objectContaining({
        code: -32005,
        message:
          'this connection has 2 subscriptions, which is the limit; end one with eth_unsubscribe, or start the node with a higher --max-subscriptions',
      }),
    )
    expect(source.listeners.size).toBe(2)
    subscriptions.remove(id)
    subscriptions.add(source.start, all, limits)
    expect(source.listeners.size).toBe(2)
    expect(all.count).toBe(2)
  })

  test('args: maxTotalSubscriptions', () => {
    const source = fakeSource()
    const all = open()
    const limits = { maxSubscriptions: 9, maxTotalSubscriptions: 2 }
    const connections = [fakeConnection(), fakeConnection()] as const
    const [one, other] = [new Subscriptions(connections[0]), new Subscriptions(connections[1])]
    one.add(source.start, all, limits)
    one.add(source.start, all, limits)
    expect(() => other.add(source.start, all, limits)).toThrow(
      expect.objectContaining({ code: -32005, message: expect.stringMatching(/^the node has 2 /) }),
    )
    expect(source.listeners.size).toBe(2)
    connections[0].close()
    expect(all.count).toBe(0)
    other.add(source.start, all, limits)
    expect(all.count).toBe(1)
  })

  test('a source that refuses to start takes no place', () => {
    const subscriptions = new Subscriptions(fakeConnection())
    const all = open()
    const limits = { maxSubscriptions: 1, maxTotalSubscriptions: 1 }
    const broken = (): never => {
      throw new Error('no')
    }
    expect(() => subscriptions.add(broken, all, limits)).toThrow('no')
    expect(subscriptions.add(fakeSource().start, all, limits)).toMatch(/^0x/)
  })
})

test('what a source sends at once may close the connection', () => {
  const connection = fakeConnection()
  const source = fakeSource()
  const subscriptions = new Subscriptions({ ...connection, notify: () => connection.close() })
  const all = open()
  const start = (push: Push) => {
    push(new SharedText('1'))
    return source.start(push)
  }
  subscriptions.add(start, all, LIMITS)
  expect(all.count).toBe(0)
  expect(source.listeners.size).toBe(0)
})

test('subscriptionsOf: one table for each connection', () => {
  const connection = fakeConnection()
  expect(subscriptionsOf(connection)).toBe(subscriptionsOf(connection))
  expect(subscriptionsOf(fakeConnection())).not.toBe(subscriptionsOf(connection))
})
