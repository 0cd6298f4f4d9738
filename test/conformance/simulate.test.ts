import { expect, test } from 'vitest'
import { describeConformance, play } from './conformance.ts'

const ALL = { code: 0, failed: [], summary: '68 passed, 0 failed' }

describeConformance('eth_simulateV1', () => {
  test('default: every recording', { timeout: 120_000 }, async () => {
    expect(await play(['--only', 'eth_simulateV1'])).toEqual(ALL)
  })

  test('args: schema and hashes of the simulated blocks', { timeout: 120_000 }, async () => {
    const args = ['--only', 'eth_simulateV1', '--check-schema', '--verify-hash']
    expect(await play(args)).toEqual(ALL)
  })
})
