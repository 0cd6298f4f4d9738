import { type Hex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { CODE, ETHER, GWEI, OTHER, returning } from '../execution/harness.ts'
import { createTracingChain, type TracedFrame, type TracingChain } from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

const CALLS = { tracer: 'callTracer' }
const output = async (code: string, changes = {}, request = {}) =>
  (await node.traceCode<TracedFrame>(returning(code), CALLS, request, changes)).output

describe('as eth_call', () => {
  test('args: block overrides', async () => {
    expect(await output('43', { header: { number: 77n } })).toBe(pad('0x4d'))
    expect(await output('42', { header: { time: 2n ** 40n } })).toBe(pad('0x10000000000'))
    const blockHash: Hex = `0x${'ab'.repeat(32)}`
    const header = { number: 9n, blockHash: new Map([[8n, blockHash]]) }
    expect(await output('600840', { header })).toBe(blockHash)
  })

  test('without fees the base fee is 0, else the block\u2019s', async () => {
    const { baseFeePerGas } = node.chain.pending.environment
    expect(await output('48')).toBe(pad('0x0'))
    expect(await output('48', {}, { gasPrice: 2n * GWEI })).toBe(
      pad(`0x${baseFeePerGas.toString(16)}`),
    )
  })

  test('args: precompiles that have moved', async () => {
    const sha: Hex = `0x${'0'.repeat(39)}2`
    const trace = await node.traceCall<TracedFrame>({ from: node.from, to: OTHER }, CALLS, {
      state: { [sha]: { movePrecompileToAddress: OTHER } },
    })
    expect(trace.output).toBe('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  test('gas is cut to the cap', async () => {
    const trace = await node.traceCode<TracedFrame>('0x00', CALLS, { gas: 10n ** 12n })
    expect(trace.gas).toBe('0x2faf080')
  })

  test('what no block could hold has no trace', async () => {
    const call = node.traceCall({ from: OTHER, to: CODE, value: ETHER })
    await expect(call).rejects.toMatchObject({
      code: -32000,
      simulationCode: -38014,
      message: expect.stringMatching(/^insufficient funds for gas \* price \+ value: address 0x/),
    })
  })

  test('a sender with code', async () => {
    const trace = await node.traceCall<TracedFrame>({ from: OTHER, to: CODE }, CALLS, {
      state: { [OTHER]: { code: '0x00' }, [CODE]: { code: returning('33') } },
    })
    expect(trace).toMatchObject({ from: OTHER, output: pad(OTHER) })
  })

  test('a call that fails has a trace', async () => {
    expect(await node.traceCode('0x5f5ffd')).toMatchObject({ failed: true, returnValue: '0x' })
  })
})

describe('inside of a block', () => {
  test('args: txIndex: so many transactions before it', async () => {
    const chain = await createTracingChain()
    for (let index = 0; index < 3; index++) await chain.send({ to: OTHER, value: 1n })
    await chain.tick()
    const balance = async (index?: number) => {
      const changes = {
        state: { [CODE]: { code: returning(`73${OTHER.slice(2)}31`) } },
        ...(index === undefined ? {} : { index }),
      }
      return (await chain.traceCall<TracedFrame>({ to: CODE }, CALLS, changes)).output
    }
    expect([await balance(0), await balance(1), await balance(2), await balance()]).toEqual(
      [0, 1, 2, 3].map((wei) => pad(`0x${wei}`)),
    )
    const block = await chain.seal()
    const inside = { block, index: 2, state: { [CODE]: { code: returning('43') } } }
    const { output: number } = await chain.traceCall<TracedFrame>({ to: CODE }, CALLS, inside)
    expect(number).toBe(pad('0x1'))
  })

  test('logs go on from those before it', async () => {
    const chain = await createTracingChain()
    // Init code that logs twice.
    for (let index = 0; index < 2; index++) await chain.send({ data: '0x5f5fa05f5fa0' })
    await chain.tick()
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    const state = { [CODE]: { code: '0x5f5fa0' as Hex } }
    const log = async (index: number) =>
      (await chain.traceCall<TracedFrame>({ to: CODE }, config, { index, state })).logs?.[0]?.index
    expect([await log(0), await log(1)]).toEqual(['0x0', '0x2'])
  })
})
