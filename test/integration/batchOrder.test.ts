import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Devnet } from '../../devnet/types.ts'

let devnet: Devnet

beforeAll(async () => {
  // Ticks stand: what was sent stays in the mempool, and its look-up does not wait.
  devnet = createDevnet({ port: 0, frozenTicks: true })
  await devnet.start()
})

afterAll(async () => {
  await devnet.stop()
})

interface Answer {
  readonly id: number
  readonly result?: unknown
}

async function batch(calls: readonly (readonly [method: string, ...params: unknown[]])[]) {
  const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const response = await fetch(devnet.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // A batch is answered with a list.
  return ((await response.json()) as Answer[]).map(({ result }) => result)
}

const PER_ACCOUNT = 25

/** Transactions of all accounts, signed here, as the node under load recovers their senders on another thread. */
function sign(first: number): Promise<Hex[]> {
  return Promise.all(
    devnet.accounts.slice(0, 5).flatMap(({ privateKey, address }) =>
      Array.from({ length: PER_ACCOUNT }, (_, index) =>
        privateKeyToAccount(privateKey).signTransaction({
          chainId: 31_337,
          to: address,
          nonce: first + index,
          gas: 21_000n,
          maxFeePerGas: 10n ** 10n,
          maxPriorityFeePerGas: 1n,
        }),
      ),
    ),
  )
}

test('under load, requests find what was sent before them in the same batch', async () => {
  // Twice: the first starts the thread.
  for (const first of [0, PER_ACCOUNT]) {
    const raws = await sign(first)
    const hashes = raws.map((raw) => keccak256(raw))
    const looks = ['eth_getTransactionByHash', 'eth_getRawTransactionByHash'] as const
    const results = await batch(
      raws.flatMap((raw, index) => [
        ['eth_sendRawTransaction', raw] as const,
        ...looks.map((method) => [method, hashes[index]] as const),
      ]),
    )
    for (const [index, raw] of raws.entries()) {
      const [sent, found, foundRaw] = results.slice(index * 3)
      expect({ sent, foundRaw }).toEqual({ sent: hashes[index], foundRaw: raw })
      expect(found).toMatchObject({ hash: hashes[index], blockNumber: null })
    }
  }
})

test('under load, the lists of the mempool have all that was sent before', async () => {
  const raws = await sign(2 * PER_ACCOUNT)
  const [first] = devnet.accounts
  if (first === undefined) throw new Error('No account')
  const results = await batch([
    ...raws.map((raw) => ['eth_sendRawTransaction', raw] as const),
    ['txpool_status'],
    ['txpool_content'],
    ['txpool_contentFrom', first.address],
    ['txpool_inspect'],
    ['eth_pendingTransactions'],
    ['eth_getTransactionBySenderAndNonce', first.address, 3 * PER_ACCOUNT - 1],
    ['eth_fillTransaction', { from: first.address, to: first.address }],
  ])
  const [status, content, contentFrom, inspect, pending, last, filled] = results.slice(raws.length)
  const all = 5 * 3 * PER_ACCOUNT
  const count = (value: unknown) =>
    Object.values((value as { pending: Record<string, object> }).pending)
      .map((byNonce) => Object.keys(byNonce).length)
      .reduce((sum, each) => sum + each, 0)
  expect(status).toEqual({ pending: `0x${all.toString(16)}`, queued: '0x0' })
  expect([count(content), count(inspect)]).toEqual([all, all])
  expect(Object.keys((contentFrom as { pending: object }).pending)).toHaveLength(3 * PER_ACCOUNT)
  expect(pending).toHaveLength(all)
  expect(last).toMatchObject({ from: first.address })
  expect(filled).toMatchObject({ tx: { nonce: `0x${(3 * PER_ACCOUNT).toString(16)}` } })
})
