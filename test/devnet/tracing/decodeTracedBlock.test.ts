import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { EMPTY_BODY, encodeBlock, type SealedBlock } from '../../../devnet/protocol/block.ts'
import { traceBlock } from '../../../devnet/tracing/traceBlock.ts'
import { decodeTracedBlock } from '../../../devnet/tracing/tracedBlock.ts'
import { OTHER } from '../execution/harness.ts'
import { createTracingChain, type TracedFrame } from './harness.ts'

const SIGNAL = new AbortController().signal
const OPTIONS = {
  tracer: { name: 'callTracer', config: { onlyTopCall: false, withLog: false } },
  timeout: 5000,
  maxSize: 1e6,
} as const

/** A chain whose second block, with two transactions, is reverted and so no longer known. */
async function createUnknownBlock() {
  const node = await createTracingChain()
  const { chain } = node
  await node.seal()
  const snapshot = await chain.write((turn) => turn.snapshot(() => undefined))
  const hashes: Hex[] = []
  for (const value of [3n, 4n]) hashes.push(await node.send({ to: OTHER, value }))
  await node.tick()
  const block = await node.seal()
  const traces = await node.traceBlock<TracedFrame>(block, { tracer: 'callTracer' })
  await chain.write((turn) => turn.revert(snapshot))
  const play = async (bytes: Uint8Array) =>
    JSON.parse(
      (await traceBlock(chain, await decodeTracedBlock(chain, bytes, SIGNAL), OPTIONS)).text,
    )
  /** The block with another header, or other transactions. */
  const encode = (changes: Partial<Pick<SealedBlock, 'header' | 'executed'>> = {}) =>
    encodeBlock({ ...EMPTY_BODY, header: block.header, executed: block.executed, ...changes })
  return { ...node, block, hashes, traces, play, encode }
}

describe('a block of nobody', () => {
  test('default: on top of one of the chain', async () => {
    const { play, encode, traces, hashes, chain, block } = await createUnknownBlock()
    expect(chain.history.byHash(block.hash)).toBeUndefined()
    const result = await play(encode())
    expect(result).toEqual(traces)
    expect(result.map(({ txHash }: { txHash: Hex }) => txHash)).toEqual(hashes)
  })

  test('a parent that is not there', async () => {
    const { play, encode, block } = await createUnknownBlock()
    const header = { ...block.header, parentHash: new Uint8Array(32).fill(7) }
    await expect(play(encode({ header }))).rejects.toMatchObject({
      code: -32000,
      message: `parent 0x${'07'.repeat(32)} of block 2 not found`,
    })
    const wrong = { ...block.header, number: 9n }
    await expect(play(encode({ header: wrong }))).rejects.toThrow('of block 9 not found')
  })

  test('a transaction that cannot run there', async () => {
    const { play, encode, block, traceCode } = await createUnknownBlock()
    // The second without the first.
    await expect(play(encode({ executed: block.executed.slice(1) }))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(
        /^tracing failed: transaction 0x[0-9a-f]{64} cannot be executed: .*nonce/,
      ),
    })
    expect(await traceCode('0x00')).toMatchObject({ failed: false })
  })

  test.each<[string, Uint8Array, string]>([
    ['nothing', Uint8Array.of(), 'could not decode block: it is not valid RLP'],
    ['bytes', Uint8Array.of(5), 'could not decode block: it has bytes where the block should be'],
    ['an empty list', Uint8Array.of(0xc0), 'could not decode block: it has no header'],
  ])('%s', async (_name, bytes, message) => {
    const { play } = await createUnknownBlock()
    await expect(play(bytes)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining(message),
    })
  })
})

test('a block of the chain', async () => {
  const { chain, seal, send, tick, traceBlock: trace } = await createTracingChain()
  await send({ to: OTHER, value: 1n })
  await tick()
  const block = await seal()
  const found = await decodeTracedBlock(chain, encodeBlock(block), SIGNAL)
  expect(found.wasExecuted).toBe(true)
  expect(JSON.parse((await traceBlock(chain, found, OPTIONS)).text)).toEqual(
    await trace(block, { tracer: 'callTracer' }),
  )
})
