import { checkSimulationSize, simulate, simulationBase } from '../../execution/simulate.ts'
import { formatSimulatedBlock } from '../../json/formatSimulatedBlock.ts'
import { formatTransaction } from '../../json/formatTransaction.ts'
import { blockReference, params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { simulationPayload } from '../../json/schemas/simulationPayload.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineMethod } from '../method.ts'

/**
 * Runs blocks of calls that are never sealed; with `pending`, after the pre-confirmed transactions.
 * The pending block can be named only by its tag: the first simulated block then has the pending
 * block's number, but after a block named by number, a caller would expect the next number.
 */
export default defineMethod({
  params: params(simulationPayload(), blockReference().optional()),
  async handle(context, [payload, reference], { signal }) {
    const { chain, options } = context
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
    const blocks = await simulate(chain, simulationBase(chain, base), payload, {
      limits,
      signal,
      onPrint: (printed, call) => context.observer.printed('eth_simulateV1', call, printed),
    })
    const format = {
      errors: options.simulateErrors,
      transaction: payload.returnFullTransactions === true ? formatTransaction : undefined,
    }
    return blocks.map((block) => formatSimulatedBlock(block, format))
  },
})
