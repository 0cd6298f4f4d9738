import { expect, test } from 'vitest'
import { advance } from '../../../devnet/clock/advance.ts'
import { type ClockControl, createDevnet } from '../../../devnet/index.ts'

test.each([
  [undefined, 'advance: want either ticks or blocks, such as { ticks: 1 }'],
  [{}, 'advance: want either ticks or blocks, such as { ticks: 1 }'],
  [{ ticks: 1, blocks: 1 }, 'advance: want either ticks or blocks, such as { ticks: 1 }'],
  [{ ticks: 0 }, 'advance: ticks: want an integer from 1 to 1000000'],
  [{ ticks: 1.5 }, 'advance: ticks: want an integer from 1 to 1000000'],
  [{ ticks: '2' }, 'advance: ticks: want an integer from 1 to 1000000'],
  [{ ticks: 1_000_001 }, 'advance: ticks: want an integer from 1 to 1000000'],
  [{ blocks: -1 }, 'advance: blocks: want an integer from 1 to 9007199254740991'],
  [
    { blocks: Number.POSITIVE_INFINITY },
    'advance: blocks: want an integer from 1 to 9007199254740991',
  ],
])('%j is refused', (by, message) => {
  const moved = () => {
    throw new Error('It moved')
  }
  // What a program without types could pass.
  const given = by as unknown as { ticks: number }
  expect(() => advance({ advanceTicks: moved, advanceBlocks: moved }, given)).toThrow(message)
})

test('the types refuse both at once, and neither', () => {
  type By = Parameters<ClockControl['advance']>[0]
  // @ts-expect-error: ticks or blocks.
  const both: By = { ticks: 1, blocks: 1 }
  // @ts-expect-error: how far?
  const neither: By = {}
  expect([both, neither, { ticks: 1 } satisfies By, { blocks: 1 } satisfies By]).toHaveLength(4)
})

test('default: of a devnet; what is refused moves nothing', async () => {
  const devnet = createDevnet({ port: 0, frozenTicks: true })
  await devnet.start()
  const { time } = await devnet.clock.status()
  await expect(devnet.clock.advance({ ticks: -1 })).rejects.toMatchObject({
    code: -32602,
    message: 'advance: ticks: want an integer from 1 to 1000000',
  })
  expect((await devnet.clock.status()).time).toBe(time)
  expect((await devnet.clock.advance({ ticks: 2 })).time).toBe(time + 400)
  expect((await devnet.clock.advance({ blocks: 1 })).latest.number).toBe(1)
  await devnet.stop()
})
