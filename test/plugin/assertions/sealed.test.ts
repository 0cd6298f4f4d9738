import { expect, test } from 'vitest'
import { assertNotSealed, assertSealed } from '../../../plugin/assertions/index.ts'
import { createStage, failure } from './stage.ts'

test('default', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  await stage.devnet.clock.advance({ blocks: 1 })
  await assertSealed(hash, stage.devnet)
  expect((await failure(assertNotSealed(hash, stage.devnet))).message).toBe(
    `expected transaction ${hash} not to be sealed, but it is sealed in block 1`,
  )
})

test('waits for the seal', async () => {
  await using stage = await createStage({
    frozen: false,
    frozenTicks: false,
    tickInterval: 10,
    sealInterval: 100,
  })
  await assertSealed(await stage.send(), stage.devnet, { timeout: 10_000 })
})

test('instant mode', async () => {
  await using stage = await createStage({ instant: true, frozen: false, frozenTicks: false })
  await assertSealed(await stage.send(), stage.devnet)
})

test('sealing frozen', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10 })
  const hash = await stage.send()
  expect(await failure(assertSealed(hash, stage.devnet, { timeout: 60_000 }))).toMatchObject({
    message: `expected transaction ${hash} to be sealed, but it is pre-confirmed in block 1, which is not sealed, and sealing is frozen: seal() or advance first`,
    actual: 'pre-confirmed in block 1',
    expected: 'sealed',
  })
  await assertNotSealed(hash, stage.devnet)
})

test('both clocks frozen', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  expect((await failure(assertSealed(hash, stage.devnet))).message).toMatch(
    /waits in the mempool, and both clocks are frozen: tick\(\) or advance first$/,
  )
})

test('a seal that is far away', async () => {
  await using stage = await createStage({
    frozen: false,
    frozenTicks: false,
    tickInterval: 10,
    sealInterval: 600_000,
  })
  const hash = await stage.send()
  expect((await failure(assertSealed(hash, stage.devnet, { timeout: 500 }))).message).toMatch(
    /but it is pre-confirmed in block 1, which is not sealed \(waited 500 ms\)$/,
  )
})

test('unknown', async () => {
  await using stage = await createStage()
  const { message } = await failure(assertSealed(`0x${'cd'.repeat(32)}`, stage.devnet))
  expect(message).toContain('but the node does not know it')
})
