import { describe, expect, test } from 'vitest'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { addressKeyFromHex } from '../../../../devnet/state/keys.ts'
import type { Status } from '../../../../devnet/types.ts'
import { createTestChain, type TestChain } from '../../../support/chain.ts'
import { FUNDED } from '../../../support/genesisFile.ts'
import { blockAt, expectAllLinked } from '../../chain/linkage.ts'
import { createRpcChain, hex, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { at, type BlockJson, type DumpJson } from './dumpJson.ts'
import { dumpOf, restored } from './support.ts'

/** Two ranges, 2 to 999 and 1002 to 1000000; cheats and a transaction lie between and behind. */
async function create(keepBlocks = 0): Promise<RpcChain> {
  const node = await createRpcChain({ keepBlocks })
  const { call } = node
  await call('hardhat_setBalance', FUNDED[2], '0x1')
  await call('hardhat_mine', hex(1000), '0x3')
  await call('hardhat_setBalance', FUNDED[2], '0x2')
  await call('eth_sendTransaction', { from: FUNDED[0], to: FUNDED[1], gas: '0x5208' })
  await call('preconf_advance', { blocks: 999_001 })
  await call('eth_sendTransaction', { from: FUNDED[0], to: FUNDED[1], gas: '0x5208' })
  await call('preconf_advance', { ticks: 1 })
  return node
}

const NUMBERS = [1, 2, 3, 500, 999, 1000, 1001, 1002, 5000, 1_000_000, 1_000_001]

async function answersOf({ call }: RpcChain, numbers = NUMBERS): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const number of numbers) {
    const block = await call<{ hash: Hex }>('eth_getBlockByNumber', hex(number), true)
    answers.push(
      block,
      await call('eth_getBlockByHash', block.hash, true),
      await call('eth_getBalance', FUNDED[2], hex(number)),
      await call('eth_getProof', FUNDED[2], [], hex(number)),
      await call('eth_getBlockReceipts', hex(number)),
    )
  }
  // Which instance it is depends on the number of loads.
  const { instanceId: _, ...status } = await call<Status>('preconf_status')
  return [
    ...answers,
    status,
    await call('eth_feeHistory', '0x20', '0x3e8', [50]),
    await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'pending' }),
  ]
}

test('default: everything is as before, in a file that is no longer for it', async () => {
  const node = await create()
  const dump = await dumpOf(node)
  expect(dump.length).toBeLessThan(60_000)
  const { blocks } = JSON.parse(dump) as DumpJson
  expect(blocks?.map(({ reserved }) => reserved)).toEqual([
    undefined,
    undefined,
    { first: 2, last: 999, step: 3000 },
    undefined,
    undefined,
    { first: 1002, last: 1_000_000, step: 2000 },
    undefined,
  ])
  const again = await restored(dump)
  expect(await answersOf(again)).toEqual(await answersOf(node))
  expectAllLinked(again.chain)
  expect(await dumpOf(again)).toBe(dump)
  for (const one of [node, again]) await one.call('hardhat_mine', hex(2000))
  expect(again.chain.head.hash).toBe(node.chain.head.hash)
  expect(await dumpOf(again)).toBe(await dumpOf(node))
})

test('hardhat_loadState', async () => {
  const node = await create()
  const other = await createRpcChain()
  await other.call('hardhat_mine', hex(5000))
  expect(await other.call('hardhat_loadState', await node.call('hardhat_dumpState'))).toBe(true)
  expect(await answersOf(other)).toEqual(await answersOf(node))
})

test.each([1, 2, 100, 999_002, 999_500])('with keepBlocks %i', async (keepBlocks) => {
  const node = await create(keepBlocks)
  const dump = await dumpOf(node)
  const again = await restored(dump, { keepBlocks })
  const { oldest, head } = node.chain.history
  expect([again.chain.history.oldest, oldest]).toEqual([oldest, head.number - keepBlocks + 1])
  const numbers = NUMBERS.filter((number) => number >= oldest)
  expect(await answersOf({ ...again }, numbers).catch(String)).toEqual(
    await answersOf(node, numbers).catch(String),
  )
  for (let back = 1; back <= 256; back++) {
    const number = BigInt(head.number + 1 - back)
    expect(again.chain.blockHashes(number)).toEqual(node.chain.blockHashes(number))
  }
  expectAllLinked(again.chain)
  expect(await dumpOf(again)).toBe(dump)
})

test('a chain that ends in a range, with a cheat on its last block', async () => {
  const { store, history } = (await create()).chain
  // No command goes back into a range, but a history can.
  history.truncate(500)
  store.abandon(history.head.version)
  const node = await createTestChain({}, { base: { store, history } })
  const read = ({ chain }: Pick<TestChain, 'chain'>, number: number) => {
    const { version } = blockAt(chain, number)
    return chain.store.view(version).account(addressKeyFromHex(FUNDED[2]))?.balance
  }
  await node.chain.write((writer) =>
    writer.cheat({ kind: 'setBalance', address: FUNDED[2], balance: 77n }),
  )
  for (const goesOn of [false, true]) {
    if (goesOn) await node.clocks.tickAndSeal(1000)
    const dump = await dumpOf(node)
    const again = await restored(dump)
    expect(await dumpOf(again)).toBe(dump)
    for (const one of [node, again]) {
      expect([1, 499, 500].map((number) => read(one, number))).toEqual([1n, 1n, 77n])
      expect(one.chain.head.number).toBe(goesOn ? 1500 : 500)
      expect(one.chain.history.entries()).toHaveLength(goesOn ? 6 : 3)
      expectAllLinked(one.chain)
    }
    expect(again.chain.head.hash).toBe(node.chain.head.hash)
  }
})

describe('a damaged range', () => {
  const damaged: [name: string, change: (range: BlockJson) => void, message: RegExp][] = [
    [
      'a last block too far',
      ({ reserved }) => {
        if (reserved) reserved.last++
      },
      /block 1000 follows on block 1000\.$/,
    ],
    [
      'another gap between timestamps',
      ({ reserved }) => {
        if (reserved) reserved.step++
      },
      /block 999 has the hash 0x\w+, expected 0x\w+: its header was changed\.$/,
    ],
    [
      'another timestamp',
      ({ header }) => {
        header.timestamp = '0x1'
      },
      /block 999 has the hash 0x\w+, expected 0x\w+: its header was changed\.$/,
    ],
    [
      'a first block before the header',
      ({ reserved }) => {
        if (reserved) reserved.first = 1
      },
      /blocks\.2\.reserved\.first is before block 2\.$/,
    ],
    [
      'a last block before the first',
      ({ reserved }) => {
        if (reserved) reserved.last = 1
      },
      /blocks\.2\.reserved\.last is before block 2\.$/,
    ],
    [
      'a negative gap',
      ({ reserved }) => {
        if (reserved) reserved.step = -1
      },
      /blocks\.2\.reserved\.step is negative\.$/,
    ],
    [
      'no number',
      ({ reserved }) => {
        if (reserved) Object.assign(reserved, { last: 1e300 })
      },
      /blocks\.2\.reserved\.last must be a whole number, not 1e\+300\.$/,
    ],
    [
      'a part of its blocks left out',
      ({ reserved }) => {
        if (reserved) reserved.first = 3
      },
      /block 3 follows on block 1\.$/,
    ],
  ]
  test.each(damaged)('error: %s', async (_, change, message) => {
    const json = JSON.parse(await dumpOf(await create())) as DumpJson
    change(at(json.blocks, 2))
    const loading = restored(JSON.stringify(json))
    await expect(loading).rejects.toThrow(ChainFileError)
    await expect(loading).rejects.toThrow(message)
  })
})
