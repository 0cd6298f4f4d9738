import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import { createTracingChain, type TracedFrame } from '../devnet/tracing/harness.ts'
import { describeConformance, testChain } from './conformance.ts'

interface Recording {
  readonly name: string
  readonly request: { readonly method: string; readonly params: readonly unknown[] }
  readonly result: unknown
}

/** The recordings of traces that are no errors. */
function recordedTraces(): Recording[] {
  const suite = dirname(testChain.genesis)
  const methods = readdirSync(suite).filter((name) => name.startsWith('debug_trace'))
  return methods.flatMap((method) =>
    readdirSync(join(suite, method)).flatMap((file): Recording[] => {
      const lines = readFileSync(join(suite, method, file), 'utf8').split('\n')
      const json = (mark: string) =>
        JSON.parse(lines.find((line) => line.startsWith(mark))?.slice(2) ?? 'null')
      const { result } = json('<<')
      const name = `${method}/${file}`
      return result === undefined ? [] : [{ name, request: json('>>'), result }]
    }),
  )
}

describeConformance('traces of the test chain', () => {
  // The runner holds them against their schema alone: clients may record other steps. geth recorded these.
  test('default: struct logs are those of geth, value by value', { timeout: 120_000 }, async () => {
    const devnet = createDevnet({ port: 0, ...testChain, frozenTicks: true })
    await devnet.start()
    try {
      const recordings = recordedTraces()
      expect(recordings.length).toBeGreaterThan(5)
      for (const { name, request, result } of recordings) {
        expect(await devnet.provider.request(request), name).toEqual(result)
      }
    } finally {
      await devnet.stop()
    }
  })

  test('every transaction of every fork traces to its receipt', {
    timeout: 120_000,
  }, async () => {
    const { chain, traceBlock } = await createTracingChain(testChain)
    let count = 0
    for (let number = 1; number <= chain.head.number; number++) {
      const block = chain.history.byNumber(number)
      if (block === undefined) throw new Error(`No block ${number}`)
      const traces = await traceBlock<TracedFrame>(block, {
        tracer: 'callTracer',
        tracerConfig: { withLog: true },
      })
      expect(
        traces.map(({ result: { gasUsed, error } }) => ({
          gasUsed: BigInt(gasUsed),
          success: error === undefined,
        })),
      ).toEqual(block.executed.map(({ gasUsed, success }) => ({ gasUsed, success })))
      count += traces.length
    }
    expect(count).toBeGreaterThan(50)
  })
})
