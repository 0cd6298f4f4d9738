import { DevnetError, InvalidParamsError } from '../primitives/errors.ts'
import type { CallRefusedError } from './callErrors.ts'

/** Codes of `eth_simulateV1` for a request as a whole (execution-apis). */
const SimulationCode = {
  timeout: -32016,
  blockNumber: -38020,
  blockTime: -38021,
  clientLimit: -38026,
} as const

/** There is no block to simulate. */
export class EmptySimulationError extends InvalidParamsError {
  override name = 'EmptySimulationError'
  constructor() {
    super('empty input: blockStateCalls must hold at least one block')
  }
}

/** More blocks, those that fill gaps included, or more calls than a request may have. */
export class SimulationLimitError extends DevnetError {
  override name = 'SimulationLimitError'
  constructor(message: string) {
    super(SimulationCode.clientLimit, message)
  }
}

/** The numbers of the blocks do not rise. */
export class BlockNumberOrderError extends DevnetError {
  override name = 'BlockNumberOrderError'
  constructor(number: bigint, parent: bigint) {
    super(SimulationCode.blockNumber, `block numbers must be in order: ${number} <= ${parent}`)
  }
}

/** The timestamps of the blocks do not rise, or run over their 64 bits. */
export class BlockTimeOrderError extends DevnetError {
  override name = 'BlockTimeOrderError'
  constructor(time: bigint, parent: bigint) {
    super(
      SimulationCode.blockTime,
      time <= parent
        ? `block timestamps must be in order: ${time} <= ${parent}`
        : `block timestamps must fit 64 bits: ${time}`,
    )
  }
}

/** The simulation took longer than it may, or is no longer wanted. */
export class SimulationAbortedError extends DevnetError {
  override name = 'SimulationAbortedError'
  constructor(cause: Error) {
    super(SimulationCode.timeout, cause.message, { cause })
  }
}

/** No block could hold one of the calls, so there is no result for any. */
export class SimulatedCallError extends DevnetError {
  override name = 'SimulatedCallError'
  constructor(cause: CallRefusedError) {
    super(cause.simulationCode, cause.message, { cause })
  }
}
