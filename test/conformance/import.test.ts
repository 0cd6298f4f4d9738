import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatBlock, formatUncleAt } from '../../devnet/json/formatBlock.ts'
import { concatBytes } from '../../devnet/primitives/bytes.ts'
import { toHex } from '../../devnet/primitives/hex.ts'
import { encodeBlock } from '../../devnet/protocol/block.ts'
import { createTestChain, START } from '../support/chain.ts'
import { exportBlocks, temporaryFile } from '../support/genesisFile.ts'
import { describeConformance, testChain } from './conformance.ts'

describeConformance('the test chain', () => {
  test('default: its blocks come out as they came in', async () => {
    const { chain } = await createTestChain(testChain)
    expect(chain.head.hash).toBe(
      '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7',
    )
    expect(Buffer.from(exportBlocks(chain)).equals(readFileSync(testChain.import))).toBe(true)
  })

  test('blocks show uncles, extra data and their size', async () => {
    const { chain, engine } = await createTestChain(testChain)
    const blocks = Array.from({ length: 55 }, (_, number) => chain.history.byNumber(number))
    const [withUncles] = blocks.filter((block) => (block?.uncles.length ?? 0) > 0)
    if (withUncles === undefined) throw new Error('No uncles')
    const formatted = formatBlock(withUncles, false)
    expect(formatted.uncles).toEqual(withUncles.uncles.map(({ hash }) => hash))
    expect(Number(formatted.size)).toBe(encodeBlock(withUncles).length)
    expect(engine.chainId).toBe(3503995874084926)
    for (const [index, { header, hash }] of withUncles.uncles.entries()) {
      expect(formatUncleAt(withUncles, BigInt(index))).toMatchObject({
        hash,
        number: `0x${header.number.toString(16)}`,
        parentHash: toHex(header.parentHash),
        stateRoot: toHex(header.stateRoot),
        uncles: [],
      })
    }
    expect(formatUncleAt(withUncles, BigInt(withUncles.uncles.length))).toBeNull()
  })

  test('what the node adds verifies behind it', async () => {
    const { chain, clocks } = await createTestChain(testChain)
    await clocks.advanceBlocks(3)
    const more = [55, 56, 57].map((number) => {
      const block = chain.history.byNumber(number)
      if (block === undefined) throw new Error(`No block ${number}`)
      return encodeBlock(block)
    })
    const bytes = concatBytes(readFileSync(testChain.import), ...more)
    const again = await createTestChain({
      ...testChain,
      import: temporaryFile('chain.rlp', bytes),
      timestamp: START + 100,
    })
    expect(again.chain.head.hash).toBe(chain.head.hash)
  })
})
