import { expect, test } from 'vitest'
import {
  assertNotPendingCode,
  assertNotPendingNonce,
  assertPendingCode,
  assertPendingNonce,
} from '../../../plugin/assertions/index.ts'
import { artifact } from '../../support/solidity.ts'
import { createStage, failure } from './stage.ts'

const code = artifact('Playground').deployedBytecode
const bytes = code.length / 2 - 1

test('code: default', async () => {
  await using stage = await createStage()
  const { address } = await stage.deploy('Playground', 0)
  await stage.devnet.clock.advance({ ticks: 1 })
  await assertPendingCode(address, stage.devnet)
  await assertPendingCode({ address }, stage.devnet, code.toUpperCase().replace('0X', '0x'))
  expect((await failure(assertNotPendingCode(address, stage.devnet))).message).toBe(
    `expected ${address.toLowerCase()} not to have code in pending, but it has ${bytes} bytes, which latest does not have yet`,
  )
  await stage.devnet.clock.seal()
  expect((await failure(assertNotPendingCode(address, stage.devnet))).message).toMatch(
    /bytes, and latest already has it$/,
  )
})

test('code: waits for the tick, as its opposite does', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 50 })
  const first = await stage.deploy('Playground', 0)
  await assertPendingCode(first.address, stage.devnet)
  const second = await stage.deploy('Playground', 1)
  await failure(assertNotPendingCode(second.address, stage.devnet))
})

test('code: both clocks frozen', async () => {
  await using stage = await createStage()
  const { address } = await stage.deploy('Playground', 0)
  expect(
    (await failure(assertPendingCode(address, stage.devnet, undefined, { timeout: 60_000 })))
      .message,
  ).toBe(
    `expected ${address.toLowerCase()} to have code in pending, but it has none, and none in latest; 1 transaction waits in the mempool, and both clocks are frozen: tick() or advance first`,
  )
  await assertNotPendingCode(address, stage.devnet)
})

test('code: another one', async () => {
  await using stage = await createStage()
  const { address } = await stage.deploy('Playground', 0)
  await stage.devnet.clock.advance({ ticks: 1 })
  expect(await failure(assertPendingCode(address, stage.devnet, '0x60'))).toMatchObject({
    message: `expected ${address.toLowerCase()} to have the given code of 1 byte in pending, but it has other code, of ${bytes} bytes, which latest does not have yet`,
    actual: code,
    expected: '0x60',
  })
  await assertNotPendingCode(address, stage.devnet, '0x60')
})

test('code: malformed', async () => {
  await using stage = await createStage()
  expect((await failure(assertPendingCode(stage.from, stage.devnet, '0x6'))).message).toContain(
    'pairs of hexadecimal digits, not as "0x6"',
  )
  expect((await failure(assertPendingCode('0x6', stage.devnet))).message).toContain(
    'An account is named by its address',
  )
})

test('nonce: default', async () => {
  await using stage = await createStage()
  await stage.send()
  await stage.send()
  await stage.devnet.clock.advance({ ticks: 1 })
  await assertPendingNonce(stage.from, stage.devnet, 2)
  await assertPendingNonce(stage.from, stage.devnet, 2n)
  await assertNotPendingNonce(stage.from, stage.devnet, 1)
  expect((await failure(assertNotPendingNonce(stage.from, stage.devnet, 2))).message).toBe(
    `expected ${stage.from} not to have nonce 2 in pending, but it has, and 0 in latest`,
  )
})

test('nonce: past it, at once', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10 })
  await stage.send()
  await assertPendingNonce(stage.from, stage.devnet, 1)
  const options = { timeout: 2 ** 31 - 1 }
  expect(await failure(assertPendingNonce(stage.from, stage.devnet, 0, options))).toMatchObject({
    message: `expected ${stage.from} to have nonce 0 in pending, but it has 1, and 0 in latest`,
    actual: 1,
    expected: 0,
  })
})

test('nonce: behind a gap', async () => {
  await using stage = await createStage()
  await stage.send({ nonce: '0x2' })
  await stage.send({ nonce: '0x5' })
  expect((await failure(assertPendingNonce(stage.from, stage.devnet, 3))).message).toBe(
    `expected ${stage.from} to have nonce 3 in pending, but it has 0, and 0 in latest; its transactions with nonces 2, 5 wait behind a nonce gap`,
  )
})

test('nonce: its opposite waits for the tick', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 50 })
  await stage.send()
  await failure(assertNotPendingNonce(stage.from, stage.devnet, 1))
})

test.each([-1, 0.5, '1', undefined])('nonce: malformed: %s', async (nonce) => {
  await using stage = await createStage()
  // What JavaScript passes in spite of the types.
  const asserted = assertPendingNonce(stage.from, stage.devnet, nonce as number)
  expect((await failure(asserted)).message).toContain('A nonce is a non-negative integer')
})
