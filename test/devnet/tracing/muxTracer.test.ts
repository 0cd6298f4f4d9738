import { beforeAll, expect, test } from 'vitest'
import { createTracingChain, type TracingChain } from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

const CODE_BYTES = '0x5f5fa05f545000'
const DATA = '0x12345678'

const trace = (tracer: string, tracerConfig?: object): Promise<unknown> =>
  node.traceCode(CODE_BYTES, { tracer, tracerConfig }, { data: DATA })

test('default: each as it is by itself', async () => {
  const config = {
    callTracer: { withLog: true },
    erc7562Tracer: { withLog: true },
    prestateTracer: { diffMode: true },
    '4byteTracer': null,
    flatCallTracer: {},
    noopTracer: {},
  }
  const parts = Object.entries(config).map(async ([name, own]) => [
    name,
    await trace(name, own ?? {}),
  ])
  expect(await trace('muxTracer', config)).toEqual(Object.fromEntries(await Promise.all(parts)))
})

test('none', async () => {
  expect(await trace('muxTracer', {})).toEqual({})
})

test('noopTracer sees nothing', async () => {
  expect(await trace('noopTracer')).toEqual({})
})
