import { expect, onTestFinished, test } from 'vitest'
import type { FormattedAccountAccess } from '../../../../devnet/json/formatAccessList.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { profileOf } from '../../../../devnet/options/profileTable.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { flashblocks } from '../../../../devnet/stream/raw/flashblock.ts'
import { seeds } from '../../../support/longRuns.ts'
import { playTraffic } from '../../persistence/dump/support.ts'
import { createRpcChain, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { createEmitterChain } from '../emitterChain.ts'
import { createFollower, expectEqual, type Message, record } from './follower.ts'

type List = readonly FormattedAccountAccess[]

const AMSTERDAM = { hardfork: 'amsterdam' } as const satisfies OptionsInput

const listOf = ({ metadata }: Message): List => metadata.block_access_list as List // tested here

/** One list behind another one of the same block. */
function joined(one: List, other: List): List {
  const addresses = new Set([...one, ...other].map(({ address }) => address))
  return [...addresses].sort().map((address) => {
    const parts = [one, other].flatMap((list) => list.filter((part) => part.address === address))
    const slots = new Map<Hex, FormattedAccountAccess['storageChanges'][number]['changes']>()
    for (const { key, changes } of parts.flatMap((part) => part.storageChanges)) {
      slots.set(key, [...(slots.get(key) ?? []), ...changes])
    }
    const reads = new Set(parts.flatMap((part) => part.storageReads))
    return {
      address,
      storageChanges: [...slots.keys()]
        .sort()
        .map((key) => ({ key, changes: slots.get(key) ?? [] })),
      storageReads: [...reads].filter((slot) => !slots.has(slot)).sort(),
      balanceChanges: parts.flatMap((part) => part.balanceChanges),
      nonceChanges: parts.flatMap((part) => part.nonceChanges),
      codeChanges: parts.flatMap((part) => part.codeChanges),
    }
  })
}

/** The list of the pending block that messages add up to. */
function sumOf(messages: readonly Message[]): List {
  let sum: List = []
  for (const message of messages) {
    sum = message.base === undefined ? joined(sum, listOf(message)) : listOf(message)
  }
  return sum
}

const pendingList = ({ call }: RpcChain) => call<List>('eth_getBlockAccessList', 'pending')

test.each(seeds(20, 5))(
  'the lists of messages add up to that of the pending block, seed %i',
  async (seed) => {
    const node = await createRpcChain(AMSTERDAM)
    const { messages, stop } = record(node)
    onTestFinished(stop)
    await playTraffic(node, seed, 60)
    const all = messages()
    expect(all.length).toBeGreaterThan(20)
    for (const message of all) expect(listOf(message)).toBeInstanceOf(Array)
    expect(sumOf(all)).toEqual(await pendingList(node))
  },
)

test('each message has what its own transactions accessed, and the first one the opening', async () => {
  const node = await createEmitterChain(AMSTERDAM)
  const { messages, stop } = record(node)
  onTestFinished(stop)
  await node.seal()
  await node.emit(1)
  await node.tick()
  await node.tick()
  await node.emit(2)
  await node.tick()
  const [opening, first, empty, second] = messages().map(listOf)
  const indexesOf = (list: List = []) =>
    new Set(
      list.flatMap(({ nonceChanges, storageChanges }) =>
        [...nonceChanges, ...storageChanges.flatMap(({ changes }) => changes)].map(
          ({ index }) => index,
        ),
      ),
    )
  expect([opening, first, empty, second].map(indexesOf)).toEqual([
    new Set(['0x0']),
    new Set(['0x1']),
    new Set(),
    new Set(['0x2']),
  ])
  expect(empty).toEqual([])
  expect(sumOf(messages())).toEqual(await pendingList(node))
})

test('a reader takes the messages, and comes to the same lists', async () => {
  const node = await createRpcChain(AMSTERDAM)
  const follower = await createFollower(node, AMSTERDAM)
  await node.call('hardhat_reset')
  await playTraffic(node, 3, 40)
  const effects = await follower.read()
  expect(effects.filter((effect) => effect !== 'applied')).toEqual([])
  expectEqual(node, follower.copy)
})

test.each<OptionsInput>([{}, { ...AMSTERDAM, profile: 'xlayer' }])(
  'no list before Amsterdam, nor in the forms of networks: %o',
  async (options) => {
    const node = await createEmitterChain(options)
    const texts: string[] = []
    const profile = profileOf(options.profile ?? 'plain')
    onTestFinished(flashblocks(profile)(node.chain).add(({ text }) => texts.push(text.text)))
    await node.seal()
    await node.emit(1)
    await node.tick()
    expect(texts).toHaveLength(2)
    for (const text of texts) expect(text).not.toContain('access_list')
  },
)
