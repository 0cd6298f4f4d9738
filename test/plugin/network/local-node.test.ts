import { expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { connect, createHre } from './stage.ts'

// Each test has the first node of its process.
vi.resetModules()

test('no connection waits for an upstream that hangs once the first node stands', async () => {
  const { DevnetNode } = await import('../../../devnet/node/node.ts')
  const hre = await createHre()
  const { createDevnet } = await import('../../../devnet/index.ts')
  await using upstream = createDevnet({ port: 0, frozen: true })
  await upstream.start()
  // Its account has code that reads a slot: no fork may run it.
  const earner = `0x${'cb'.repeat(20)}`
  const ask = (method: string, ...params: unknown[]) =>
    upstream.provider.request({ method, params })
  await ask('hardhat_setCoinbase', earner)
  await ask('hardhat_setCode', earner, '0x60005400')
  await upstream.clock.advance({ blocks: 1 })
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const { start } = DevnetNode.prototype
  const spy = vi.spyOn(DevnetNode.prototype, 'start')
  onTestFinished(() => spy.mockRestore())
  spy.mockImplementationOnce(async function (this: InstanceType<typeof DevnetNode>) {
    await start.call(this)
    proxy.reset()
    proxy.play(() => ({ kind: 'hang' }))
  })
  const forking = { url: proxy.url }
  await using fork = await connect(hre, { forking, noForkCache: true, forkPrefetch: 'off' })
  await using plain = await connect(hre)
  expect(proxy.requests).toEqual([])
  expect(await fork.rpc('eth_blockNumber')).toBe('0x1')
  expect(await plain.rpc('eth_blockNumber')).toBe('0x0')
})
