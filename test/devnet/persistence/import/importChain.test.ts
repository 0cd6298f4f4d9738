import { beforeAll, describe, expect, test } from 'vitest'
import { loadChain } from '../../../../devnet/node/loadChain.ts'
import { resolveOptions } from '../../../../devnet/options/options.ts'
import { concatBytes } from '../../../../devnet/primitives/bytes.ts'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { createTestChain } from '../../../support/chain.ts'
import { exportBlocks, temporaryFile } from '../../../support/genesisFile.ts'
import { failure, GENESIS, load, ThreeBlocks } from './threeBlocks.ts'

let three: ThreeBlocks
beforeAll(async () => {
  three = await ThreeBlocks.create()
})

describe('a good chain', () => {
  test('default: the same blocks, with their transactions, receipts and states', async () => {
    const { base, imported } = await load(exportBlocks(three.node.chain))
    const { history, store } = base
    expect(history.head.hash).toBe(three.node.chain.head.hash)
    expect(history.head.executed.map(({ logs, gasUsed }) => ({ logs, gasUsed }))).toEqual(
      three.node.chain.head.executed.map(({ logs, gasUsed }) => ({ logs, gasUsed })),
    )
    const [executed] = three.block(1).executed
    if (executed === undefined) throw new Error('No transaction')
    expect(history.transaction(executed.transaction.hash)?.executed.success).toBe(true)
    const { senderKey } = executed.transaction
    for (const [number, nonce] of [2n, 2n, 5n].entries()) {
      const version = history.byNumber(number + 1)?.version
      expect(store.view(version).account(senderKey)?.nonce).toBe(nonce)
    }
    expect(imported).toEqual({
      file: expect.stringMatching(/chain\.rlp$/),
      blocks: 3,
      transactions: 5,
      gasUsed: [1, 3].reduce((sum, number) => sum + Number(three.block(number).header.gasUsed), 0),
      number: 3,
      hash: three.node.chain.head.hash,
      elapsed: expect.any(Number),
    })
  })

  test('the genesis block in front is skipped, as geth exports it', async () => {
    const genesis = three.encoded(0)
    const { base, imported } = await load(concatBytes(genesis, exportBlocks(three.node.chain)))
    expect(base.history.head.hash).toBe(three.node.chain.head.hash)
    expect(imported?.blocks).toBe(3)
  })

  test('a file without blocks is the genesis alone', async () => {
    const { base, imported } = await load(new Uint8Array())
    expect(base.history.head.hash).toBe(three.block(0).hash)
    expect(imported).toMatchObject({ blocks: 0, number: 0 })
  })

  test('keepBlocks holds for what is imported', async () => {
    const { base } = await load(exportBlocks(three.node.chain), { keepBlocks: 2 })
    expect(base.history.oldest).toBe(2)
    expect(base.history.hashOf(1)).toEqual(three.block(1).hashBytes)
  })

  test('others get their turn meanwhile', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    // Else a fast machine would be done within one slice.
    const many = await createTestChain({ genesis: temporaryFile('genesis.json', GENESIS) })
    // In two commands: one would reserve blocks, which no file can hold.
    await many.clocks.advanceBlocks(150)
    await many.clocks.advanceBlocks(150)
    turns = 0
    await load(exportBlocks(many.chain))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })

  test('it can be stopped', async () => {
    const stop = new AbortController()
    const options = resolveOptions({
      genesis: temporaryFile('genesis.json', GENESIS),
      import: temporaryFile('chain.rlp', exportBlocks(three.node.chain)),
    })
    stop.abort()
    await expect(loadChain(options, stop.signal)).rejects.toThrow('The node was stopped')
  })
})

describe('a damaged file', () => {
  test('error: it ends inside a block', async () => {
    const whole = exportBlocks(three.node.chain)
    expect(await failure(whole.slice(0, -7))).toBe(
      `chain.rlp, byte ${three.third}: the file ends inside a block, 7 bytes too early.`,
    )
    expect(await failure(whole.slice(0, three.third + 2))).toBe(
      `chain.rlp, byte ${three.third}: the file ends inside a block, 1 byte too early.`,
    )
  })

  test('error: something else between the blocks', async () => {
    const whole = exportBlocks(three.node.chain)
    const torn = concatBytes(
      whole.slice(0, three.third),
      Uint8Array.of(0x1f),
      whole.slice(three.third),
    )
    expect(await failure(torn)).toBe(`chain.rlp, byte ${three.third}: 0x1f does not begin a block.`)
  })

  test.each<[string, Uint8Array, string]>([
    ['an empty list', Uint8Array.of(0xc0), 'has no header, no transactions, or no uncles'],
    ['three strings', Uint8Array.of(0xc3, 1, 2, 3), 'has bytes where a header should be'],
    [
      'five lists',
      Uint8Array.of(0xc5, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0),
      'has more parts than a block has',
    ],
    [
      'a header of two fields',
      Uint8Array.of(0xc5, 0xc2, 1, 2, 0xc0, 0xc0),
      'has a header of 2 fields, which no hardfork has',
    ],
    [
      'a part that is too long',
      Uint8Array.of(0xc2, 0xc5, 0xc0),
      'is not valid RLP: a part reaches over its end',
    ],
    [
      'a byte with a head',
      Uint8Array.of(0xc2, 0x81, 0x05),
      'is not valid RLP: a part is encoded longer than it needs',
    ],
  ])('error: %s', async (_, bytes, problem) => {
    expect(await failure(bytes)).toBe(`chain.rlp, byte 0: the block there ${problem}.`)
  })

  test('error: a block that says to be longer than any', async () => {
    expect(await failure(Uint8Array.of(0xff, 1, 0, 0, 0, 0, 0, 0, 0))).toBe(
      'chain.rlp, byte 0: a block cannot be 72057594037927940 bytes long.',
    )
  })

  test('error: no such file', async () => {
    const options = {
      genesis: temporaryFile('genesis.json', GENESIS),
      import: '/nowhere/chain.rlp',
    }
    await expect(loadChain(resolveOptions(options), new AbortController().signal)).rejects.toThrow(
      new ChainFileError('/nowhere/chain.rlp cannot be read: ENOENT: no such file or directory.'),
    )
  })

  test('error: another genesis', async () => {
    const genesis = { ...GENESIS, gasLimit: '0x1c9c381' }
    expect(await failure(exportBlocks(three.node.chain), { genesis })).toMatch(
      new RegExp(
        `^chain\\.rlp belongs to another genesis file: its chain begins with block ${three.block(0).hash}, expected 0x`,
      ),
    )
    const whole = concatBytes(three.encoded(0), exportBlocks(three.node.chain))
    expect(await failure(whole, { genesis })).toMatch(/^chain\.rlp belongs to another genesis file/)
  })

  test('error: a block is left out', async () => {
    expect(await failure(concatBytes(three.encoded(1), three.encoded(3)))).toBe(
      `chain.rlp, byte ${three.encoded(1).length}: block 2 has number 3, expected 2.`,
    )
  })
})
