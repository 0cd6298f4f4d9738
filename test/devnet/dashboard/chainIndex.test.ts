import { expect, test } from 'vitest'
import { ChainIndex } from '../../../devnet/dashboard/chainIndex.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'

test('of contracts whose blocks are not kept, the newest are remembered', async () => {
  const node = await createRpcChain({ keepBlocks: 2 })
  const { chain, call, account } = node
  const index = new ChainIndex(chain)
  const from = account(0).address
  const create = async (count: number) => {
    for (let done = 0; done < count; done++) {
      await call('eth_sendTransaction', { from, data: '0x00', gas: '0xffff' })
    }
    await call('evm_mine')
    await index.sync()
  }
  for (let block = 0; block < 24; block++) await create(100)
  const all = [...index.creations()]
  expect(all.length).toBeLessThan(2_000)
  expect(all.length).toBeGreaterThanOrEqual(1_000)
  // Newest first, without a gap.
  expect(new Set(all.map(({ address }) => address)).size).toBe(all.length)
  const blocks = [...new Set(all.map(({ block }) => block))]
  expect(blocks).toEqual(blocks.map((_, at) => 24 - at))
}, 60_000)

test('contracts of the pending block are there, also after a drop', async () => {
  const node = await createRpcChain()
  const { chain, call, account } = node
  const tick = () => call('preconf_advance', { ticks: 1 })
  const index = new ChainIndex(chain)
  const from = account(0).address
  const create = () => call<string>('eth_sendTransaction', { from, data: '0x00', gas: '0xffff' })
  const first = await create()
  await create()
  await tick()
  await index.sync()
  expect([...index.creations()]).toHaveLength(2)
  await create()
  await tick()
  await index.sync()
  expect([...index.creations()]).toHaveLength(3)
  await call('hardhat_dropTransaction', first)
  await index.sync()
  expect([...index.creations()].length).toBeLessThan(3)
})
