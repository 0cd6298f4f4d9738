import type { Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { CODE, OTHER } from '../execution/harness.ts'
import { createTracingChain, type TracingChain } from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

const IDENTITY: Hex = `0x${'0'.repeat(39)}4`

/** CALL with 50,000 gas. */
const call = (to: Hex) => `5f5f5f5f5f73${to.slice(2)}61c350f150`

interface FlatFrame {
  readonly action: Readonly<Record<string, string>>
  readonly type: string
  readonly error?: string
  readonly traceAddress: readonly number[]
  readonly subtraces: number
  readonly [field: string]: unknown
}

function flat(
  code: Hex,
  others: Record<Hex, Hex>,
  tracerConfig: object = {},
): Promise<FlatFrame[]> {
  const state = Object.fromEntries(Object.entries(others).map(([to, code]) => [to, { code }]))
  const config = { tracer: 'flatCallTracer', tracerConfig }
  return node.traceCode(code, config, { gas: 200_000n }, { state })
}

test('default: all frames in one list, each with its place', async () => {
  const frames = await flat(`0x${call(OTHER)}73${OTHER.slice(2)}ff`, { [OTHER]: '0x60015ff3' })
  const nowhere = {
    blockHash: null,
    blockNumber: 0,
    transactionHash: null,
    transactionPosition: 0,
  }
  expect(frames).toEqual([
    {
      ...nowhere,
      type: 'call',
      action: {
        callType: 'call',
        from: node.from,
        to: CODE,
        gas: '0x30d40',
        input: '0x',
        value: '0x0',
      },
      result: { gasUsed: expect.any(String), output: '0x' },
      subtraces: 2,
      traceAddress: [],
    },
    {
      ...nowhere,
      type: 'call',
      action: { callType: 'call', from: CODE, to: OTHER, gas: '0xc350', input: '0x', value: '0x0' },
      result: { gasUsed: '0x8', output: '0x00' },
      subtraces: 0,
      traceAddress: [0],
    },
    {
      ...nowhere,
      type: 'suicide',
      action: { address: CODE, balance: '0x1', refundAddress: OTHER },
      subtraces: 0,
      traceAddress: [1],
    },
  ])
})

test('a transaction says where it is', async () => {
  const chain = await createTracingChain()
  const first = await chain.send({ to: OTHER, value: 1n })
  const hash = await chain.send({ data: '0x60015ff3' })
  await chain.tick()
  const config = { tracer: 'flatCallTracer' }
  const pending = { blockHash: null, blockNumber: 1, transactionHash: hash, transactionPosition: 1 }
  const [creation] = await chain.traceSent<FlatFrame[]>(hash, config)
  expect(creation).toMatchObject({
    ...pending,
    type: 'create',
    action: { creationMethod: 'create', from: chain.from, init: '0x60015ff3', value: '0x0' },
    result: { address: expect.stringMatching(/^0x.{40}$/), code: '0x00' },
  })
  const block = await chain.seal()
  expect(await chain.traceSent(hash, config)).toEqual([{ ...creation, blockHash: block.hash }])
  expect(await chain.traceSent(first, config)).toMatchObject([{ transactionPosition: 0 }])
})

test('args: includePrecompiles', async () => {
  const code: Hex = `0x${call(IDENTITY)}${call(OTHER)}`
  const targets = async (config: object) =>
    (await flat(code, { [OTHER]: '0x00' }, config)).map(({ action, traceAddress, subtraces }) => ({
      to: action.to,
      traceAddress,
      subtraces,
    }))
  const outermost = { to: CODE, traceAddress: [] }
  expect(await targets({})).toEqual([
    { ...outermost, subtraces: 1 },
    { to: OTHER, traceAddress: [0], subtraces: 0 },
  ])
  expect(await targets({ includePrecompiles: true })).toEqual([
    { ...outermost, subtraces: 2 },
    { to: IDENTITY, traceAddress: [0], subtraces: 0 },
    { to: OTHER, traceAddress: [1], subtraces: 0 },
  ])
})

test.each<[Hex, string, string]>([
  ['0x5b5f56', 'out of gas', 'Out of gas'],
  ['0x600456', 'invalid jump destination', 'Bad jump destination'],
  ['0x01', 'stack underflow (0 <=> 2)', 'Stack underflow'],
  ['0xfe', 'invalid opcode: INVALID', 'Bad instruction'],
  ['0x60015ffd', 'execution reverted', 'Reverted'],
  ['0x60015f5f3e', 'return data out of bounds', 'Out of bounds'],
])('args: convertParityErrors, %s', async (code, error, parity) => {
  const errors = async (config: object) =>
    (await flat(`0x${call(OTHER)}`, { [OTHER]: code }, config))[1]
  const [plain, converted] = [await errors({}), await errors({ convertParityErrors: true })]
  expect([plain?.error, converted?.error]).toEqual([error, parity])
  // Only a revert may say something.
  const result = error === 'execution reverted' ? { gasUsed: '0x8', output: '0x00' } : undefined
  expect(plain?.result).toEqual(result)
})
