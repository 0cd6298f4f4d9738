import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevnet, type Devnet, ProviderError } from '../../devnet/index.ts'
import { type BlockResult, expectOnlyErrorsDiffer } from '../support/errorForms.ts'
import { describeConformance, testChain } from './conformance.ts'

/** The parameters of every request in the recordings of `eth_simulateV1`, by the name of the file. */
function recordedRequests(): [name: string, params: readonly unknown[]][] {
  const folder = join(dirname(testChain.genesis), 'eth_simulateV1')
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('>>'))
      .map((line): [string, readonly unknown[]] => [name, JSON.parse(line.slice(2)).params]),
  )
}

async function answer({ provider }: Devnet, params: readonly unknown[]) {
  try {
    // Simulated blocks: the method answers nothing else.
    return {
      blocks: (await provider.request({ method: 'eth_simulateV1', params })) as BlockResult[],
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { code: error.code, message: error.message }
  }
}

describeConformance('eth_simulateV1 in both forms of errors', () => {
  test('only error and returnData of failed calls differ', {
    timeout: 120_000,
  }, async () => {
    const start = async (simulateErrors: 'string' | 'object') => {
      const devnet = createDevnet({ port: 0, ...testChain, frozenTicks: true, simulateErrors })
      await devnet.start()
      return devnet
    }
    const [strings, objects] = [await start('string'), await start('object')]
    let failed = 0
    let blocks = 0
    try {
      for (const [name, params] of recordedRequests()) {
        const [one, other] = [await answer(strings, params), await answer(objects, params)]
        if (one.blocks === undefined || other.blocks === undefined) {
          expect(one, name).toEqual(other)
          continue
        }
        failed += expectOnlyErrorsDiffer(one.blocks, other.blocks)
        blocks += one.blocks.length
      }
    } finally {
      await Promise.all([strings.stop(), objects.stop()])
    }
    expect(blocks).toBeGreaterThan(200)
    // As many as the recordings have.
    expect(failed).toBe(2)
  })
})
