import type { Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { OTHER } from '../execution/harness.ts'
import { createTracingChain, type TracingChain } from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

const count = (code: Hex, data: Hex): Promise<unknown> =>
  node.traceCode(code, { tracer: '4byteTracer' }, { data })

test('default: selectors with the size of what follows them', async () => {
  // Hands its input on, twice with 36 bytes, once with 4.
  const copy = '60245f5f37'
  const pass = (size: string) => `5f5f60${size}5f5f73${OTHER.slice(2)}5af150`
  const data: Hex = `0xa9059cbb${'00'.repeat(32)}`
  expect(await count(`0x${copy}${pass('24')}${pass('24')}${pass('04')}`, data)).toEqual({
    '0xa9059cbb-32': 3,
    '0xa9059cbb-0': 1,
  })
})

test('what has no selector does not count, nor do precompiles and creations', async () => {
  // CREATE with 4 bytes of init code, then SHA2-256 of 4 bytes.
  const code: Hex = '0x60045f5ff0505f5f60045f60025afa50'
  expect(await count(code, '0x123456')).toEqual({})
})
