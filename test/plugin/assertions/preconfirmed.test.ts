import { AssertionError } from 'node:assert'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { assertNotPreconfirmed, assertPreconfirmed } from '../../../plugin/assertions/index.ts'
import { createStage, failure } from './stage.ts'

const unknownHash = `0x${'ab'.repeat(32)}`

test('default', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  await stage.devnet.clock.advance({ ticks: 1 })
  await assertPreconfirmed(hash, stage.devnet)
  const error = await failure(assertNotPreconfirmed(hash, stage.devnet))
  expect(error).toBeInstanceOf(AssertionError)
  expect(error).toMatchObject({
    message: `expected transaction ${hash} not to be pre-confirmed, but it is pre-confirmed in block 1, which is not sealed`,
    operator: 'assertNotPreconfirmed',
    actual: 'pre-confirmed in block 1',
    expected: 'pre-confirmed',
  })
})

test('waits for the tick', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 50 })
  await assertPreconfirmed(await stage.send(), stage.devnet)
})

test('waits for a transaction that is sent meanwhile', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10 })
  const { provider, accounts } = stage.devnet
  const account = privateKeyToAccount(accounts[0]?.privateKey ?? '0x')
  const raw = await account.signTransaction({
    chainId: 31337,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    to: account.address,
  })
  const asserted = assertPreconfirmed(keccak256(raw), stage.devnet, { timeout: 10_000 })
  await provider.request({ method: 'eth_sendRawTransaction', params: [raw] })
  await asserted
})

test('waits for a receipt that is late', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  await stage.devnet.clock.advance({ ticks: 1 })
  const method = 'eth_getTransactionReceipt'
  await stage.devnet.faults({ rules: [{ kind: 'corruptAnswer', method, result: null, next: 1 }] })
  await assertPreconfirmed(hash, stage.devnet)
})

test.each([{ frozenTicks: true }, { frozenTicks: false, tickInterval: 10 }])(
  'a receipt that never comes: %o',
  async (options) => {
    await using stage = await createStage(options)
    const hash = await stage.send()
    await stage.devnet.clock.advance({ ticks: 1 })
    const method = 'eth_getTransactionReceipt'
    await stage.devnet.faults({ rules: [{ kind: 'corruptAnswer', method, result: null }] })
    const error = await failure(assertPreconfirmed(hash, stage.devnet))
    const waited = options.frozenTicks ? '' : ' (waited 1000 ms)'
    expect(error).toMatchObject({
      message: `expected transaction ${hash} to be pre-confirmed, but the node answers no receipt of it, although it is in block 1${waited}`,
      actual: 'without receipt',
    })
  },
)

test('waits until a nonce gap is filled', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10 })
  const hash = await stage.send({ nonce: '0x1' })
  const asserted = assertPreconfirmed(hash, stage.devnet, { timeout: 10_000 })
  await stage.send({ nonce: '0x0' })
  await asserted
})

test('both clocks frozen', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  const error = await failure(assertPreconfirmed(hash, stage.devnet, { timeout: 60_000 }))
  expect(error).toMatchObject({
    message: `expected transaction ${hash} to be pre-confirmed, but it waits in the mempool, and both clocks are frozen: tick() or advance first`,
    actual: 'waiting in the mempool',
  })
  await assertNotPreconfirmed(hash, stage.devnet)
})

test('nonce gap', async () => {
  await using stage = await createStage()
  await stage.send()
  const hash = await stage.send({ nonce: '0x2' })
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet))
  expect(message).toContain(
    `but it is queued behind a nonce gap: the node expects nonce 1 of ${stage.from}, it has 2`,
  )
})

test('nonce gap while ticks run', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10 })
  const hash = await stage.send({ nonce: '0x3' })
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet, { timeout: 500 }))
  expect(message).toContain('the node expects nonce 0 of')
  expect(message).toMatch(/it has 3 \(waited 500 ms\)$/)
})

test('a tick that is far away', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 600_000 })
  const hash = await stage.send()
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet, { timeout: 50 }))
  expect(message).toBe(
    `expected transaction ${hash} to be pre-confirmed, but it waits in the mempool, and no tick has taken it yet (waited 50 ms)`,
  )
})

test('unknown', async () => {
  await using stage = await createStage()
  const { message } = await failure(assertPreconfirmed(unknownHash, stage.devnet))
  expect(message).toContain('but the node does not know it')
  await assertNotPreconfirmed(unknownHash, stage.devnet)
})

test('unknown while ticks run', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10 })
  const { message } = await failure(assertPreconfirmed(unknownHash, stage.devnet, { timeout: 0 }))
  expect(message).toMatch(/but the node does not know it \(waited 0 ms\)$/)
})

test('sealed', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  await stage.devnet.clock.advance({ blocks: 1 })
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet))
  expect(message).toMatch(/but it is already sealed in block 1$/)
  await assertNotPreconfirmed(hash, stage.devnet)
})

test('sealed by a running clock, and in instant mode', async () => {
  await using running = await createStage({
    frozen: false,
    frozenTicks: false,
    sealInterval: 600_000,
  })
  const first = await running.send()
  await running.devnet.clock.advance({ blocks: 1 })
  expect((await failure(assertPreconfirmed(first, running.devnet))).message).toContain(
    'already sealed in block 1: freeze sealing to look before the seal',
  )
  await using instant = await createStage({ instant: true, frozen: false, frozenTicks: false })
  const second = await instant.send()
  expect((await failure(assertPreconfirmed(second, instant.devnet))).message).toContain(
    'already sealed in block 1: the node is in instant mode',
  )
})

test('dropped', async () => {
  await using stage = await createStage()
  const hash = await stage.send({ value: '0x1' })
  const { provider, clock } = stage.devnet
  await provider.request({ method: 'hardhat_setNonce', params: [stage.from, '0x5'] })
  const { dropped } = await clock.status()
  expect(dropped).toHaveLength(1)
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet))
  expect(message).toContain(`but it was dropped: ${dropped[0]?.reason}`)
})

test('a cheat behind it leaves it pre-confirmed, a drop does not', async () => {
  await using stage = await createStage()
  const hash = await stage.send({ value: '0x1' })
  const { provider, clock } = stage.devnet
  await clock.advance({ ticks: 1 })
  await provider.request({ method: 'hardhat_setNonce', params: [stage.from, '0x5'] })
  await assertPreconfirmed(hash, stage.devnet)
  await provider.request({ method: 'hardhat_dropTransaction', params: [hash] })
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet))
  expect(message).toContain('but it was dropped: dropped by hardhat_dropTransaction')
})

test('more gas than the pending block has left', async () => {
  await using stage = await createStage({ frozenTicks: false, tickInterval: 10, gasLimit: 100_000 })
  const first = await stage.send({ gas: '0xc350' })
  await assertPreconfirmed(first, stage.devnet)
  const hash = await stage.send({ gas: '0x17318' })
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet, { timeout: 1000 }))
  expect(message).toContain(
    'its gas limit of 95000 is more than the 79000 left in the pending block: seal() first',
  )
})

test('what has the hash', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  await stage.devnet.clock.advance({ ticks: 1 })
  await assertPreconfirmed({ hash }, stage.devnet)
})

test.each([
  ['0x12', 'not by "0x12"'],
  [undefined, 'not by undefined'],
  [Promise.resolve(unknownHash), 'not by a promise: await it first'],
  [{ hash: 5 }, 'not by an object'],
])('not a hash: %s', async (subject, text) => {
  await using stage = await createStage()
  // What JavaScript passes in spite of the types.
  const error = await failure(assertPreconfirmed(subject as string, stage.devnet))
  expect(error).toBeInstanceOf(TypeError)
  expect(error.message).toContain(text)
})

test.each([-1, 1.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY])(
  'no timeout: %s',
  async (timeout) => {
    await using stage = await createStage()
    const error = await failure(assertNotPreconfirmed(unknownHash, stage.devnet, { timeout }))
    expect(error.message).toContain('timeout is a number of ms')
  },
)

test.each([
  ['hold', 'fault 0 (hold) keeps it there'],
  ['stall', 'fault 0 (stall) keeps ticks from executing anything: seal() takes it'],
] as const)('names the fault of %s', async (kind, reason) => {
  await using stage = await createStage()
  await stage.devnet.faults({ rules: [{ kind }] })
  const hash = await stage.send()
  await stage.devnet.clock.advance({ ticks: 1 })
  const { message } = await failure(assertPreconfirmed(hash, stage.devnet, { timeout: 20 }))
  expect(message).toContain(`but it waits in the mempool, and ${reason}`)
})
