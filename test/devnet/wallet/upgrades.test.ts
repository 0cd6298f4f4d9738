import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/index.ts'
import { Upgrades } from '../../../devnet/wallet/core/upgrades.ts'
import { ALICE } from './support.ts'

const HASH: Hex = `0x${'11'.repeat(32)}`

/** A node that gives its nonces when it accepts, as late as it likes. */
function start() {
  let next = 5n
  const upgrades = new Upgrades({ isWaiting: () => true, nextNonce: () => next })
  const gate = Promise.withResolvers<void>()
  const nonces: (Hex | bigint)[] = []
  const accept = async (given?: Hex | bigint) => {
    nonces.push(given ?? next)
    next++
    return HASH
  }
  return { upgrades, gate, nonces, accept }
}

test('an upgrade gets the nonce after a transaction that the node accepts late', async () => {
  const { upgrades, gate, nonces, accept } = start()
  const sent = upgrades.behind(ALICE, undefined, async () => {
    await gate.promise
    return await accept()
  })
  const upgraded = upgrades.upgrade(ALICE, accept)
  await new Promise(setImmediate)
  gate.resolve()
  await Promise.all([sent, upgraded])
  expect(nonces).toEqual([5n, 6n])
})

test('a transaction sent during an upgrade is behind both nonces of it', async () => {
  const { upgrades, gate, nonces, accept } = start()
  const upgraded = upgrades.upgrade(ALICE, async (nonce) => {
    await gate.promise
    return await accept(nonce)
  })
  const sent = upgrades.behind(ALICE, undefined, async (fields) =>
    accept('nonce' in fields ? BigInt(String(fields.nonce)) : undefined),
  )
  gate.resolve()
  await Promise.all([sent, upgraded])
  expect(nonces).toEqual([5n, 7n])
})

test('a transaction that the node refuses does not hinder an upgrade', async () => {
  const { upgrades, nonces, accept } = start()
  const sent = upgrades.behind(ALICE, undefined, () => Promise.reject(new Error('refused')))
  const upgraded = upgrades.upgrade(ALICE, accept)
  await expect(sent).rejects.toThrow('refused')
  await upgraded
  expect(nonces).toEqual([5n])
})
