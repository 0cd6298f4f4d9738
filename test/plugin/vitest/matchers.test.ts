import { expect, test, vi } from 'vitest'
import '../../../plugin/vitest/index.ts'
import { artifact } from '../../support/solidity.ts'
import { call, createStage, failure } from '../assertions/stage.ts'

const { abi } = artifact('Playground')

test('default', async () => {
  await using stage = await createStage()
  const { devnet, from } = stage
  const { address, hash } = await stage.deploy('Playground', 0)
  const stored = await stage.send(call('Playground', address, 'store', [7n, 9n]))
  const event = { abi, eventName: 'Stored', args: { value: 9n } }

  await expect(hash).not.toBePreconfirmed(devnet)
  await expect(address).not.toHavePendingCode(devnet)
  await expect(from).toHavePendingNonce(devnet, 0)
  await expect(stored).not.toEmitBeforeSeal(devnet, event)

  await devnet.clock.advance({ ticks: 1 })
  await expect(hash).toBePreconfirmed(devnet)
  await expect(hash).not.toBeSealed(devnet)
  await expect(address).toHavePendingCode(devnet)
  await expect(address).toHavePendingCode(devnet, artifact('Playground').deployedBytecode)
  await expect(from).toHavePendingNonce(devnet, 2)
  await expect(stored).toEmitBeforeSeal(devnet, event)

  await devnet.clock.seal()
  await expect(hash).toBeSealed(devnet)
  await expect(hash).not.toBePreconfirmed(devnet)
  await expect(stored).not.toEmitBeforeSeal(devnet, event)
})

test('a dropped transaction', async () => {
  await using stage = await createStage()
  const { devnet } = stage
  const hash = await stage.send()
  await devnet.faults({ rules: [{ kind: 'drop', next: 1 }] })
  await devnet.clock.advance({ ticks: 1 })
  await expect(hash).not.toBeDroppedAfterPreconfirmation(devnet)
  await devnet.clock.seal()
  await expect(hash).toBeDroppedAfterPreconfirmation(devnet)
})

test('what fails, and what it says', async () => {
  await using stage = await createStage()
  const { devnet, from } = stage
  const hash = await stage.send()
  const waits = 'but it waits in the mempool, and both clocks are frozen'
  const failures: [Promise<void>, string][] = [
    [expect(hash).toBePreconfirmed(devnet), waits],
    [expect(hash).toBeSealed(devnet), waits],
    [expect(hash).toEmitBeforeSeal(devnet, {}), waits],
    [expect(hash).toBeDroppedAfterPreconfirmation(devnet), waits],
    [expect(from).toHavePendingCode(devnet), 'but it has none, and none in latest'],
    [expect(from).toHavePendingNonce(devnet, 1), 'but it has 0, and 0 in latest'],
    [expect(from).not.toHavePendingNonce(devnet, 0), 'not to have nonce 0 in pending, but it has'],
  ]
  // All at once: one that fails while another is awaited would be an unhandled rejection.
  const messages = await Promise.all(failures.map(async ([one]) => (await failure(one)).message))
  for (const [index, [, text]] of failures.entries()) expect(messages[index]).toContain(text)
})

test('an argument that is wrong fails under .not, too', async () => {
  await using stage = await createStage()
  const { devnet } = stage
  const failures = [
    expect('0x12').not.toBePreconfirmed(devnet),
    expect('0x12').not.toBeSealed(devnet),
    expect('0x12').not.toHavePendingCode(devnet),
    expect('0x12').not.toHavePendingNonce(devnet, 1),
    expect('0x12').not.toEmitBeforeSeal(devnet, {}),
    expect(stage.from).not.toHavePendingNonce('http://127.0.0.1:1', 1, { timeout: 10 }),
  ]
  for (const { message } of await Promise.all(failures.map(failure))) {
    expect(message).toMatch(/is named by its|No node answers/)
  }
})

test('args: timeout', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 600_000 })
  const hash = await stage.send()
  const asserted = expect(hash).toBePreconfirmed(stage.devnet, { timeout: 30 })
  expect((await failure(asserted)).message).toContain('(waited 30 ms)')
})

test('args: message', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  const asserted = expect(hash, 'the payment').toBePreconfirmed(stage.devnet)
  expect((await failure(asserted)).message).toMatch(/^the payment/)
})

test('fake timers', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 600_000 })
  vi.useFakeTimers()
  try {
    const asserted = expect(stage.from).toHavePendingNonce(stage.devnet, 1, { timeout: 30 })
    expect((await failure(asserted)).message).toContain('(waited 30 ms)')
  } finally {
    vi.useRealTimers()
  }
})
