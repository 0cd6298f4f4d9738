import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import type { EmittedLog } from './tokenMoves.ts'

/** Asks a chain. @throws {DevnetError} */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

export interface SimulatedCall {
  /** `undefined` if the call succeeds. */
  readonly failure: { readonly message: string; readonly data?: Hex | undefined } | undefined
  readonly logs: readonly EmittedLog[]
  /** Of a call that succeeds. */
  readonly returnData: Hex
  readonly gasUsed: number
}

/**
 * Simulates calls on the pending state by `eth_simulateV1`, transfers of ether as logs included.
 *
 * @throws {DevnetError} if the chain refuses them, or answers no simulation
 */
export async function simulateCalls(
  ask: Ask,
  calls: readonly object[],
  block: { readonly stateOverrides?: object } = {},
): Promise<readonly SimulatedCall[]> {
  const payload = { blockStateCalls: [{ ...block, calls }], traceTransfers: true }
  const blocks = await ask('eth_simulateV1', payload, 'pending')
  const answer: unknown = Array.isArray(blocks) ? blocks[0] : undefined
  if (!isObject(answer) || !Array.isArray(answer.calls) || answer.calls.length !== calls.length) {
    throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain gave no simulation.')
  }
  return answer.calls.map(readCall)
}

function readCall(call: unknown): SimulatedCall {
  const { logs, returnData, gasUsed, ...rest } = isObject(call) ? call : {}
  return {
    failure: simulatedFailure({ ...rest, returnData }),
    logs: Array.isArray(logs) ? logs.filter(isLog) : [],
    returnData: isBytes(returnData) ? returnData : '0x',
    gasUsed: typeof gasUsed === 'string' ? Number(gasUsed) : 0,
  }
}

/** Nodes answer the error of a call as text, beside the data, or as an object with the data. */
function simulatedFailure(call: Readonly<Record<string, unknown>>): SimulatedCall['failure'] {
  const { status, error, returnData } = call
  if (status !== '0x0') return undefined
  const { message, data = returnData } = isObject(error) ? error : { message: error }
  return {
    message: typeof message === 'string' ? message : 'unknown reason',
    data: isBytes(data) ? data : undefined,
  }
}

function isLog(value: unknown): value is EmittedLog {
  return (
    isObject(value) &&
    isBytes(value.address) &&
    isBytes(value.data) &&
    Array.isArray(value.topics) &&
    value.topics.every((topic) => isBytes(topic, 32))
  )
}
