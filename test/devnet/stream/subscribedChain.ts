import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { createEmitterChain } from './emitterChain.ts'
import { type FakeConnection, fakeConnection } from './fakeConnection.ts'

/** A chain with a connection whose subscriptions a test looks at. */
export async function createSubscribed(options: OptionsInput = {}) {
  const node = await createEmitterChain(options)
  const connection = fakeConnection()
  const subscribe = (kind: string, extra?: unknown, to: FakeConnection = connection) =>
    node.callAs<Hex>(
      { subscribe: () => to },
      'eth_subscribe',
      kind,
      ...(extra === undefined ? [] : [extra]),
    )
  /** Results of one subscription, or of all. */
  const results = <Result>(id?: Hex, of: FakeConnection = connection): Result[] =>
    of.sent
      .map(({ params }) => params as { subscription: Hex; result: Result })
      .filter(({ subscription }) => id === undefined || subscription === id)
      .map(({ result }) => result)
  return { ...node, connection, subscribe, results }
}
