import type { Hex } from 'viem'
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

function frames(code: Hex, state: TraceChanges['state'] = {}) {
  return node.traceCode<TracedFrame>(code, { tracer: 'callTracer' }, { gas: 200_000n }, { state })
}

const digits = (address: Hex) => address.slice(2)

describe('frames that cannot open', () => {
  test('too little balance', async () => {
    const { calls, error } = await frames(`0x${call('f1', OTHER, 2)}60025f5f6002f050`)
    expect(error).toBeUndefined()
    expect(calls).toEqual([
      {
        type: 'CALL',
        from: CODE,
        to: OTHER,
        value: '0x2',
        gas: '0xcc4c',
        gasUsed: '0x0',
        input: '0x',
        error: 'insufficient balance for transfer',
      },
      expect.objectContaining({
        type: 'CREATE',
        value: '0x2',
        error: 'insufficient balance for transfer',
      }),
    ])
  })

  test('a nonce that cannot rise', async () => {
    const { calls } = await frames('0x5f5f5ff050', {
      [CODE]: { code: '0x5f5f5ff050', nonce: 2n ** 64n - 1n },
    })
    expect(calls).toMatchObject([
      { type: 'CREATE', gasUsed: '0x0', error: 'nonce uint64 overflow' },
    ])
  })

  test('too deep', async () => {
    // Calls itself with all gas until no frame is left.
    const code: Hex = '0x5f5f5f5f5f305af100'
    let trace = await node.traceCode<TracedFrame>(
      code,
      { tracer: 'callTracer' },
      { gas: 50_000_000n },
    )
    let depth = 0
    while (trace.calls?.[0] !== undefined) {
      trace = trace.calls[0]
      depth++
    }
    // Gas for a thousand frames is there only before EIP-150; here it ends sooner, with a call that
    // lacks it.
    expect(depth).toBeGreaterThan(300)
    expect(trace.error).toBe('out of gas')
  })
})

describe('why a frame failed', () => {
  test.each<[string, Hex, string]>([
    ['gas', '0x5b5f56', 'out of gas'],
    ['operands', '0x01', 'stack underflow (0 <=> 2)'],
    ['room on the stack', '0x5b5f5f56', 'stack limit reached 1024 (1023)'],
    ['an opcode that is not there', '0x0c', 'invalid opcode: opcode 0xc not defined'],
    ['a jump', '0x600456', 'invalid jump destination'],
    ['return data', '0x60015f5f3e', 'return data out of bounds'],
    ['memory', '0x6801000000000000000051', 'gas uint64 overflow'],
  ])('%s', async (_name, code, error) => {
    const trace = await frames(`0x${call('f1', OTHER)}`, { [OTHER]: { code } })
    expect(trace.error).toBeUndefined()
    expect(trace.calls).toMatchObject([{ error, gasUsed: '0xc350' }])
  })

  test('a change of state in a static call', async () => {
    const trace = await frames(`0x${call('fa', OTHER)}`, { [OTHER]: { code: '0x5f5f55' } })
    expect(trace.calls).toMatchObject([{ error: 'write protection' }])
  })

  test.each<[string, Hex, string]>([
    // RETURN(0, 1000): 200,000 gas for the code.
    ['no gas for the code', '0x6103e85ff3', 'contract creation code storage out of gas'],
    // MSTORE8(0, 0xef), RETURN(0, 1)
    ['code of EIP-3541', '0x60ef5f5360015ff3', 'invalid code: must not begin with 0xef'],
  ])('a creation: %s', async (_name, data, error) => {
    const trace = await node.traceCall<TracedFrame>(
      { from: node.from, data, gas: 100_000n },
      { tracer: 'callTracer' },
    )
    expect(trace).toMatchObject({ type: 'CREATE', error, gasUsed: '0x186a0' })
    expect(trace).not.toHaveProperty('to')
    expect(trace).not.toHaveProperty('output')
  })

  test('a contract where there is one', async () => {
    const code: Hex = '0x5f5f5f5ff550'
    const created = (await frames(code)).calls?.[0]?.to
    if (created === undefined) throw new Error('Nothing was created')
    const { calls } = await frames(code, { [created]: { nonce: 1n } })
    expect(calls).toMatchObject([{ type: 'CREATE2', error: 'contract address collision' }])
  })

  test.each<[string, string, string, string]>([
    ['BLAKE2F: length', '9', '', 'invalid input length'],
    ['BLAKE2F: final flag', '9', `${'00'.repeat(212)}02`, 'invalid final flag'],
    ['pairing: length', '8', '00', 'bad elliptic curve pairing size'],
    ['KZG: length', 'a', '00', 'invalid input length'],
    ['KZG: hash', 'a', '00'.repeat(192), 'mismatched versioned hash'],
  ])('a precompile: %s', async (_name, address, data, error) => {
    const to: Hex = `0x${address.padStart(40, '0')}`
    // What is called is copied to memory first.
    const size = (data.length / 2).toString(16).padStart(2, '0')
    const code: Hex = `0x60${size}5f5f375f5f60${size}5f5f73${digits(to)}61c350f150`
    const trace = await node.traceCode<TracedFrame>(
      code,
      { tracer: 'callTracer' },
      { data: `0x${data}`, gas: 200_000n },
    )
    expect(trace.calls).toMatchObject([{ to, error, gasUsed: '0xc350' }])
  })
})
