import { expect, test } from 'vitest'
import {
  assertDroppedAfterPreconfirmation,
  assertNotDroppedAfterPreconfirmation,
} from '../../../plugin/assertions/index.ts'
import { createStage, failure } from './stage.ts'

test('default', async () => {
  await using stage = await createStage()
  const { devnet } = stage
  const hash = await stage.send()
  await devnet.faults({ rules: [{ kind: 'drop', hash }] })
  await devnet.clock.advance({ ticks: 1 })
  await assertNotDroppedAfterPreconfirmation(hash, devnet)
  await devnet.clock.seal()
  await assertDroppedAfterPreconfirmation(hash, devnet)
  expect((await failure(assertNotDroppedAfterPreconfirmation(hash, devnet))).message).toBe(
    `expected transaction ${hash} not to be dropped after its pre-confirmation, but it was dropped: dropped by fault 0`,
  )
})

test('waits for the seal that drops', async () => {
  await using stage = await createStage({
    frozen: false,
    frozenTicks: false,
    tickInterval: 10,
    sealInterval: 100,
  })
  await stage.devnet.faults({ rules: [{ kind: 'drop', next: 1 }] })
  await assertDroppedAfterPreconfirmation(await stage.send(), stage.devnet, { timeout: 10_000 })
})

test('one that was never pre-confirmed', async () => {
  await using stage = await createStage()
  const { devnet } = stage
  const hash = await stage.send()
  await devnet.provider.request({ method: 'hardhat_dropTransaction', params: [hash] })
  const { message } = await failure(assertDroppedAfterPreconfirmation(hash, devnet))
  expect(message).toMatch(/but it was dropped: .*, before it was pre-confirmed$/)
})

test('sealed, pre-confirmed, and unknown', async () => {
  await using stage = await createStage()
  const { devnet } = stage
  const said = async (hash: string) =>
    (await failure(assertDroppedAfterPreconfirmation(hash, devnet, { timeout: 60_000 }))).message
  const hash = await stage.send()
  await devnet.clock.advance({ ticks: 1 })
  expect(await said(hash)).toContain(
    'but it is pre-confirmed in block 1, which is not sealed, and sealing is frozen: seal() or advance first',
  )
  await devnet.clock.seal()
  expect(await said(hash)).toContain('but it is sealed in block 1')
  expect(await said(`0x${'cd'.repeat(32)}`)).toContain('but the node does not know it')
})
