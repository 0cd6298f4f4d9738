import { expect, test } from 'vitest'
import { createDevnet } from '../../../../devnet/index.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { DevnetEvents } from '../../../../devnet/types.ts'

const GWEI = 1_000_000_000
const reasonOf = (other: unknown) => `replaced by ${other}, which has the same sender and nonce`

/** Sends with nonce 0, for a price. */
const priced = (from: Hex, gwei: number) => ({
  from,
  to: from,
  gas: '0x5208',
  nonce: '0x0',
  gasPrice: `0x${(gwei * GWEI).toString(16)}`,
})

test('the status and the events tell of a replaced transaction and its replacer', async () => {
  await using devnet = createDevnet({ port: 0, frozenTicks: true })
  await devnet.start()
  const dropped: DevnetEvents['drop'][] = []
  devnet.on('drop', (event) => dropped.push(event))
  const [from = '0x'] = devnet.accounts.map(({ address }) => address)
  const send = (gwei: number) =>
    devnet.provider.request({ method: 'eth_sendTransaction', params: [priced(from, gwei)] })
  const [first, second] = [await send(3), await send(4)]
  const expected = {
    hash: first,
    reason: reasonOf(second),
    preconfirmed: false,
    replacedBy: second,
  }
  expect(dropped).toEqual([expected])
  const status = await devnet.clock.advance({ ticks: 1 })
  expect(status.dropped).toEqual([expected])
  expect(status.pending.transactions).toMatchObject([{ hash: second }])
})

test('events tell of other drops too', async () => {
  await using devnet = createDevnet({ port: 0, frozenTicks: true })
  await devnet.start()
  const dropped: DevnetEvents['drop'][] = []
  devnet.on('drop', (event) => dropped.push(event))
  const [from = '0x'] = devnet.accounts.map(({ address }) => address)
  const hash = await devnet.provider.request({
    method: 'eth_sendTransaction',
    params: [priced(from, 3)],
  })
  await devnet.clock.advance({ ticks: 1 })
  const { dropped: listed } = await devnet.provider
    .request({ method: 'hardhat_dropTransaction', params: [hash] })
    .then(() => devnet.clock.status())
  expect(dropped).toEqual(listed)
  expect(dropped).toMatchObject([{ hash, preconfirmed: true }])
  expect(dropped[0]).not.toHaveProperty('replacedBy')
})
