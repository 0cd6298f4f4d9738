import { deepStrictEqual } from 'node:assert/strict'
import { readValue } from '../../devnet/json/params.ts'
import { listOf, objectOf, text } from '../../devnet/primitives/reader.ts'
import type { Simulation } from './simulations.ts'

const LOG = objectOf({
  fields: { address: text(), topics: listOf(text(), 'topics'), data: text() },
})
const CALL = objectOf({
  fields: { status: text(), returnData: text(), gasUsed: text(), logs: listOf(LOG, 'logs') },
})
const ANSWER = listOf(objectOf({ fields: { calls: listOf(CALL, 'calls') } }), 'blocks')

/** Gas of every call by simulation, as the peer that ran first answered it. */
const gasOf = new WeakMap<Simulation, readonly (readonly string[])[]>()

/**
 * Holds an answer of eth_simulateV1 against what it must be: every call succeeds, with the output, the logs and the gas
 * that are expected, and every peer uses the same gas, which means that it did the same work.
 *
 * @throws {AssertionError} where it differs
 */
export function checkSimulation(simulation: Simulation, result: unknown): void {
  const blocks = readValue(ANSWER, result)
  const seen = blocks.map(({ calls }, block) =>
    calls.map(({ status, returnData, logs, gasUsed }, index) => ({
      status,
      returnData,
      logs: logs.map((log) => ({ ...log, address: log.address.toLowerCase() })),
      gasUsed: simulation.expected[block]?.[index]?.gasUsed === undefined ? undefined : gasUsed,
    })),
  )
  const due = simulation.expected.map((calls) =>
    calls.map((call) => ({ status: '0x1', gasUsed: undefined, ...call })),
  )
  deepStrictEqual(seen, due)
  const gas = blocks.map(({ calls }) => calls.map(({ gasUsed }) => gasUsed))
  deepStrictEqual(gas, gasOf.get(simulation) ?? gas, 'The peers used different gas')
  gasOf.set(simulation, gas)
}
