import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import { forkTestChain } from '../../support/chain.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { createRpcChain, rpcChain } from './methods/rpcChain.ts'

const { signal } = new AbortController()

// Each test is the first of its process.
beforeEach(() => vi.resetModules())

const loadRehearsal = () => import('../../../devnet/rpc/rehearsal.ts')

/** The blocks that are sealed from now on, on whatever chain. */
async function watchSeals(): Promise<Promise<SealedBlock>[]> {
  const { Clocks } = await import('../../../devnet/clock/clocks.ts')
  const blocks: Promise<SealedBlock>[] = []
  const seal = Clocks.prototype.seal
  const spy = vi.spyOn(Clocks.prototype, 'seal').mockImplementation(function (this: never) {
    const block = seal.call(this)
    blocks.push(block)
    return block
  })
  onTestFinished(() => spy.mockRestore())
  return blocks
}

/** Whether the transactions of each block succeeded. */
async function outcomes(blocks: readonly Promise<SealedBlock>[]): Promise<boolean[][]> {
  const sealed = await Promise.all(blocks)
  return sealed.map(({ executed }) => executed.map(({ success }) => success))
}

test('nobody notices a rehearsal', async () => {
  const { call, chain, context, dispatch } = await createRpcChain()
  const blocks = await watchSeals()
  const shown = () =>
    Promise.all([
      call('preconf_status'),
      call('txpool_content'),
      call('eth_getBlockByNumber', 'pending', true),
    ])
  const before = await shown()
  const seen = vi.fn()
  for (const event of ['admitted', 'runnable', 'ticked', 'written'] as const) {
    chain.events[event].add(seen)
  }
  const { rehearse } = await loadRehearsal()
  await rehearse(context, dispatch, signal)
  expect(await outcomes(blocks)).toEqual([[true, true]])
  expect(seen).not.toHaveBeenCalled()
  expect(chain.dropped).toEqual([])
  expect(await shown()).toEqual(before)
})

test.each<[string, OptionsInput]>([
  ['instant', { instant: true }],
  ['readOwnWrites', { readOwnWrites: true }],
  ['tickInterval: 0', { tickInterval: 0 }],
  ['anvil', { anvil: true }],
  ['profile: base-flashblocks', { profile: 'base-flashblocks' }],
  ['profile: base', { profile: 'base' }],
  ['hardfork: london', { hardfork: 'london' }],
  ['engine: library', { engine: 'library' }],
  ['baseFee', { baseFee: 10n ** 15n }],
  ['accounts: 0', { accounts: 0 }],
])('with %s, it goes through the whole life', async (_name, options) => {
  const { context, dispatch } = await createRpcChain(options)
  const blocks = await watchSeals()
  const { rehearse } = await loadRehearsal()
  await rehearse(context, dispatch, signal)
  expect(await outcomes(blocks)).toEqual([[true, true]])
})

test('a limit that is too low for it ends it', async () => {
  const { context, dispatch } = await createRpcChain({ gasLimit: 21_000 })
  const blocks = await watchSeals()
  const { rehearse } = await loadRehearsal()
  await rehearse(context, dispatch, signal)
  expect(await outcomes(blocks)).toEqual([])
})

test('the next node of a process only loads', async () => {
  const [first, next] = [await createRpcChain(), await createRpcChain()]
  const blocks = await watchSeals()
  const { rehearse } = await loadRehearsal()
  for (const { context, dispatch } of [first, next]) await rehearse(context, dispatch, signal)
  expect(await outcomes(blocks)).toEqual([[true, true]])
  expect(next.chain.engine.loaded(next.chain.pending.environment.rules)).toBeDefined()
})

test('it does no more than a request has done', async () => {
  const { call, context, dispatch } = await createRpcChain()
  await call('eth_call', { data: '0x00' })
  const blocks = await watchSeals()
  const { rehearse } = await loadRehearsal()
  await rehearse(context, dispatch, signal)
  expect(blocks).toEqual([])
})

test.each<OptionsInput>([{}, { profile: 'base-flashblocks' }])(
  'a forked chain asks its upstream for nothing, with %o',
  async (options) => {
    const upstream = await createRpcChain(options)
    const { head, store } = upstream.chain
    const source = new MemorySource(store.view(head.version).retain())
    const forked = await forkTestChain(upstream, source)
    onTestFinished(() => forked.chain.close())
    source.asked.length = 0
    const blocks = await watchSeals()
    const { context, dispatch } = rpcChain(forked)
    const { rehearse } = await loadRehearsal()
    await rehearse(context, dispatch, signal)
    expect(await outcomes(blocks)).toEqual([[true, true]])
    expect(source.asked).toEqual([])
  },
)

test('what the node is told meanwhile stays', async () => {
  const { call, context, dispatch } = await createRpcChain()
  const { Clocks } = await import('../../../devnet/clock/clocks.ts')
  const advance = Clocks.prototype.advanceTicks
  const tick = vi.spyOn(Clocks.prototype, 'advanceTicks').mockImplementation(async function (
    this: InstanceType<typeof Clocks>,
    count,
  ) {
    await call('hardhat_setChainId', 4242)
    return await advance.call(this, count)
  })
  onTestFinished(() => tick.mockRestore())
  const { rehearse } = await loadRehearsal()
  await rehearse(context, dispatch, signal)
  expect(tick).toHaveBeenCalledOnce()
  expect(await call('eth_chainId')).toBe('0x1092')
})

test('a node that stops meanwhile ends it without an error', async () => {
  const { context, dispatch } = await createRpcChain()
  const blocks = await watchSeals()
  const stop = new AbortController()
  const { Clocks } = await import('../../../devnet/clock/clocks.ts')
  const tick = vi.spyOn(Clocks.prototype, 'advanceTicks').mockImplementation(async () => {
    stop.abort()
  })
  onTestFinished(() => tick.mockRestore())
  const { rehearse } = await loadRehearsal()
  await rehearse(context, dispatch, stop.signal)
  expect(tick).toHaveBeenCalledOnce()
  expect(blocks).toEqual([])
})
