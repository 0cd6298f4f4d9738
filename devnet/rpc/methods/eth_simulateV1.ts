import { checkSimulationSize, simulationBase } from '../../execution/simulate.ts'
import { blockReference, params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { simulationPayload } from '../../json/schemas/simulationPayload.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { optional } from '../../primitives/reader.ts'
import { simulationTask } from '../heavy/simulationTask.ts'
import { defineMethod } from '../method.ts'

/**
 * Runs blocks of calls that are never sealed; with `pending`, after the pre-confirmed transactions.
 * The pending block can be named only by its tag: the first simulated block then has the pending
 * block's number, but after a block named by number, a caller would expect the next number.
 */
export default defineMethod({
  params: params(simulationPayload(), optional(blockReference())),
  remote: 'state',
  readsState: true,
  async handle(context, [payload, reference], { signal }) {
    const { chain, heavy, observer, options } = context
    const limits = {
      blocks: options.simulateBlocks,
      callsPerBlock: options.simulateCallsPerBlock,
      calls: options.simulateCalls,
      gas: BigInt(options.callGasLimit),
      timeout: options.simulateTimeout,
    }
    checkSimulationSize(payload, limits)
    const base = findBlock(context, reference)
    // Same message and code as geth, as recorded in execution-apis.
    if (base === undefined) throw new RefusedError('header not found')
    const { parent, ...views } = simulationBase(chain, base)
    return heavy.run(
      simulationTask,
      views,
      { parent, payload, limits, errors: options.simulateErrors },
      {
        signal,
        timeout: options.simulateTimeout,
        onPrint: (printed, call) => observer.printed('eth_simulateV1', call, printed),
      },
    )
  },
})
