import { beforeAll, describe, expect, test } from 'vitest'
import { loadChain } from '../../../../devnet/node/loadChain.ts'
import { resolveOptions } from '../../../../devnet/options/options.ts'
import { concatBytes } from '../../../../devnet/primitives/bytes.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import {
  encodeBlock,
  type SealedBlock,
  type Uncle,
  unclesHash,
} from '../../../../devnet/protocol/block.ts'
import { nextDifficulty } from '../../../../devnet/protocol/difficulty.ts'
import { type BlockHeader, encodeHeader } from '../../../../devnet/protocol/header.ts'
import { createTestChain, START, type TestChain } from '../../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'

/** With proof of work for ever. */
const GENESIS = genesisOf(BLOCK_FORKS, { timestamp: START - 100 })

const LAST = 10

let node: TestChain
beforeAll(async () => {
  node = await createTestChain({ genesis: temporaryFile('genesis.json', GENESIS) })
  await node.clocks.advanceBlocks(LAST)
})

function blockOf(number: number): SealedBlock {
  const block = node.chain.history.byNumber(number)
  if (block === undefined) throw new Error(`No block ${number}`)
  return block
}

/** A sibling of a block, which could have been in its place. */
function sibling(number: number, changes: Partial<BlockHeader> = {}): Uncle {
  const header = { ...blockOf(number).header, coinbase: new Uint8Array(20).fill(9), ...changes }
  return { header, hash: toHex(node.engine.crypto.keccak256(encodeHeader(header))) }
}

/** How the import ends when the last block names these uncles. */
async function outcome(uncles: readonly Uncle[]): Promise<string> {
  const { rules, header } = blockOf(LAST)
  const parent = blockOf(LAST - 1).header
  const last = encodeBlock({
    ...blockOf(LAST),
    uncles,
    header: {
      ...header,
      sha3Uncles: unclesHash(uncles, node.engine.crypto.keccak256),
      difficulty: nextDifficulty(parent, header.timestamp, rules),
    },
  })
  const before = Array.from({ length: LAST - 1 }, (_, index) => encodeBlock(blockOf(index + 1)))
  const options = resolveOptions({
    genesis: temporaryFile('genesis.json', GENESIS),
    import: temporaryFile('chain.rlp', concatBytes(...before, last)),
  })
  try {
    await loadChain(options, new AbortController().signal)
    return 'imported'
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^.* block 10 has /, '') : String(error)
  }
}

describe('uncles', () => {
  test('default: siblings of the last ancestors are uncles, and are paid', async () => {
    // The rewards are in the state, which the header does not know of.
    const paid = /^stateRoot 0x\w{64}, expected 0x\w{64}\.$/
    expect(await outcome([sibling(LAST - 1)])).toMatch(paid)
    expect(await outcome([sibling(LAST - 1), sibling(LAST - 6)])).toMatch(paid)
    expect(await outcome([])).toBe('imported')
  })

  test('error: three', async () => {
    const uncles = [sibling(9), sibling(8), sibling(7)]
    expect(await outcome(uncles)).toBe('3 uncles, expected 2 at most.')
  })

  test.each([
    ['too old', LAST - 7],
    ['a sibling of the block itself', LAST],
  ])('error: %s', async (_, number) => {
    expect(await outcome([sibling(number)])).toBe(
      `uncle 0 with number ${number}, expected ${LAST - 6} to ${LAST - 1}.`,
    )
  })
})
