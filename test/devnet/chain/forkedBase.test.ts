import { expect, test } from 'vitest'
import { createForkedBase } from '../../../devnet/chain/forkedBase.ts'
import { type Hex, toHex } from '../../../devnet/primitives/hex.ts'
import {
  BLOCK_HASHES,
  systemContracts,
  WITHDRAWAL_REQUESTS,
} from '../../../devnet/protocol/systemContracts.ts'
import { EMPTY_CODE_HASH } from '../../../devnet/state/codes.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { RemoteLayer } from '../../../devnet/state/remote/remoteLayer.ts'
import { UpstreamError } from '../../../devnet/state/remote/remoteSource.ts'
import { createTestChain, forkTestChain } from '../../support/chain.ts'
import { MemorySource } from '../../support/memorySource.ts'

/** A chain with three blocks, and its newest state as a source. */
async function setUp() {
  const upstream = await createTestChain()
  await upstream.clocks.advanceBlocks(3)
  const { version } = upstream.chain.head
  return { upstream, source: new MemorySource(upstream.chain.store.view(version).retain()) }
}

test('default', async () => {
  const { upstream, source } = await setUp()
  const { chain, clocks, remote } = await forkTestChain(upstream, source)
  const { head } = upstream.chain
  expect([chain.head.hash, chain.history.oldest, chain.firstHead]).toEqual([head.hash, 3, 3])
  expect(chain.head.trie?.root()).toEqual(head.header.stateRoot)
  expect(chain.origin?.remote).toBe(remote)
  expect(upstream.chain.origin).toBeUndefined()
  await clocks.advanceBlocks(2)
  expect(chain.history.byNumber(4)?.header.parentHash).toEqual(head.hashBytes)
  expect(chain.head.number).toBe(5)
  // The system contracts, the coinbase and the queues, before the chain was made.
  const { requests } = chain.head.rules
  expect(requests).toBe(true)
  expect(source.asked.map(({ accounts, slots }) => [accounts.length, slots.length])).toEqual([
    [5, 8],
  ])
})

test('equal commands give equal blocks, other states other roots', async () => {
  const { upstream, source } = await setUp()
  const [one, two, other] = [
    await forkTestChain(upstream, source),
    await forkTestChain(upstream, source),
    await forkTestChain(upstream, source),
  ]
  const [address = '0x'] = upstream.accounts.map((account) => account.address)
  const key = addressKeyFromHex(address)
  for (const [index, { chain, remote, clocks }] of [one, two, other].entries()) {
    await remote.load({ accounts: [key], slots: [] })
    const balance = index === 2 ? 6n : 5n
    await chain.write((writer) => writer.cheat({ kind: 'setBalance', address, balance }))
    await clocks.advanceBlocks(1)
  }
  expect(two.chain.head.hash).toBe(one.chain.head.hash)
  expect(other.chain.head.header.stateRoot).not.toEqual(one.chain.head.header.stateRoot)
  expect(one.chain.head.header.stateRoot).not.toEqual(upstream.chain.head.header.stateRoot)
})

test('lays in the system contracts that the state lacks', async () => {
  const { upstream } = await setUp()
  const source = new MemorySource()
  const key = addressKeyFromHex(BLOCK_HASHES.address)
  source.accounts.set(key, { nonce: 0n, balance: 7n, code: new Uint8Array(0) })
  const { chain, engine } = await forkTestChain(upstream, source)
  const state = chain.store.view(chain.head.version)
  for (const { address, code } of systemContracts(chain.head.rules)) {
    const account = state.account(addressKeyFromHex(address))
    expect(account?.nonce).toBe(1n)
    expect(toHex(engine.codes.get(account?.codeHash ?? EMPTY_CODE_HASH))).toBe(code)
  }
  expect(state.account(key)?.balance).toBe(7n)
})

test('sealing asks nothing, even if requests are queued already', async () => {
  const upstream = await createTestChain()
  const { address } = WITHDRAWAL_REQUESTS
  const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`
  // One request: its number in this block, the end of the queue, and three slots.
  for (const [slot, value] of [
    [1, 1],
    [3, 1],
    [4, 7],
    [5, 8],
    [6, 9],
  ] as const) {
    const cheat = { kind: 'setStorage', address, slot: word(slot), value: word(value) } as const
    await upstream.chain.write((writer) => writer.cheat(cheat))
  }
  const { head, store } = upstream.chain
  const source = new MemorySource(store.view(head.version).retain())
  const { chain, clocks } = await forkTestChain(upstream, source)
  expect(source.asked.map(({ slots }) => slots.length)).toEqual([8, 3])
  source.asked.length = 0
  for (const one of [upstream.clocks, clocks]) await one.advanceBlocks(1)
  expect(source.asked).toEqual([])
  const { requestsHash } = upstream.chain.head.header
  expect(chain.head.header.requestsHash).toEqual(requestsHash)
  expect(requestsHash).not.toEqual(head.header.requestsHash)
})

test('a source that gives no system contracts makes no chain', async () => {
  const { upstream, source } = await setUp()
  source.failure = new UpstreamError('upstream is gone', { transient: true })
  const { engine, chain } = upstream
  const { header, hashBytes: hash, number } = chain.head
  const remote = new RemoteLayer(source, engine.codes)
  const origin = { chainId: 1, number, hash, header, remote }
  await expect(createForkedBase(origin, engine)).rejects.toBe(source.failure)
})

test('hashes of blocks below the fork block come from the upstream', async () => {
  const { upstream, source } = await setUp()
  const hash = new Uint8Array(32).fill(2)
  source.hashes.set(2n, hash)
  const { chain } = await forkTestChain(upstream, source)
  expect(await chain.blockHashes(2n)).toEqual(hash)
  expect(chain.blockHashes(2n)).toBe(hash)
  expect(chain.blockHashes(3n)).toBe(chain.head.hashBytes)
  expect(chain.blockHashes(4n)).toEqual(new Uint8Array(32))
})
