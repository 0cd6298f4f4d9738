import { expect, test } from 'vitest'
import { methodTable } from '../../devnet/rpc/methodTable.ts'
import { describeConformance, play, recordedMethods } from './conformance.ts'

/** Recordings that this node answers otherwise, as METHOD/case, each with its reason. */
const DEVIATIONS: Readonly<Record<string, string>> = {}

describeConformance('all methods but eth_simulateV1', () => {
  test('default: every recording of a method that there is', { timeout: 120_000 }, async () => {
    const methods = recordedMethods().filter(
      (method) => method !== 'eth_simulateV1' && Object.hasOwn(methodTable, method),
    )
    expect(methods.length).toBeGreaterThan(25)
    const without = Object.keys(DEVIATIONS).flatMap((name) => ['--exclude', name])
    const outcome = await play(['--only', methods.join(','), '--check-schema', ...without])
    expect(outcome).toEqual({
      code: 0,
      failed: [],
      summary: expect.stringMatching(/^\d+ passed, 0 failed$/),
    })
  })
})
