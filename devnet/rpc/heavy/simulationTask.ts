import type { SimulationLimits } from '../../execution/simulate.ts'
import { simulate, simulationFailure } from '../../execution/simulate.ts'
import type { SimulatedParent } from '../../execution/simulateBlock.ts'
import { formatTransaction } from '../../json/formatTransaction.ts'
import type { SimulationPayload } from '../../json/schemas/simulationPayload.ts'
import type { JsonText } from '../../primitives/jsonText.ts'
import { formatSimulatedBlock, type SimulationFormat } from './formatSimulatedBlock.ts'
import { calleeOf, type Task } from './task.ts'

/** Arguments of a simulation. Plain values, so that a thread can be sent them. */
interface SimulationArguments {
  readonly parent: SimulatedParent
  readonly payload: SimulationPayload
  readonly limits: SimulationLimits
  readonly errors: SimulationFormat['errors']
}

/** Answers blocks as `eth_simulateV1` does; from another thread as text. */
export const simulationTask: Task<SimulationArguments, readonly object[] | JsonText> = {
  name: 'simulate',
  async run(engine, views, { parent, payload, limits, errors }, { timeout, ...more }) {
    const left = timeout === undefined ? limits : { ...limits, timeout }
    const parameters = { ...more, limits: left }
    const blocks = await simulate({ engine }, { ...views, parent }, payload, parameters)
    const transaction = payload.returnFullTransactions === true ? formatTransaction : undefined
    return blocks.map((block) => formatSimulatedBlock(block, { errors, transaction }))
  },
  kindOf({ payload: { blockStateCalls } }) {
    const counts = blockStateCalls.map(({ calls = [] }) => calls.length)
    const first = blockStateCalls.find(({ calls = [] }) => calls.length > 0)?.calls?.[0]
    return `simulate ${counts} ${first === undefined ? '' : calleeOf(first)}`
  },
  sendable: ({ parent: { header, hashBytes }, ...args }) => ({
    ...args,
    parent: { header, hashBytes },
  }),
  failure: simulationFailure,
}
