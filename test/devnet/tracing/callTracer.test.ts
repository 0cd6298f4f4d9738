import { encodeFunctionData, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { CODE, OTHER } from '../execution/harness.ts'
import {
  callCode as call,
  createTracingChain,
  type TraceChanges,
  type TracedFrame,
  type TracingChain,
} from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

const WITH_LOG = { tracer: 'callTracer', tracerConfig: { withLog: true } }

function frames(code: Hex, others: TraceChanges['state'] = {}, config: object = {}) {
  const tracer = { tracer: 'callTracer', ...config }
  return node.traceCode<TracedFrame>(code, tracer, { gas: 200_000n }, { state: others })
}

const digits = (address: Hex) => address.slice(2)

describe('the outermost frame', () => {
  test('default: a transaction', async () => {
    const chain = await createTracingChain()
    const { address, encode } = await chain.deploy('Playground')
    const hash = await chain.send({
      to: address,
      data: encode('store', 1n, 2n),
      value: 0n,
      gas: 90_000n,
    })
    await chain.tick()
    const trace = await chain.traceSent<TracedFrame>(hash, { tracer: 'callTracer' })
    const found = chain.chain.findTransaction(hash)
    if (found === undefined || found.at === 'mempool') throw new Error('Not executed')
    expect(trace).toEqual({
      type: 'CALL',
      from: chain.from,
      to: address,
      value: '0x0',
      // All gas of the transaction, and all that the receipt says.
      gas: '0x15f90',
      gasUsed: `0x${found.executed.gasUsed.toString(16)}`,
      input: encode('store', 1n, 2n),
    })
  })

  test('a creation has its address, and its code as output', async () => {
    const trace = await node.traceCall<TracedFrame>(
      { from: node.from, data: '0x60015ff3', gas: 100_000n },
      { tracer: 'callTracer' },
    )
    expect(trace).toEqual({
      type: 'CREATE',
      from: node.from,
      to: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      value: '0x0',
      gas: '0x186a0',
      gasUsed: expect.any(String),
      input: '0x60015ff3',
      output: '0x00',
    })
  })

  test('what a revert says, in its words and decoded', async () => {
    const chain = await createTracingChain()
    const { address, abi } = await chain.deploy('Playground')
    const data = encodeFunctionData({ abi, functionName: 'failWithReason', args: ['nope'] })
    const trace = await chain.traceCall<TracedFrame>(
      { from: chain.from, to: address, data },
      { tracer: 'callTracer' },
    )
    expect(trace).toMatchObject({
      error: 'execution reverted',
      revertReason: 'nope',
      output: expect.stringMatching(/^0x08c379a0/),
    })
    const panic = encodeFunctionData({ abi, functionName: 'failWithPanic', args: [[]] })
    expect(
      await chain.traceCall(
        { from: chain.from, to: address, data: panic },
        { tracer: 'callTracer' },
      ),
    ).toMatchObject({ revertReason: 'out-of-bounds access of an array or bytesN' })
  })

  test('a revert without words has neither output nor reason', async () => {
    const trace = await frames('0x5f5ffd')
    expect(trace.error).toBe('execution reverted')
    expect(trace).not.toHaveProperty('output')
    expect(trace).not.toHaveProperty('revertReason')
  })
})

describe('inner frames', () => {
  test('each kind of call', async () => {
    const code: Hex = `0x${call('f2', OTHER, 1)}${call('f1', OTHER, 1)}${call('f4', OTHER)}${call('fa', OTHER)}`
    const { calls } = await frames(code, { [OTHER]: { code: '0x60015ff3' } })
    const common = { from: CODE, to: OTHER, input: '0x', output: '0x00', gasUsed: '0x8' }
    expect(calls).toEqual([
      // 2,300 gas come with value.
      { ...common, type: 'CALLCODE', value: '0x1', gas: '0xcc4c' },
      { ...common, type: 'CALL', value: '0x1', gas: '0xcc4c' },
      // That of the frame that delegates.
      { ...common, type: 'DELEGATECALL', value: '0x0', gas: '0xc350' },
      { ...common, type: 'STATICCALL', gas: '0xc350' },
    ])
  })

  test('a delegated frame has the value of the one that it runs in', async () => {
    const trace = await node.traceCode<TracedFrame>(
      `0x${call('f4', OTHER)}`,
      { tracer: 'callTracer' },
      { value: 7n },
      { state: { [OTHER]: { code: '0x00' } } },
    )
    expect(trace.calls).toMatchObject([{ type: 'DELEGATECALL', value: '0x7' }])
  })

  test('precompiles and accounts without code are frames too', async () => {
    const sha: Hex = `0x${'0'.repeat(39)}2`
    const { calls } = await frames(`0x${call('fa', sha)}${call('f1', OTHER, 1)}`)
    expect(calls).toEqual([
      expect.objectContaining({
        type: 'STATICCALL',
        to: sha,
        gasUsed: '0x3c',
        output: expect.any(String),
      }),
      {
        type: 'CALL',
        from: CODE,
        to: OTHER,
        value: '0x1',
        gas: '0xcc4c',
        gasUsed: '0x0',
        input: '0x',
      },
    ])
  })

  test('input as it was when the frame opened', async () => {
    // MSTORE8(0, 1), CALL with that byte, MSTORE8(0, 2), CALL once more.
    const send = (value: string) => `60${value}5f535f5f60015f5f73${digits(OTHER)}61c350f150`
    const { calls } = await frames(`0x${send('01')}${send('02')}`)
    expect(calls?.map(({ input }) => input)).toEqual(['0x01', '0x02'])
  })

  test('creations', async () => {
    // MSTORE8(0, 0xfe) makes init code that fails; then CREATE without code, CREATE2 with it.
    const code: Hex = '0x60fe5f535f5f5ff050600760015f5ff550'
    const { calls } = await frames(code)
    expect(calls).toEqual([
      {
        type: 'CREATE',
        from: CODE,
        to: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        value: '0x0',
        gas: expect.any(String),
        gasUsed: '0x0',
        input: '0x',
      },
      // What failed has no address.
      {
        type: 'CREATE2',
        from: CODE,
        value: '0x0',
        gas: expect.any(String),
        gasUsed: calls?.[1]?.gas,
        input: '0xfe',
        error: 'invalid opcode: INVALID',
      },
    ])
  })

  test('SELFDESTRUCT', async () => {
    const { calls } = await frames(`0x73${digits(OTHER)}ff`)
    expect(calls).toEqual([
      {
        type: 'SELFDESTRUCT',
        from: CODE,
        to: OTHER,
        value: '0x1',
        gas: '0x0',
        gasUsed: '0x0',
        input: '0x',
      },
    ])
  })

  test('args: onlyTopCall', async () => {
    const config = { tracerConfig: { onlyTopCall: true, withLog: true } }
    // LOG0, then a call that logs.
    const trace = await frames(
      `0x5f5fa0${call('f1', OTHER)}5f5fa0`,
      { [OTHER]: { code: '0x5f5fa0' } },
      config,
    )
    expect(trace).not.toHaveProperty('calls')
    expect(trace.logs?.map(({ index, position }) => [index, position])).toEqual([
      ['0x0', '0x0'],
      ['0x2', '0x0'],
    ])
  })
})

describe('withLog', () => {
  test('logs with their index and their place among the calls', async () => {
    // LOG1(topic 7), call of one that logs, LOG0 of one byte.
    const code: Hex = `0x60075f5fa1${call('f1', OTHER)}60015fa0`
    const trace = await frames(code, { [OTHER]: { code: '0x5f5fa0' } }, WITH_LOG)
    expect(trace.logs).toEqual([
      {
        address: CODE,
        topics: [`0x${'7'.padStart(64, '0')}`],
        data: '0x',
        index: '0x0',
        position: '0x0',
      },
      { address: CODE, topics: [], data: '0x00', index: '0x2', position: '0x1' },
    ])
    expect(trace.calls?.[0]?.logs).toEqual([
      { address: OTHER, topics: [], data: '0x', index: '0x1', position: '0x0' },
    ])
  })

  test('what failed emitted nothing, and does not count', async () => {
    // A log and a revert inside; then a log of its own.
    const trace = await frames(
      `0x${call('f1', OTHER)}5f5fa0`,
      { [OTHER]: { code: '0x5f5fa05f5ffd' } },
      WITH_LOG,
    )
    expect(trace.calls?.[0]).not.toHaveProperty('logs')
    expect(trace.logs?.map(({ index }) => index)).toEqual(['0x0'])
    const failed = await frames(
      `0x${call('f1', OTHER)}5f5fa05f5ffd`,
      { [OTHER]: { code: '0x5f5fa0' } },
      WITH_LOG,
    )
    expect(failed).not.toHaveProperty('logs')
    expect(failed.calls?.[0]).not.toHaveProperty('logs')
  })

  test('without it there are none', async () => {
    expect(await frames('0x5f5fa0')).not.toHaveProperty('logs')
  })
})
