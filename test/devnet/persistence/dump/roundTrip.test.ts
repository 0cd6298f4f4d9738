import { expect, test } from 'vitest'
import { FUNDED } from '../../../support/genesisFile.ts'
import { seeds } from '../../../support/longRuns.ts'
import { createRpcChain, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { answersOf, CHEATED, dumpOf, playTraffic, restored } from './support.ts'

/** The same commands for a chain and the one that was restored from it. */
async function goOn({ clocks, call }: RpcChain): Promise<unknown[]> {
  await clocks.advanceBlocks(2)
  await call('hardhat_setBalance', FUNDED[2], '0x77')
  await clocks.advanceTicks(3)
  await clocks.advanceBlocks(1)
  return [await call('eth_getBlockByNumber', 'latest', true), await call('preconf_status')]
}

test.each(seeds(20))('everything is as before, seed %i', async (seed) => {
  const node = await createRpcChain()
  const addresses = await playTraffic(node, seed, 80)
  const dump = await dumpOf(node)
  const again = await restored(dump)
  expect(await answersOf(again, addresses)).toEqual(await answersOf(node, addresses))
  expect(await dumpOf(again)).toBe(dump)
  expect(await goOn(again)).toEqual(await goOn(node))
  expect(await dumpOf(again)).toBe(await dumpOf(node))
})

test('equal chains are saved as equal bytes', async () => {
  const dumps = []
  for (let index = 0; index < 2; index++) {
    const node = await createRpcChain()
    await playTraffic(node, 5, 60)
    dumps.push(await dumpOf(node))
  }
  expect(dumps[0]).toBe(dumps[1])
})

test('the order in which a state came about does not show', async () => {
  const dumps = []
  const changes = [...CHEATED, ...FUNDED].flatMap((address) => [
    ['hardhat_setBalance', address, '0x5'],
    ['hardhat_setStorageAt', address, '0x1', `0x${'01'.repeat(32)}`],
    ['hardhat_setStorageAt', address, '0x2', `0x${'02'.repeat(32)}`],
  ])
  for (const order of [changes, changes.toReversed()]) {
    const node = await createRpcChain()
    for (const [method = '', ...params] of order) await node.call(method, ...params)
    dumps.push(await dumpOf(node))
  }
  expect(dumps[0]).toBe(dumps[1])
})

test('a chain whose old blocks were dropped', async () => {
  const node = await createRpcChain({ keepBlocks: 5 })
  await playTraffic(node, 6, 60)
  await node.call('hardhat_setBalance', FUNDED[1], '0x9')
  await node.clocks.advanceBlocks(8)
  expect(node.chain.history.oldest).toBeGreaterThan(1)
  const dump = await dumpOf(node)
  const again = await restored(dump, { keepBlocks: 5 })
  const oldest = again.chain.history.oldest
  expect([oldest, again.chain.head.hash]).toEqual([node.chain.history.oldest, node.chain.head.hash])
  expect(again.chain.blockHashes(BigInt(oldest - 1))).toEqual(
    node.chain.blockHashes(BigInt(oldest - 1)),
  )
  expect(again.chain.history.genesis).toEqual(node.chain.history.genesis)
  expect(await dumpOf(again)).toBe(dump)
  expect(await goOn(again)).toEqual(await goOn(node))
})

test('impersonated senders and what holds for every block', async () => {
  const node = await createRpcChain()
  const nobody = '0x00000000000000000000000000000000000000ee'
  await node.call('hardhat_setBalance', nobody, '0xde0b6b3a7640000')
  await node.call('hardhat_impersonateAccount', nobody)
  await node.call('hardhat_setCoinbase', FUNDED[2])
  await node.call('hardhat_setBlockTimestampInterval', '0x2328')
  const send = () => node.call('eth_sendTransaction', { from: nobody, to: FUNDED[1], value: '0x1' })
  await send()
  await node.clocks.advanceBlocks(1)
  await send()
  await node.clocks.advanceTicks(1)
  await send()
  const dump = await dumpOf(node)
  const again = await restored(dump)
  const addresses = [nobody, ...FUNDED] as const
  expect(await answersOf(again, addresses)).toEqual(await answersOf(node, addresses))
  expect(await goOn(again)).toEqual(await goOn(node))
})

test('a chain id that was changed', async () => {
  const node = await createRpcChain()
  await node.call('eth_sendTransaction', { from: FUNDED[0], to: FUNDED[1], value: '0x1' })
  await node.clocks.advanceBlocks(1)
  await node.call('hardhat_setChainId', '0x539')
  await node.call('eth_sendTransaction', { from: FUNDED[0], to: FUNDED[1], value: '0x2' })
  await node.clocks.advanceTicks(1)
  const again = await restored(await dumpOf(node))
  expect(again.engine.chainId).toBe(1337)
  expect(await answersOf(again, FUNDED)).toEqual(await answersOf(node, FUNDED))
})
