import { type Hex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import { RefusedError } from '../../../devnet/primitives/errors.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import { tracedBlock } from '../../../devnet/tracing/tracedBlock.ts'
import { ETHER } from '../execution/harness.ts'
import { createTracingChain, type StructLogs, type TracedFrame } from './harness.ts'

const CALLS = { tracer: 'callTracer' }

/** Init code of a contract that adds 1 to slot 0 and returns it. */
const COUNTER: Hex = '0x6d5f5460010180 5f555f5260205ff3 5f52600e6012f3'.replaceAll(' ', '') as Hex

/** A counter that was called three times in the pending block. */
async function createCounter() {
  const node = await createTracingChain()
  const { traceCall } = node
  const deployed = await node.send({ data: COUNTER })
  await node.tick()
  const { to: counter = '0x' } = await node.traceSent<TracedFrame>(deployed, CALLS)
  await node.seal()
  const hashes: Hex[] = []
  for (let index = 0; index < 3; index++) hashes.push(await node.send({ to: counter }))
  await node.tick()
  const outputs = async () =>
    Promise.all(hashes.map(async (hash) => (await node.traceSent<TracedFrame>(hash, CALLS)).output))
  return { ...node, traceCall, counter, hashes, outputs }
}

const ONE_TWO_THREE = [pad('0x1'), pad('0x2'), pad('0x3')]

describe('what a transaction met', () => {
  test('default: those before it in the block, pre-confirmed and sealed', async () => {
    const { outputs, seal, chain, traceBlock, hashes } = await createCounter()
    expect(await outputs()).toEqual(ONE_TWO_THREE)
    const pending = await traceBlock<TracedFrame>(chain.pending, CALLS)
    expect(pending.map(({ txHash }) => txHash)).toEqual(hashes)
    expect(pending.map(({ result }) => result.output)).toEqual(ONE_TWO_THREE)
    const block = await seal()
    expect(await outputs()).toEqual(ONE_TWO_THREE)
    expect(await traceBlock(block, CALLS)).toEqual(pending)
  })

  test('later blocks and ticks do not matter', async () => {
    const { outputs, seal, tick, send, counter, clocks } = await createCounter()
    await seal()
    await send({ to: counter })
    await tick()
    await clocks.advanceBlocks(3)
    expect(await outputs()).toEqual(ONE_TWO_THREE)
  })

  test('a cheat between two transactions is replayed at its place', async () => {
    const { chain, counter, send, tick, seal, traceBlock, traceSent } = await createCounter()
    await chain.write((writer) => {
      writer.cheat({ kind: 'setStorage', address: counter, slot: pad('0x'), value: pad('0x28') })
    })
    await send({ to: counter })
    await tick()
    const expected = [...ONE_TWO_THREE, pad('0x29')]
    const outputs = async (block: SealedBlock | PendingView) => {
      const traces = await traceBlock<TracedFrame>(block, CALLS)
      return traces.map(({ result }) => result.output)
    }
    expect(await outputs(chain.pending)).toEqual(expected)
    expect(await outputs(await seal())).toEqual(expected)
    const { result } = (await traceBlock<TracedFrame>(chain.head, CALLS)).at(-1) ?? {}
    const last = chain.head.executed.at(-1)?.transaction.hash ?? '0x'
    expect(await traceSent(last, CALLS)).toEqual(result)
  })

  test('the block sees its own number, time and system contracts', async () => {
    const node = await createTracingChain()
    // NUMBER, TIMESTAMP, BLOCKHASH(NUMBER - 1), then what EIP-2935's contract says of block 1.
    const init: Hex = `0x4342${'6001430340'}60015f5260205f60205f5f73${'0000f90827f1c53a10cb7a02335b175320002935'}5af15f51`
    await node.clocks.advanceBlocks(2)
    const hash = await node.send({ data: init })
    await node.tick()
    const check = async () => {
      const { structLogs } = await node.traceSent<StructLogs>(hash)
      const stack = structLogs.at(-1)?.stack ?? []
      const { parent, timestamp } =
        node.chain.findTransaction(hash)?.at === 'pending'
          ? node.chain.pending.environment
          : { parent: node.chain.history.byNumber(2), timestamp: node.chain.head.header.timestamp }
      expect(stack).toEqual([
        '0x3',
        `0x${timestamp.toString(16)}`,
        `0x${BigInt(parent?.hash ?? 0).toString(16)}`,
        '0x1',
        `0x${BigInt(node.chain.history.byNumber(1)?.hash ?? 0).toString(16)}`,
      ])
    }
    await check()
    await node.seal()
    await check()
  })
})

describe('nothing is left behind', () => {
  test('neither in the state nor in the chain', async () => {
    const { chain, outputs, traceBlock, hashes, traceSent } = await createCounter()
    const { pending, head, mempool } = chain
    const version = () => chain.store.view().version
    const [before, size] = [version(), mempool.size]
    await outputs()
    await traceBlock(pending)
    await expect(traceSent(hashes[2] ?? '0x', {}, { maxSize: 100 })).rejects.toThrow('larger')
    expect([version(), mempool.size]).toEqual([before, size])
    expect(chain.pending).toBe(pending)
    expect(chain.head).toBe(head)
  })

  test('ticks, seals and cheats go on meanwhile', async () => {
    const node = await createCounter()
    const { traceBlock, chain, send, tick, seal, counter } = node
    const expected = await traceBlock(chain.pending)
    const traces = Array.from({ length: 5 }, () => traceBlock(chain.pending))
    await send({ to: counter })
    await tick()
    await seal()
    await chain.write((writer) =>
      writer.cheat({ kind: 'setBalance', address: counter, balance: 1n }),
    )
    expect(await Promise.all(traces)).toEqual(Array.from({ length: 5 }, () => expected))
  })
})

describe('blocks that cannot be traced', () => {
  test('genesis', async () => {
    const { chain } = await createTracingChain()
    expect(() => tracedBlock(chain, chain.head)).toThrow(RefusedError)
    expect(() => tracedBlock(chain, chain.head)).toThrow('genesis is not traceable')
  })

  test('the oldest block that is kept', async () => {
    const { chain, clocks } = await createTracingChain({ keepBlocks: 2 })
    await clocks.advanceBlocks(4)
    const [third, fourth] = [chain.history.byNumber(3), chain.history.byNumber(4)]
    if (third === undefined || fourth === undefined) throw new Error('Not kept')
    expect(() => tracedBlock(chain, third)).toThrow(RefusedError)
    expect(() => tracedBlock(chain, third)).toThrow('--keep-blocks')
    expect(tracedBlock(chain, fourth).transactions).toEqual([])
  })

  test('an empty block has no traces', async () => {
    const { chain, traceBlock } = await createTracingChain()
    expect(await traceBlock(chain.pending)).toEqual([])
  })
})

test('refunds of authorizations are there from the first step on', async () => {
  const node = await createTracingChain()
  const signer = node.account(1)
  const sign = (nonce: number) =>
    signer.signAuthorization({ contractAddress: `0x${'0'.repeat(39)}1`, chainId: 31337, nonce })
  const raw = await node.account().signTransaction({
    type: 'eip7702',
    chainId: 31337,
    nonce: 0,
    to: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
    data: pad('0x1'),
    gas: 300_000n,
    value: ETHER,
    maxFeePerGas: 10n ** 10n,
    // Two that hold and one that does not, of an account that is there.
    authorizationList: [await sign(0), await sign(1), await sign(7)],
  })
  const { hash } = await node.chain.submit(Buffer.from(raw.slice(2), 'hex'))
  await node.tick()
  const { structLogs } = await node.traceSent<StructLogs>(hash)
  expect(structLogs[0]).toMatchObject({ depth: 1, refund: 25_000 })
})
