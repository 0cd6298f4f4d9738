// node --test examples/reorg-safe-app/explore.test.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { explore } from 'hardhat-pending-node/explore'
import { createPublicClient, custom } from 'viem'
import { hardhat } from 'viem/chains'
import { Payments, signPayment } from './payments.ts'

test('whatever the network does, a payment becomes final once, and stays', async () => {
  const { complete } = await explore(async ({ devnet, provider }) => {
    const client = createPublicClient({ chain: hardhat, transport: custom(provider) })
    const payments = new Payments(client)
    const hash = await payments.send(await signPayment(devnet, { nonce: 0, value: 1n }))
    while (payments.place(hash)?.is !== 'final') {
      await sleep(200)
      await payments.look()
    }
    // Whatever comes after that takes nothing back.
    await sleep(8000)
    const address = devnet.accounts[1]?.address ?? '0x'
    assert.equal(await client.getBalance({ address }), 10n ** 22n + 1n)
  })
  assert.ok(complete)
})
