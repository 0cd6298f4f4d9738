import { expect, test } from 'vitest'
import { methodTable } from '../../devnet/rpc/methodTable.ts'
import { describeConformance, play, recordedMethods } from './conformance.ts'

/** Recordings that this node answers otherwise, as METHOD/case, each with its reason; at most six of 180. */
const DEVIATIONS: Readonly<Record<string, string>> = {}

describeConformance('all methods but eth_simulateV1', () => {
  test('default: every recorded method is there', () => {
    const absent = recordedMethods().filter((method) => !Object.hasOwn(methodTable, method))
    expect(absent).toEqual([])
    expect(Object.keys(DEVIATIONS).length).toBeLessThanOrEqual(6)
  })

  test('default: every recording', { timeout: 120_000 }, async () => {
    const others = ['eth_simulateV1', ...Object.keys(DEVIATIONS)]
    const outcome = await play({ exclude: others, checkSchema: true })
    expect(outcome.failed).toEqual([])
    expect(outcome.passed).toBeGreaterThanOrEqual(112)
  })
})

describeConformance('all methods in one go', () => {
  // What some of them send is pre-confirmed while the others run.
  test('default: every recording', { timeout: 120_000 }, async () => {
    const outcome = await play({ exclude: Object.keys(DEVIATIONS) })
    expect(outcome.failed).toEqual([])
    expect(outcome.passed).toBeGreaterThanOrEqual(180)
  })
})
