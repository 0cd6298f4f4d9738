import { expect, test } from 'vitest'
import { answersOf, dumpOf, restored } from '../devnet/persistence/dump/support.ts'
import { createRpcChain } from '../devnet/rpc/methods/rpcChain.ts'
import { describeConformance, testChain } from './conformance.ts'

describeConformance('the execution-apis test chain', () => {
  test('is saved and loaded with all its hardforks, uncles, withdrawals and states', async () => {
    const node = await createRpcChain({ ...testChain, timestamp: undefined })
    const addresses = [
      node.account(0).address,
      '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
    ] as const
    await node.clocks.advanceBlocks(2)
    const dump = await dumpOf(node)
    const again = await restored(dump)
    expect(await answersOf(again, addresses)).toEqual(await answersOf(node, addresses))
    expect(await dumpOf(again)).toBe(dump)
    await node.clocks.advanceBlocks(2)
    await again.clocks.advanceBlocks(2)
    expect(again.chain.head.hash).toBe(node.chain.head.hash)
  })
})
