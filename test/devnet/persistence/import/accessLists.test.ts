import { expect, test } from 'vitest'
import { decodeBlock } from '../../../../devnet/persistence/import/decodeBlock.ts'
import { concatBytes } from '../../../../devnet/primitives/bytes.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { encodeBlock, type SealedBlock } from '../../../../devnet/protocol/block.ts'
import { decodeBlockAccessList } from '../../../../devnet/protocol/blockAccessList.ts'
import { CONSOLIDATION_REQUESTS } from '../../../../devnet/protocol/systemContracts.ts'
import { createTestChain } from '../../../support/chain.ts'
import { exportBlocks, temporaryFile } from '../../../support/genesisFile.ts'
import { AccessListChain } from '../../chain/accessListChain.ts'
import { rpcChain } from '../../rpc/methods/rpcChain.ts'
import { failure, load, OTHER_HASH } from './threeBlocks.ts'

/** A chain of two blocks, and the same with another header of the second one. */
async function twoBlocks(gasLimit?: bigint) {
  const chain = await AccessListChain.create(5, gasLimit)
  const first = await chain.addRandomBlock(0)
  const second = await chain.addRandomBlock(6)
  const { genesis } = chain
  const withSecond = (header: Partial<SealedBlock['header']>) =>
    concatBytes(
      encodeBlock(first),
      encodeBlock({ ...second, header: { ...second.header, ...header } }),
    )
  return { chain, genesis, first, second, withSecond, at: encodeBlock(first).length }
}

test('default: what a node exports, another one imports, with the same lists', async () => {
  const { genesis } = await AccessListChain.create(4)
  const node = rpcChain(await createTestChain({ genesis: temporaryFile('genesis.json', genesis) }))
  const from = node.account(0).address
  for (let block = 0; block < 3; block++) {
    const to = CONSOLIDATION_REQUESTS.address
    const request = { from, to, value: '0x1', data: `0x${'11'.repeat(96)}`, gas: '0x100000' }
    await node.call('eth_sendTransaction', request)
    await node.call('preconf_advance', { blocks: 1 })
  }
  const { chain } = node
  const raws = [1, 2, 3].map((number) =>
    node.call<string>('debug_getRawBlock', `0x${number.toString(16)}`),
  )
  const bytes = Buffer.from((await Promise.all(raws)).map((raw) => raw.slice(2)).join(''), 'hex')
  expect(bytes).toEqual(Buffer.from(exportBlocks(chain)))
  const { base } = await load(bytes, { genesis })
  for (const number of [1, 2, 3]) {
    const [ours, theirs] = [chain.history, base.history].map((one) => one.byNumber(number))
    expect(theirs?.hash).toBe(ours?.hash)
    expect(theirs?.accessList).toEqual(ours?.accessList)
  }
})

test('error: the hash of another list, which is told before the state root', async () => {
  const { genesis, second, withSecond, at } = await twoBlocks()
  const changed = { blockAccessListHash: OTHER_HASH, stateRoot: OTHER_HASH }
  expect(await failure(withSecond(changed), { genesis })).toBe(
    `chain.rlp, byte ${at}: block 2 has blockAccessListHash ${toHex(OTHER_HASH)}, expected ${toHex(second.header.blockAccessListHash ?? OTHER_HASH)}.`,
  )
})

test('error: no slot number, and none of both fields', async () => {
  const { genesis, first, second, at, chain } = await twoBlocks()
  const { slotNumber, ...without } = second.header
  expect(slotNumber).toBe(2n)
  const shorter = concatBytes(encodeBlock(first), encodeBlock({ ...second, header: without }))
  expect(await failure(shorter, { genesis })).toBe(
    `chain.rlp, byte ${at}: the block there has a header of 22 fields, which no hardfork has.`,
  )
  const { blockAccessListHash, ...osaka } = without
  expect(blockAccessListHash).toBeDefined()
  const encoded = encodeBlock({ ...second, header: osaka })
  const { keccak256 } = chain.loaded.engine.crypto
  expect(decodeBlock(encoded, keccak256).header.slotNumber).toBeUndefined()
  expect(await failure(concatBytes(encodeBlock(first), encoded), { genesis })).toBe(
    `chain.rlp, byte ${at}: block 2 has no blockAccessListHash, which every block of amsterdam has.`,
  )
})

test('any slot number is that of the block, because the consensus layer decides on it', async () => {
  const { genesis, withSecond, at } = await twoBlocks()
  // SLOTNUM may answer it, but no program of this block asks.
  const { base } = await load(withSecond({ slotNumber: 77n }), { genesis })
  expect(base.history.head.header.slotNumber).toBe(77n)
  expect(at).toBeGreaterThan(0)
})

test('a list may have an item for each 2000 gas of the limit, and no more', async () => {
  // An empty block: both contracts of its opening with three slots, and four of its end with 16.
  for (const [gasLimit, isValid] of [
    [50_000n, true],
    [49_999n, false],
  ] as const) {
    const chain = await AccessListChain.create(5, gasLimit)
    const block = await chain.seal(chain.open())
    const items = decodeBlockAccessList(block.accessList ?? OTHER_HASH).map(
      ({ storageChanges, storageReads }) => 1 + storageChanges.length + storageReads.length,
    )
    expect(items.reduce((sum, count) => sum + count)).toBe(25)
    const { genesis } = chain
    if (isValid) await load(encodeBlock(block), { genesis })
    else {
      expect(await failure(encodeBlock(block), { genesis })).toBe(
        'chain.rlp, byte 0: block 1 has 25 items in its access list, expected 24 at most.',
      )
    }
  }
})

test('a request contract with other code has what that accesses in the list, and nothing else', async () => {
  const { genesis: plain } = await AccessListChain.create(5)
  const { address } = CONSOLIDATION_REQUESTS
  // SSTORE(9, SLOAD(9) + 1), SLOAD(8), STOP
  const alloc = {
    ...Object(plain.alloc),
    [address]: { code: '0x600954600101600955600854 00'.replace(' ', '') },
  }
  const genesis = { ...plain, alloc }
  const { chain, clocks } = await createTestChain({
    genesis: temporaryFile('genesis.json', genesis),
  })
  await clocks.advanceBlocks(2)
  const list = decodeBlockAccessList(chain.head.accessList ?? OTHER_HASH)
  expect(list.find((account) => toHex(account.address) === address)).toMatchObject({
    storageChanges: [[Uint8Array.of(9), [[1, Uint8Array.of(2)]]]],
    storageReads: [Uint8Array.of(8)],
  })
  const { base } = await load(exportBlocks(chain), { genesis })
  expect(base.history.head.hash).toBe(chain.head.hash)
})
