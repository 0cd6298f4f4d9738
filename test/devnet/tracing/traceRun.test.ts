import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { ExecutionAbortedError } from '../../../devnet/engine/scheduler.ts'
import { LimitError, RefusedError } from '../../../devnet/primitives/errors.ts'
import { CODE } from '../execution/harness.ts'
import { createTracingChain, type StructLogs, type TracingChain } from './harness.ts'

/** JUMPDEST, PUSH0, JUMP: until the gas is gone. */
const ENDLESS: Hex = '0x5b5f56'

/** Everything still works, on whatever machine comes next. */
async function expectSound({ traceCode, call }: TracingChain): Promise<void> {
  const returns: Hex = '0x602a5f5260205ff3'
  const expected = `0x${'2a'.padStart(64, '0')}`
  expect(await traceCode(returns)).toMatchObject({ failed: false, returnValue: expected })
  expect(await call({ to: CODE }, { state: { [CODE]: { code: returns } } })).toBe(expected)
}

describe('size', () => {
  test.each<[string, object, Hex]>([
    ['struct logs', {}, ENDLESS],
    ['struct logs with memory', { enableMemory: true, disableStack: true }, `0x6201ffff515b600556`],
    // Calls the identity precompile with 4 kB again and again.
    ['callTracer', { tracer: 'callTracer' }, '0x5b5f5f6110005f60045afa505f56'],
    ['flatCallTracer', { tracer: 'flatCallTracer' }, '0x5b5f5f6110005f60055afa505f56'],
    [
      'callTracer with logs',
      { tracer: 'callTracer', tracerConfig: { withLog: true } },
      '0x5b6104005fa05f56',
    ],
    // Slots, then accounts, then preimages that follow from the gas that is left.
    ['erc7562Tracer, slots', { tracer: 'erc7562Tracer' }, '0x5b5a54505f56'],
    ['erc7562Tracer, accounts', { tracer: 'erc7562Tracer' }, '0x5b5a3f505f56'],
    ['erc7562Tracer, preimages', { tracer: 'erc7562Tracer' }, '0x5b5a5f5260205f20505f56'],
    ['erc7562Tracer, frames', { tracer: 'erc7562Tracer' }, '0x5b5f5f6110005f60045afa505f56'],
    // BALANCE of one address after the other.
    ['prestateTracer', { tracer: 'prestateTracer' }, '0x5b5f54315f546001015f555f56'],
    [
      'muxTracer',
      { tracer: 'muxTracer', tracerConfig: { callTracer: {} } },
      '0x5b5f5f6110005f60045afa505f56',
    ],
  ])('%s', async (_name, config, code) => {
    const node = await createTracingChain()
    const trace = () => node.traceCode(code, config, { gas: 40_000_000n }, { maxSize: 100_000 })
    await expect(trace()).rejects.toThrow(LimitError)
    await expect(trace()).rejects.toMatchObject({
      code: -32005,
      message: expect.stringMatching(/larger than 100000 bytes.*\(limit: .*--max-trace-size/),
    })
    await expectSound(node)
  })

  test('limit keeps struct logs below the maximum', async () => {
    const node = await createTracingChain()
    const trace = await node.traceCode<StructLogs>(
      ENDLESS,
      { limit: 100 },
      { gas: 1_000_000n },
      { maxSize: 60_000 },
    )
    expect(trace).toMatchObject({ failed: true, gas: 1_000_000 })
    expect(trace.structLogs).toHaveLength(100)
  })

  test('all traces of a block count together', async () => {
    const node = await createTracingChain()
    for (let index = 0; index < 3; index++) await node.send({ data: '0x60015ff3' })
    await node.tick()
    const { pending } = node.chain
    const [first] = await node.traceBlock<StructLogs>(pending)
    const one = JSON.stringify(first?.result.structLogs).length
    expect(await node.traceBlock(pending, {}, { maxSize: 3 * one + 10 })).toHaveLength(3)
    await expect(node.traceBlock(pending, {}, { maxSize: 2 * one })).rejects.toThrow(LimitError)
  })
})

describe('time', () => {
  test('timeout', async () => {
    const node = await createTracingChain()
    const trace = node.traceCode(
      ENDLESS,
      { tracer: 'callTracer' },
      { gas: 40_000_000n },
      { timeout: 20 },
    )
    await expect(trace).rejects.toThrow(RefusedError)
    await expect(trace).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^execution timeout: .*20 ms.*"timeout"/),
    })
    await expectSound(node)
  })

  test('a client that hangs up', async () => {
    const node = await createTracingChain()
    const hangUp = new AbortController()
    const trace = node.traceCode(
      ENDLESS,
      { limit: 1 },
      { gas: 40_000_000n },
      { timeout: 600_000, signal: hangUp.signal },
    )
    // Once it has paused for the first time.
    setImmediate(() => hangUp.abort())
    await expect(trace).rejects.toThrow(ExecutionAbortedError)
    await expect(trace).rejects.toThrow('the request was withdrawn')
    await expectSound(node)
  })

  test('others get their turn, also where each step takes long', async () => {
    const node = await createTracingChain()
    // 2 MB of memory are recorded at each step.
    const code: Hex = '0x621fffff515b600556'
    let outcome: unknown
    const ended = node
      .traceCode(code, { enableMemory: true }, { gas: 20_000_000n }, { maxSize: 150_000_000 })
      .catch((error: unknown) => {
        outcome = error
      })
    let turns = 0
    while (outcome === undefined) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      turns++
    }
    await ended
    expect(outcome).toBeInstanceOf(LimitError)
    // Several dozen steps of 4 MB of text each, and a pause at least every 5 ms: a fast machine runs two
    // or three between pauses.
    expect(turns).toBeGreaterThan(8)
  })
})
