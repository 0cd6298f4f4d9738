import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/index.ts'
import { quantity } from '../../../devnet/primitives/hex.ts'
import { type NonceSource, Nonces } from '../../../devnet/wallet/core/nonces.ts'
import { ALICE } from './support.ts'

/** A chain that counts what it has accepted only once `tick` is called. */
function start(first = 5n) {
  let counted = first
  const waiting = new Map<Hex, bigint>()
  const sent: bigint[] = []
  const chain: NonceSource = {
    place: '',
    nextNonce: () => counted,
    takesNonce: (hash) => waiting.has(hash),
  }
  const nonces = new Nonces()
  const hashOf = (nonce: bigint): Hex => `0x${nonce.toString(16).padStart(64, '0')}`
  const accept = async (nonce: bigint, count = 1) => {
    sent.push(nonce)
    const hash = hashOf(nonce)
    waiting.set(hash, nonce + BigInt(count))
    return hash
  }
  return {
    sent,
    accept,
    send: (send: (nonce: bigint) => Promise<Hex> = accept) =>
      nonces.send(chain, { from: ALICE }, send),
    sendWith: (nonce: bigint) =>
      nonces.send(chain, { from: ALICE, nonce: quantity(nonce) }, accept),
    upgrade: () => nonces.send(chain, { from: ALICE, count: 2 }, (nonce) => accept(nonce, 2)),
    tick() {
      for (const next of waiting.values()) if (next > counted) counted = next
    },
    drop: (nonce: bigint) => waiting.delete(hashOf(nonce)),
    restart() {
      counted = 0n
      waiting.clear()
    },
  }
}

test('an upgrade gets the nonce after a transaction that the chain accepts late', async () => {
  const { send, accept, upgrade, sent } = start()
  const gate = Promise.withResolvers<void>()
  const late = send(async (nonce) => {
    await gate.promise
    return await accept(nonce)
  })
  const upgraded = upgrade()
  await new Promise(setImmediate)
  gate.resolve()
  await Promise.all([late, upgraded])
  expect(sent).toEqual([5n, 6n])
})

test('a transaction sent during an upgrade is behind both nonces of it', async () => {
  const { send, upgrade, sent } = start()
  await Promise.all([upgrade(), send()])
  expect(sent).toEqual([5n, 7n])
})

test('a transaction that the chain refuses does not hinder an upgrade', async () => {
  const { send, upgrade, sent } = start()
  const refused = send(() => Promise.reject(new Error('refused')))
  const upgraded = upgrade()
  await expect(refused).rejects.toThrow('refused')
  await upgraded
  expect(sent).toEqual([5n])
})

test('what the chain does not count yet is counted, one after the other and at the same time', async () => {
  const { send, sent, tick } = start()
  await send()
  await send()
  await Promise.all([send(), send()])
  tick()
  await send()
  expect(sent).toEqual([5n, 6n, 7n, 8n, 9n])
})

test('a nonce is free again if the chain has dropped its transaction', async () => {
  const { send, sent, drop } = start()
  await send()
  await send()
  await send()
  drop(6n)
  await send()
  await send()
  expect(sent).toEqual([5n, 6n, 7n, 6n, 8n])
})

test('nonces begin anew with the chain', async () => {
  const { send, sent, restart, tick } = start()
  await send()
  await send()
  tick()
  restart()
  await send()
  await send()
  expect(sent).toEqual([5n, 6n, 0n, 1n])
})

test('a nonce that a page gives waits for none and is taken', async () => {
  const { send, sendWith, sent, accept } = start()
  const gate = Promise.withResolvers<void>()
  const late = send(async (nonce) => {
    await gate.promise
    return await accept(nonce)
  })
  await sendWith(6n)
  gate.resolve()
  await late
  await send()
  expect(sent).toEqual([6n, 5n, 7n])
})
