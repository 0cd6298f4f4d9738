import { once } from 'node:events'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { connect, createHre, type OpenConnection, opened } from './stage.ts'

let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  hre = await createHre()
})

type Event = [name: string, data: unknown]

/** What the provider of a connection emits from now on. */
function eventsOf({ provider }: OpenConnection): Event[] {
  const events: Event[] = []
  for (const name of ['message', 'notification']) {
    provider.on(name, (data: unknown) => events.push([name, data]))
  }
  return events
}

/** The two events of one seal, without what no two chains share. */
async function eventsOfSeal(connection: OpenConnection): Promise<unknown> {
  const { rpc, provider } = connection
  const notified = once(provider, 'notification')
  const messaged = once(provider, 'message')
  const events = eventsOf(connection)
  const id = await rpc<Hex>('eth_subscribe', 'newHeads')
  await rpc('evm_mine')
  // Hardhat's own network emits them some time later.
  const [notification] = await notified
  const [message] = await messaged
  const inner = ({ subscription, result, ...rest }: Record<string, Record<string, unknown>>) => ({
    isOwn: String(subscription) === id,
    number: result?.number,
    rest,
  })
  const { data, ...envelope } = message
  return [events.map(([name]) => name), inner(notification), inner(data), envelope]
}

describe.each(['in-process', 'http'] as const)('transport %s', (transport) => {
  test.each(['pending', 'instant'])("%s emits as Hardhat's own network", async (network) => {
    const hardhat = opened(await hre.network.create('default'))
    const expected = await eventsOfSeal(hardhat)
    await hardhat.close()
    await using connection = await connect(
      hre,
      { transport, frozen: network === 'pending' },
      { network },
    )
    expect(await eventsOfSeal(connection)).toEqual(expected)
  })

  test('emits what is pre-confirmed', async () => {
    await using connection = await connect(hre, { transport, frozen: true })
    const events = eventsOf(connection)
    const subscription = await connection.rpc('eth_subscribe', 'logs', {})
    const hashes = await connection.rpc('eth_subscribe', 'newPendingTransactions')
    const hash = await connection.send()
    await connection.pendingNode.tick()
    expect(events).toContainEqual(['notification', { subscription: hashes, result: hash }])
    expect(events).toContainEqual([
      'message',
      { type: 'eth_subscription', data: { subscription: hashes, result: hash } },
    ])
    expect(events.some(([, data]) => JSON.stringify(data).includes(`"${subscription}"`))).toBe(
      false,
    )
  })

  test('ends with eth_unsubscribe', async () => {
    await using connection = await connect(hre, { transport, frozen: true })
    const events = eventsOf(connection)
    const id = await connection.rpc('eth_subscribe', 'newHeads')
    expect(await connection.rpc('eth_unsubscribe', id)).toBe(true)
    await connection.pendingNode.seal()
    expect(events).toEqual([])
  })

  test('ends with close', async () => {
    const connection = await connect(hre, { transport, tickInterval: 1, sealInterval: 5 })
    const events = eventsOf(connection)
    await connection.rpc('eth_subscribe', 'newHeads')
    await connection.pendingNode.seal()
    expect(events.length).toBeGreaterThan(0)
    await connection.close()
    const { length } = events
    // The clocks would have sealed meanwhile.
    await using other = await connect(hre, { tickInterval: 1, sealInterval: 5 })
    await other.pendingNode.advance({ blocks: 3 })
    expect(events).toHaveLength(length)
  })
})

test('a connection hears of its own chain only', async () => {
  await using one = await connect(hre, { frozen: true })
  await using other = await connect(hre, { frozen: true })
  const events = eventsOf(one)
  await one.rpc('eth_subscribe', 'newHeads')
  await other.rpc('eth_subscribe', 'newHeads')
  await other.pendingNode.seal()
  expect(events).toEqual([])
})
