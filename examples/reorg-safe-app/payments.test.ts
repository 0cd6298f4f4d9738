// node --test examples/reorg-safe-app/payments.test.ts
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDevnet } from 'hardhat-pending-node/devnet'
import { clientOf, Payments, signPayment } from './payments.ts'

/** A node whose clocks move by command, and an app on it. */
async function start(t: TestContext) {
  const devnet = createDevnet({ port: 0, frozenTicks: true })
  t.after(() => devnet.stop())
  await devnet.start()
  const payments = new Payments(clientOf(devnet))
  const hash = await payments.send(await signPayment(devnet, { nonce: 0, value: 1n }))
  return {
    devnet,
    /** Looks after a command; answers where the payment is then. */
    after: async (command: (clock: typeof devnet.clock) => Promise<unknown>) => {
      await command(devnet.clock)
      await payments.look()
      return payments.place(hash)
    },
  }
}

test('a payment becomes final', async (t) => {
  const { after } = await start(t)
  assert.deepEqual(await after((clock) => clock.advance({ ticks: 1 })), {
    is: 'pre-confirmed',
    block: 1n,
  })
  assert.deepEqual(await after((clock) => clock.seal()), {
    is: 'sealed',
    block: 1n,
    confirmations: 1,
  })
  assert.deepEqual(await after((clock) => clock.advance({ blocks: 2 })), { is: 'final', block: 1n })
})

test('its pre-confirmation is dropped: it is taken back, and sent again', async (t) => {
  const { after, devnet } = await start(t)
  await devnet.faults({ rules: [{ kind: 'drop', next: 1 }] })
  assert.equal((await after((clock) => clock.advance({ ticks: 1 })))?.is, 'pre-confirmed')
  assert.deepEqual(await after((clock) => clock.seal()), { is: 'waiting' })
  assert.deepEqual(await after((clock) => clock.advance({ blocks: 1 })), {
    is: 'sealed',
    block: 2n,
    confirmations: 1,
  })
})

for (const drops of [false, true]) {
  test(`its block is reorganised, and the network ${drops ? 'loses' : 'keeps'} it`, async (t) => {
    const { after, devnet } = await start(t)
    await devnet.faults({ rules: [{ kind: 'reorg', block: 2, depth: 2, drops }] })
    assert.equal((await after((clock) => clock.advance({ blocks: 1 })))?.is, 'sealed')
    assert.deepEqual(await after((clock) => clock.seal()), { is: 'waiting' })
    assert.deepEqual(await after((clock) => clock.advance({ blocks: 1 })), {
      is: 'sealed',
      block: 3n,
      confirmations: 1,
    })
    assert.equal((await after((clock) => clock.advance({ blocks: 2 })))?.is, 'final')
  })
}

test('the other branch has another payment with its nonce: it will not come again', async (t) => {
  const { after, devnet } = await start(t)
  assert.equal((await after((clock) => clock.advance({ blocks: 1 })))?.is, 'sealed')
  const other = await signPayment(devnet, { nonce: 0, value: 2n })
  const reorg = { method: 'anvil_reorg', params: [1, [[other.signed, 0]]] }
  assert.deepEqual(await after(() => devnet.provider.request(reorg)), { is: 'replaced' })
})

test('under a storm of faults, it becomes final in the end', async (t) => {
  const { after, devnet } = await start(t)
  await devnet.faults({
    seed: 3,
    rules: [
      { kind: 'drop', probability: 0.5, next: 4 },
      { kind: 'truncate', probability: 0.3, next: 4 },
      { kind: 'stall', probability: 0.3, next: 4 },
      { kind: 'reorg', depth: 2, probability: 0.5, next: 4 },
    ],
  })
  const places = new Set<string | undefined>()
  for (let rounds = 0; rounds < 100 && !places.has('final'); rounds++) {
    places.add((await after((clock) => clock.advance({ ticks: 1 })))?.is)
    places.add((await after((clock) => clock.seal()))?.is)
  }
  assert.deepEqual([...places].toSorted(), ['final', 'pre-confirmed', 'sealed', 'waiting'])
})
