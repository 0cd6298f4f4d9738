import { expect, test, vi } from 'vitest'
import { createStepChain } from '../stepChain.ts'

test('a seal gives way to others while it hashes what the block has changed', async () => {
  const node = await createStepChain()
  const recipients = 30
  for (let index = 0; index < recipients; index++) {
    const to = `0x${index.toString(16).padStart(40, 'a')}`
    await node.send(index % 10, { to, value: '0x1' })
  }
  await node.tick()
  let now = performance.now()
  // Each look at the clock finds a slice used up.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
  let turns = 0
  let counting = setImmediate(function count() {
    turns++
    counting = setImmediate(count)
  })
  const { executed } = await node.clocks.seal()
  clearImmediate(counting)
  clock.mockRestore()
  expect(executed.length).toBe(recipients)
  expect(turns).toBeGreaterThanOrEqual(recipients)
})
