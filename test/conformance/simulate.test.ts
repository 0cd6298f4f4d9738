import { expect, test } from 'vitest'
import { describeConformance, play } from './conformance.ts'
import type { Checks } from './run.ts'

/** Plays all recordings, of which there are 68 at least. */
async function expectAll(checks: Checks = {}) {
  const { passed, failed } = await play({ only: ['eth_simulateV1'], ...checks })
  expect(failed).toEqual([])
  expect(passed).toBeGreaterThanOrEqual(68)
}

describeConformance('eth_simulateV1', () => {
  test('default: every recording', { timeout: 120_000 }, async () => {
    await expectAll()
  })

  test('args: schema and hashes of the simulated blocks', { timeout: 120_000 }, async () => {
    await expectAll({ checkSchema: true, verifyHash: true })
  })
})
