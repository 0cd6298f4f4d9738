import { expect, test } from 'vitest'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { seeds } from '../../../support/longRuns.ts'
import { createRpcChain, hex, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { at, type DumpJson } from './dumpJson.ts'
import { answersOf, dumpOf, playTraffic, restored } from './support.ts'

const AMSTERDAM = { hardfork: 'amsterdam' } as const

/** Compares the list of each block with the hash in its header. */
async function expectLists({ chain, call, engine }: RpcChain): Promise<void> {
  for (let number = chain.history.oldest; number <= chain.head.number; number++) {
    const list = await call<Hex>('debug_getRawBlockAccessList', hex(number))
    const hash = toHex(engine.crypto.keccak256(fromHex(list)))
    const block = await call<{ blockAccessListHash: Hex }>('eth_getBlockByNumber', hex(number))
    expect(hash).toBe(block.blockAccessListHash)
  }
}

/** A dump of three blocks, as `change` leaves it. */
async function changed(change: (json: DumpJson) => void): Promise<string> {
  const node = await createRpcChain(AMSTERDAM)
  await node.call('hardhat_mine', '0x3')
  const json: DumpJson = JSON.parse(await dumpOf(node))
  change(json)
  return JSON.stringify(json)
}

test.each(seeds(6))('every list is saved and loaded, seed %i', async (seed) => {
  const node = await createRpcChain(AMSTERDAM)
  const addresses = await playTraffic(node, seed, 60)
  await expectLists(node)
  const dump = await dumpOf(node)
  const again = await restored(dump, AMSTERDAM)
  await expectLists(again)
  expect(await answersOf(again, addresses)).toEqual(await answersOf(node, addresses))
  expect(await dumpOf(again)).toBe(dump)
})

test('a file without lists is loaded, and the error says what it lacks', async () => {
  const dump = await changed(({ blocks = [] }) => {
    for (const block of blocks) delete block.access_list
  })
  const { call, failure } = await restored(dump, AMSTERDAM)
  for (const method of ['eth_getBlockAccessList', 'debug_getRawBlockAccessList']) {
    expect(await failure(method, '0x2')).toEqual({
      code: 4444,
      message: 'pruned history unavailable: block 2 was loaded from a file without its access list',
    })
  }
  expect(await call('eth_getBlockAccessList', '0x0')).toEqual([])
  await call('hardhat_mine')
  expect(await call('eth_getBlockAccessList', 'latest')).not.toEqual([])
})

test('a dump as anvil writes it has no lists', async () => {
  const dump = await changed((json) => {
    delete json.pending_node
    for (const block of json.blocks ?? []) delete block.access_list
  })
  const { failure, call } = await restored(dump, AMSTERDAM)
  expect(await failure('eth_getBlockAccessList', '0x3')).toMatchObject({ code: 4444 })
  await call('hardhat_mine')
  expect(await call('eth_getBlockAccessList', '0x4')).not.toEqual([])
})

test.each([
  ['another one', '0xc0', /: block 2 has blockAccessListHash 0x\w+, expected 0x1dcc4de8\w+\.$/],
  ['no list', '0x00', /blocks\.2\.access_list has bytes where the access list should be\.$/],
  ['no hexadecimal text', 'x', /blocks\.2\.access_list must be hexadecimal, not "x"\.$/],
])('error: %s in the place of a list', async (_, value, message) => {
  const dump = await changed((json) => {
    at(json.blocks, 2).access_list = value
  })
  const load = restored(dump, AMSTERDAM)
  await expect(load).rejects.toThrow(ChainFileError)
  await expect(load).rejects.toThrow(message)
})
