import { Interface, id } from 'ethers'
import { keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import {
  assertEmittedBeforeSeal,
  assertNotEmittedBeforeSeal,
  type ExpectedEvent,
} from '../../../plugin/assertions/index.ts'
import { artifact } from '../../support/solidity.ts'
import { call, createStage, failure, type Stage } from './stage.ts'

const { abi } = artifact('Playground')
const topic = keccak256(toHex('Stored(uint256,uint256,address)'))
const lines = ['event Stored(uint256 indexed slot, uint256 value, address by)']

/** A pre-confirmed transaction that has emitted `Stored(slot: 7, value: 9, by: <sender>)`. */
async function store(stage: Stage): Promise<{ hash: string; address: `0x${string}` }> {
  const { address } = await stage.deploy('Playground', 0)
  const hash = await stage.send(call('Playground', address, 'store', [7n, 9n]))
  await stage.devnet.clock.advance({ ticks: 1 })
  return { hash, address }
}

test('default', async () => {
  await using stage = await createStage()
  const { hash, address } = await store(stage)
  const event = { address, abi, eventName: 'Stored', args: { slot: 7n, value: 9 } }
  await assertEmittedBeforeSeal(hash, stage.devnet, event)
  expect((await failure(assertNotEmittedBeforeSeal(hash, stage.devnet, event))).message).toBe(
    `expected transaction ${hash} not to emit Stored(slot: 7, value: 9) of ${address.toLowerCase()} before its seal, but it has, in block 1: Stored(slot: 7, value: 9, by: ${stage.from}) of ${address.toLowerCase()}`,
  )
})

test.each<[string, (stage: Stage) => ExpectedEvent]>([
  ['any arguments', () => ({ abi, eventName: 'Stored' })],
  ['whole signature', () => ({ abi, eventName: 'Stored(uint256,uint256,address)' })],
  ['arguments in order', (stage) => ({ abi, eventName: 'Stored', args: [7n, null, stage.from] })],
  ['lines', () => ({ abi: lines, eventName: 'Stored', args: { value: 9n } })],
  ['ethers', () => ({ abi: new Interface(lines), eventName: 'Stored', args: { value: 9n } })],
  [
    'predicate',
    () => ({ abi, eventName: 'Stored', args: { value: (one: unknown) => one === 9n } }),
  ],
  [
    'asymmetric',
    () => ({ abi, eventName: 'Stored', args: { by: expect.stringMatching(/^0xf39/) } }),
  ],
  ['checksum', () => ({ abi, eventName: 'Stored', args: { by: checksummed } })],
  ['any log', () => ({})],
  ['topics', () => ({ topics: [topic] })],
  ['a list of topics, and any', () => ({ topics: [[id('Other()') as '0x', topic], null] })],
])('args: %s', async (_, event) => {
  await using stage = await createStage()
  const { hash } = await store(stage)
  await assertEmittedBeforeSeal(hash, stage.devnet, event(stage))
})

const checksummed = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test.each<[string, ExpectedEvent, string]>([
  ['value', { abi, eventName: 'Stored', args: { value: 8n } }, 'emit Stored(value: 8) before'],
  ['order', { abi, eventName: 'Stored', args: [7n, 8n] }, 'emit Stored(7, 8) before'],
  ['type', { abi, eventName: 'Stored', args: { value: '9' } }, 'emit Stored(value: "9") before'],
  ['indexed', { abi, eventName: 'Stored', args: { slot: 9 } }, 'emit Stored(slot: 9) before'],
  ['other event', { abi: ['event Other()'], eventName: 'Other' }, 'emit Other before'],
  ['topic', { topics: [`0x${'00'.repeat(32)}`] }, 'emit a log with topics 0x0000'],
  ['too many topics', { topics: [topic, null, null] }, 'any, any before'],
  ['address', { address: checksummed }, `emit a log of ${checksummed.toLowerCase()} before`],
])('another %s', async (_, event, text) => {
  await using stage = await createStage()
  const { hash } = await store(stage)
  await assertNotEmittedBeforeSeal(hash, stage.devnet, event)
  const error = await failure(assertEmittedBeforeSeal(hash, stage.devnet, event))
  expect(error.message).toContain(text)
  expect(error.message).toMatch(
    /, but it emitted (Stored\(slot: 7, value: 9, by|a log with topic 0x)/,
  )
})

test('nothing emitted, and reverted', async () => {
  await using stage = await createStage()
  const { address } = await stage.deploy('Playground', 0)
  const silent = await stage.send()
  const reverted = await stage.send(call('Playground', address, 'failWithReason', ['no']))
  await stage.devnet.clock.advance({ ticks: 1 })
  expect((await failure(assertEmittedBeforeSeal(silent, stage.devnet, {}))).message).toMatch(
    /, but it emitted nothing$/,
  )
  expect((await failure(assertEmittedBeforeSeal(reverted, stage.devnet, {}))).message).toMatch(
    /, but it failed, and so emitted nothing: execution reverted: no$/,
  )
})

test('many logs', async () => {
  await using stage = await createStage()
  const { address } = await stage.deploy('Playground', 0)
  const many = call('Playground', address, 'storeMany', [0n, 12n, 1n])
  const hash = await stage.send({ ...many, gas: '0xf4240' })
  await stage.devnet.clock.advance({ ticks: 1 })
  await assertEmittedBeforeSeal(hash, stage.devnet, { abi, eventName: 'Stored', args: [11n] })
  const event = { abi, eventName: 'Stored', args: [12n] }
  const error = await failure(assertEmittedBeforeSeal(hash, stage.devnet, event))
  expect(error.message).toMatch(/Stored\(slot: 9, [^;]+; and 2 more$/)
})

test('not executed, and sealed', async () => {
  await using stage = await createStage()
  const { hash } = await store(stage)
  const event = { abi, eventName: 'Stored' }
  const later = await stage.send()
  expect((await failure(assertEmittedBeforeSeal(later, stage.devnet, event))).message).toContain(
    'it waits in the mempool, and both clocks are frozen: tick() or advance first',
  )
  await stage.devnet.clock.seal()
  expect((await failure(assertEmittedBeforeSeal(hash, stage.devnet, event))).message).toContain(
    'but it is already sealed in block 1',
  )
  await assertNotEmittedBeforeSeal(hash, stage.devnet, event)
})

test.each<[string, unknown, string]>([
  [
    'no event of that name',
    { abi, eventName: 'Store' },
    'The ABI has no event "Store"; it has Stored(uint256,uint256,address)',
  ],
  ['an empty ABI', { abi: [], eventName: 'A' }, 'it has none'],
  [
    'no such argument',
    { abi, eventName: 'Stored', args: { slots: 1n } },
    'Stored(uint256,uint256,address) has no such arguments: {"slots":"1"}',
  ],
  ['too many arguments', { abi, eventName: 'Stored', args: [1, 2, 3, 4] }, 'has no such arguments'],
  ['an ABI as text', { abi: 'event A()', eventName: 'A' }, 'abi is an array'],
  ['no event', undefined, 'An event is given as { abi, eventName } or { topics }'],
  ['a short topic', { topics: ['0x12'] }, 'A topic is 0x and 64 hexadecimal digits'],
  ['no address', { address: 'x' }, 'An account is named by its address'],
])('%s', async (_, event, text) => {
  await using stage = await createStage()
  const { hash } = await store(stage)
  // What JavaScript passes in spite of the types.
  const asserted = assertNotEmittedBeforeSeal(hash, stage.devnet, event as ExpectedEvent)
  expect((await failure(asserted)).message).toContain(text)
})
