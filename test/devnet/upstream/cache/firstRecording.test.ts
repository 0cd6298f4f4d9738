import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../../devnet/index.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { openUpstream } from '../../../../devnet/upstream/openUpstream.ts'
import type { UpstreamOptions } from '../../../../devnet/upstream/types.ts'

/** Written by 0.1.0, of a node with a counter at 7, a contract that logs and one that reverts. */
const PATH = fileURLToPath(new URL('fixtures/recording-0.1.0.txt', import.meta.url))

const COUNTER = `0x${'c0'.repeat(20)}` as const
const REFUSER = `0x${'fa'.repeat(20)}`
const LOGGED = '0x7a041a2e1d10b20eb6f35d60c2de2ddfa9c1d667cf059ae31defceab156c8040'
const COUNTED = '0x810c2078b789cd3a96d56afe44eea091318635b29e81e95ace05f6208f1d7ac7'

async function open(block: UpstreamOptions['block']) {
  const upstream = await openUpstream({ recording: PATH, block })
  onTestFinished(() => upstream.close())
  return upstream
}

test('a recording of 0.1.0 gives the block, its state and what was pre-confirmed', async () => {
  const before = readFileSync(PATH)
  const upstream = await open('pending')
  expect(upstream).toMatchObject({ chainId: 31337n, block: { number: 6n }, hardfork: 'bpo2' })
  expect(upstream.hardforkFrom).toBe('eth_config')
  expect(upstream.pending?.transactions).toMatchObject([{ hash: COUNTED }])
  const key = addressKeyFromHex(COUNTER)
  const { accounts, slots } = await upstream.source.load({
    accounts: [key],
    slots: [[key, slotKeyFromBigInt(0n)]],
  })
  const code = new Uint8Array(Buffer.from('60005460010160005560005460005260206000f3', 'hex'))
  expect(accounts).toEqual([{ nonce: 0n, balance: 0n, code }])
  expect(slots).toEqual([new Uint8Array([7])])
  const hash = await upstream.source.blockHash(2n)
  expect(Buffer.from(hash).toString('hex')).toMatch(/^9a71238b3e6c4cd7/)
  expect(upstream.status()).toMatchObject({ requests: 0, failed: 0 })
  await upstream.close()
  expect(readFileSync(PATH)).toEqual(before)
})

test('a recording of 0.1.0 gives its answers, null and errors included', async () => {
  const { request } = await open('latest')
  expect(await request('eth_getBlockByNumber', ['0x5', false])).toMatchObject({ number: '0x5' })
  expect(await request('eth_getTransactionReceipt', [LOGGED])).toMatchObject({
    status: '0x1',
    logs: [{ topics: [`0x${'0'.repeat(63)}7`] }],
  })
  const filter = { fromBlock: '0x0', toBlock: '0x6' }
  expect(await request('eth_getLogs', [filter])).toMatchObject([{ transactionHash: LOGGED }])
  expect(await request('eth_getTransactionByHash', [`0x${'04'.repeat(32)}`])).toBeNull()
  await expect(request('eth_call', [{ to: REFUSER }, '0x4'])).rejects.toMatchObject({
    code: 3,
    message: 'execution reverted',
    data: '0x',
  })
})

test('a node stands on a recording of 0.1.0', async () => {
  const devnet = createDevnet({
    ...{ port: 0, noWallet: true, frozenTicks: true, timestamp: 1_800_005_000 },
    ...{ forkRecording: PATH, forkBlockNumber: 'pending' },
  })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  const ask = (method: string, ...params: unknown[]) => devnet.provider.request({ method, params })
  expect(await ask('eth_getStorageAt', COUNTER, '0x0', 'pending')).toMatch(/08$/)
  expect(await ask('eth_getTransactionReceipt', COUNTED)).toMatchObject({ status: '0x1' })
  expect(await ask('eth_getTransactionReceipt', LOGGED)).toMatchObject({ blockNumber: '0x4' })
  expect((await devnet.clock.seal()).latest.number).toBe(7)
  expect((await devnet.clock.status()).fork).toMatchObject({ origin: PATH, requests: 0 })
})
