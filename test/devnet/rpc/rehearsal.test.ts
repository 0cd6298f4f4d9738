import { expect, onTestFinished, test, vi } from 'vitest'
import { InsufficientFundsError } from '../../../devnet/chain/admission.ts'
import { rehearse } from '../../../devnet/rpc/rehearsal.ts'
import { forkTestChain } from '../../support/chain.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { createRpcChain, rpcChain } from './methods/rpcChain.ts'

test('behavior: nobody notices a rehearsal', async () => {
  const { call, chain, context, dispatch } = await createRpcChain()
  const shown = () =>
    Promise.all([
      call('preconf_status'),
      call('txpool_content'),
      call('eth_getBlockByNumber', 'pending', true),
    ])
  const before = await shown()
  const submit = vi.spyOn(chain, 'submit')
  const seen = vi.fn()
  for (const listen of ['onAdmit', 'onRunnable', 'onTick', 'onWrite'] as const) chain[listen](seen)
  await rehearse(context, dispatch)
  const [sent] = submit.mock.results
  expect(sent?.value).toBeInstanceOf(InsufficientFundsError)
  expect(seen).not.toHaveBeenCalled()
  expect(chain.dropped).toEqual([])
  expect(await shown()).toEqual(before)
})

test('behavior: it does no more than a request has done', async () => {
  const { call, chain, context, dispatch } = await createRpcChain()
  await call('eth_call', { data: '0x00' })
  const submit = vi.spyOn(chain, 'submit')
  await rehearse(context, dispatch)
  expect(submit).not.toHaveBeenCalled()
})

test('behavior: a forked chain asks its upstream for nothing', async () => {
  const upstream = await createRpcChain()
  const { head, store } = upstream.chain
  const source = new MemorySource(store.view(head.version).retain())
  const forked = await forkTestChain(upstream, source)
  onTestFinished(() => forked.chain.close())
  source.asked.length = 0
  const { context, dispatch } = rpcChain(forked)
  await rehearse(context, dispatch)
  expect(source.asked).toEqual([])
})

test('behavior: a node that stops meanwhile ends the rehearsal without an error', async () => {
  const { chain, context, dispatch } = await createRpcChain()
  const rehearsal = rehearse(context, dispatch)
  await chain.close()
  await rehearsal
})
