import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProfileName } from '../../../devnet/options/optionTable.ts'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { flashblocks } from '../../../devnet/stream/raw/flashblock.ts'
import { createTestChain, type TestChain } from '../../support/chain.ts'
import { createRpcChain, hex } from '../rpc/methods/rpcChain.ts'
import { holdWallTime, pass } from './wallTime.ts'

/** A slice of a block of 60 M has 6 M. */
async function createSliced() {
  const node = await createRpcChain({ slices: 10 })
  const { account, call, chain } = node
  const send = (gas: number, from = 0) =>
    call<Hex>('eth_sendTransaction', {
      from: account(from).address,
      to: account(from).address,
      gas: hex(gas),
    })
  const tick = async () => {
    await call('preconf_advance', { ticks: 1 })
    return chain.pending.executed.map(({ transaction }) => transaction.hash)
  }
  return { ...node, send, tick }
}

test('default: a transaction waits until the slices so far have room for its gas limit', async () => {
  const { send, tick } = await createSliced()
  const large = await send(16_000_000)
  const small = await send(100_000, 1)
  expect(await tick()).toEqual([small])
  expect(await tick()).toEqual([small])
  expect(await tick()).toEqual([small, large])
})

test('gas that was used counts, and what earlier slices left can be used', async () => {
  const { chain, send, tick } = await createSliced()
  const hashes: Hex[] = []
  for (let count = 0; count < 3; count++) hashes.push(await send(5_990_000, count))
  // Each uses 21,000 of its gas.
  expect(await tick()).toEqual(hashes.slice(0, 1))
  expect(await tick()).toEqual(hashes)
  expect(chain.pending.gas.paid).toBe(63_000n)
})

test('a later transaction of its sender waits with it; others do not', async () => {
  const { send, tick } = await createSliced()
  const [large, next, other] = [await send(12_000_001), await send(21_000), await send(21_000, 1)]
  expect(await tick()).toEqual([other])
  await tick()
  expect(await tick()).toEqual([other, large, next])
})

test.each([
  ['preconf_seal', []],
  ['preconf_advance', [{ blocks: 1 }]],
  ['evm_mine', []],
])('%s takes all that fits into the block', async (method, params) => {
  const { call, chain, send } = await createSliced()
  await call('preconf_resume')
  const large = await send(16_000_000)
  await call(method, ...params)
  expect(chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual([large])
})

test('behind the last slice there is room up to the gas limit', async () => {
  const { tick, send } = await createSliced()
  for (let count = 0; count < 12; count++) await tick()
  const hashes = [await send(16_000_000), await send(16_000_000, 1), await send(16_000_000, 2)]
  expect(await tick()).toEqual(hashes)
})

async function sendOne(node: TestChain, nonce: number): Promise<void> {
  const [account] = node.accounts
  if (account === undefined) throw new Error('No accounts')
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n }
  const fields = { chainId: 31337, nonce, to: account.address, gas: 21_000n, ...fees }
  await node.send(await privateKeyToAccount(account.privateKey).signTransaction(fields))
}

describe('messages of the stream', () => {
  holdWallTime()

  test.each([
    ['base-flashblocks', 2000, 110],
    ['op-subblocks', 2000, 110],
    ['unichain', 1000, 60],
    ['xlayer', 1000, 60],
  ] satisfies [ProfileName, number, number][])(
    '%s: in ten blocks of %i ms',
    async (profile, interval, count) => {
      const node = await createTestChain({ profile, frozenTicks: false })
      onTestFinished(() => node.clocks.stop())
      const indexes: number[] = []
      const stop = flashblocks(profileOf(profile))(node.chain).add(({ text }) => {
        indexes.push(JSON.parse(text.text).index)
      })
      onTestFinished(stop)
      for (let nonce = 0; nonce < 11; nonce++) {
        await sendOne(node, nonce)
        await pass(node, interval)
      }
      const start = indexes.indexOf(0)
      const blocks = indexes.slice(start, start + count)
      expect(blocks.filter((index) => index === 0)).toHaveLength(10)
      expect(Math.max(...blocks)).toBe(count / 10 - 1)
      expect(indexes[start + count]).toBe(0)
    },
  )

  test('base: a block every 200 ms, with what was sent before', async () => {
    const node = await createTestChain({ profile: 'base', frozenTicks: false })
    onTestFinished(() => node.clocks.stop())
    await pass(node, 2000)
    expect(node.chain.head.number).toBe(10)
  })
})
