import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { indexAddresses } from '../../../../devnet/rpc/queries/indexAddresses.ts'
import { seeds } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { dumpOf, playTraffic, restored } from '../../persistence/dump/support.ts'
import { createRpcChain, type RpcChain } from './rpcChain.ts'

interface Frame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly error?: string
  readonly calls?: readonly Frame[]
}

interface Page {
  readonly txs: readonly { readonly hash: Hex; readonly blockNumber: Hex }[]
  readonly receipts: readonly { readonly transactionHash: Hex; readonly timestamp: number }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

/** What a walk over the traces of all sealed transactions finds. */
interface Traces {
  /** Hashes by address, newest first. */
  readonly occurrences: ReadonlyMap<Hex, readonly Hex[]>
  /** Who created what, the newest creations last. */
  readonly creations: ReadonlyMap<Hex, { readonly hash: Hex; readonly creator: Hex }>
}

/** Walks all traces, as a node without an index does. */
async function tracesOf({ chain, call }: RpcChain): Promise<Traces> {
  const occurrences = new Map<Hex, Hex[]>()
  const creations = new Map<Hex, { hash: Hex; creator: Hex }>()
  for (let number = chain.history.oldest + 1; number <= chain.head.number; number++) {
    for (const { transaction } of chain.history.byNumber(number)?.executed ?? []) {
      const { hash } = transaction
      const addresses = new Set<Hex>()
      const frames: Frame[] = []
      const walk = (frame: Frame, failed: boolean) => {
        const { type, from, to, error, calls = [] } = frame
        frames.push(frame)
        addresses.add(from)
        if (to !== undefined) addresses.add(to)
        const fails = failed || error !== undefined
        if (type.startsWith('CREATE') && !fails && to !== undefined) {
          creations.set(to, { hash, creator: from })
        }
        for (const inner of calls) walk(inner, fails)
      }
      walk(await call<Frame>('debug_traceTransaction', hash, { tracer: 'callTracer' }), false)
      // The call tracer does not tell where a contract that failed would have been. One whose
      // address is taken is not listed there: its code never ran.
      const entries = await call<{ to: Hex }[]>('ots_traceTransaction', hash)
      expect(entries.length).toBe(frames.length)
      for (const [index, { to }] of entries.entries()) {
        if (frames[index]?.error !== 'contract address collision') addresses.add(to)
      }
      for (const address of addresses) {
        occurrences.set(address, [hash, ...(occurrences.get(address) ?? [])])
      }
    }
  }
  return { occurrences, creations }
}

/** All pages of an address, from one end of its history to the other; newest transaction first. */
async function walkPages(
  { call }: RpcChain,
  address: Hex,
  direction: 'Before' | 'After',
  size: number,
): Promise<Hex[]> {
  const hashes: Hex[] = []
  let block = 0
  for (let count = 0; ; count++) {
    const page = await call<Page>(`ots_searchTransactions${direction}`, address, block, size)
    const { txs, receipts } = page
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(
      txs.map(({ hash }) => hash),
    )
    const [isFirst, isLast] =
      direction === 'Before' ? [page.firstPage, page.lastPage] : [page.lastPage, page.firstPage]
    expect(isFirst).toBe(count === 0)
    const found = txs.map(({ hash }) => hash)
    if (direction === 'Before') hashes.push(...found)
    else hashes.unshift(...found)
    if (isLast) return hashes
    // A page that is not the last one is full.
    expect(txs.length).toBeGreaterThanOrEqual(size)
    block = Number((direction === 'Before' ? txs.at(-1) : txs[0])?.blockNumber)
  }
}

/** Compares what the node answers of each address with what its traces tell. */
async function expectIndex(node: RpcChain, random: Random): Promise<Traces> {
  const traces = await tracesOf(node)
  for (const [address, hashes] of traces.occurrences) {
    for (const direction of ['Before', 'After'] as const) {
      expect(await walkPages(node, address, direction, 1 + random.below(4))).toEqual(hashes)
    }
    const hasCode = await node.call('ots_hasCode', address, 'latest')
    const expected = hasCode === true ? (traces.creations.get(address) ?? null) : null
    expect(await node.call('ots_getContractCreator', address)).toEqual(expected)
  }
  return traces
}

test.each(seeds(8))('the index finds what all traces tell, seed %i', async (seed) => {
  const random = new Random(seed)
  const node = await createRpcChain()
  // The index grows while blocks are sealed and taken back.
  const searches: Promise<unknown>[] = []
  node.chain.events.sealed.add(() => {
    if (!random.once(3)) return
    searches.push(node.call('ots_searchTransactionsBefore', node.account(0).address, 0, 25))
  })
  await playTraffic(node, seed, 150)
  await Promise.all(searches)
  const { occurrences, creations } = await expectIndex(node, random)
  expect(occurrences.size).toBeGreaterThan(3)
  expect(creations.size).toBeGreaterThan(0)
})

test.each(seeds(3))('a saved chain tells what it told, seed %i', async (seed) => {
  const node = await createRpcChain()
  await playTraffic(node, seed, 120)
  const text = await dumpOf(node)
  await expectIndex(await restored(text), new Random(seed))

  // As a chain of anvil is saved, whose inner frames are unknown: the blocks are executed again.
  const file = JSON.parse(text)
  for (const each of file.transactions) each.inner_frames = { touched: '0x', created: '0x' }
  const again = await restored(file)
  await expectIndex(again, new Random(seed))
  const resaved = JSON.parse(await dumpOf(again))
  // Still unknown to whoever loads that.
  expect(resaved.transactions[0].inner_frames).toEqual({ touched: '0x', created: '0x' })
})

test('args: --keep-blocks', async () => {
  const node = await createRpcChain({ keepBlocks: 6 })
  const search = () => node.call('ots_searchTransactionsBefore', node.account(0).address, 0, 25)
  node.chain.events.sealed.add(() => void search())
  await playTraffic(node, 5, 200)
  await search()
  expect(node.chain.history.oldest).toBeGreaterThan(1)
  // The oldest block is kept, but not the state before it, so it cannot be traced.
  const oldest = node.chain.history.byNumber(node.chain.history.oldest)
  const { occurrences } = await tracesOf(node)
  for (const [address, hashes] of occurrences) {
    const inOldest = (oldest?.executed ?? []).map(({ transaction }) => transaction.hash)
    const found = await walkPages(node, address, 'Before', 2)
    expect(found.filter((hash) => !inOldest.includes(hash))).toEqual(hashes)
  }
})

test('reserved blocks cost nothing', async () => {
  const node = await createRpcChain()
  const { call, account, chain } = node
  const from = account(0).address
  const send = () => call<Hex>('eth_sendTransaction', { from, to: from, value: '0x1' })
  const first = await send()
  await call('preconf_seal')
  await call('hardhat_mine', '0x3b9aca00')
  const second = await send()
  await call('evm_mine')
  expect(chain.head.number).toBeGreaterThan(1_000_000_000)
  expect(await walkPages(node, from, 'Before', 1)).toEqual([second, first])
  await call('hardhat_mine', '0x3b9aca00')
  expect(await walkPages(node, from, 'After', 1)).toEqual([second, first])
})

describe('blocks whose inner frames are unknown', () => {
  async function restoredUnknown() {
    const node = await createRpcChain()
    await playTraffic(node, 3, 60)
    const file = JSON.parse(await dumpOf(node))
    for (const each of file.transactions) each.inner_frames = { touched: '0x', created: '0x' }
    return restored(file)
  }

  test('one that cannot be executed again lacks its inner calls, and no more', async () => {
    const node = await restoredUnknown()
    const { chain, account, call } = node
    const seen = vi.spyOn(chain.store, 'view').mockImplementationOnce(() => {
      throw new Error('That state is damaged')
    })
    const told = vi.spyOn(chain, 'onInternalError').mockImplementation(() => undefined)
    onTestFinished(() => {
      seen.mockRestore()
      told.mockRestore()
    })
    const { txs } = await call<Page>('ots_searchTransactionsBefore', account(0).address, 0, 25)
    expect(txs.length).toBeGreaterThan(0)
    expect(chain.history.unindexed).toBeUndefined()
    expect(told.mock.calls).toEqual([[new Error('Block 1 cannot be executed again')]])
  })

  test('args: a time after which the search has what it has by then', async () => {
    const { chain } = await restoredUnknown()
    const { signal } = new AbortController()
    await indexAddresses(chain, signal, 0)
    const first = chain.history.unindexed?.number ?? Number.POSITIVE_INFINITY
    expect(first).toBeLessThan(chain.head.number)
    await indexAddresses(chain, signal)
    expect(chain.history.unindexed).toBeUndefined()
  })
})
