import { DevnetError } from '../primitives/errors.ts'
import { isObject } from '../primitives/json.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import type { AnswerCache } from './answerCache.ts'
import type { BatchClient } from './batchClient.ts'
import { FailureAnswer, NoAnswer } from './question.ts'
import { notRecorded } from './recording.ts'
import { numberAnswer } from './stateAnswers.ts'

/** Methods whose answer may take as long as the upstream lets them. */
const SLOW_METHODS =
  /^(?:debug_|trace_|eth_(?:call|estimateGas|getLogs|simulateV1|createAccessList))/

/**
 * Number of the newest block that no reorganization takes back; `undefined` if nobody says.
 *
 * @param method - that of the request along with which it is asked
 */
async function finalNumber(client: BatchClient, method: string): Promise<bigint | undefined> {
  try {
    return await client.ask({
      method: 'eth_getBlockByNumber',
      params: ['finalized', false],
      read: (result) => numberAnswer(isObject(result) ? result.number : result),
      isSlow: SLOW_METHODS.test(method),
      attempts: 1,
    })
  } catch (error) {
    // Then no answer is kept, which is no fault. An UpstreamError says that the node stops.
    if ([FailureAnswer, NoAnswer, UpstreamError].some((kind) => error instanceof kind)) return
    throw error
  }
}

interface Asked {
  readonly client: BatchClient | undefined
  readonly answers: AnswerCache
  /** Path of the recording that takes the place of a cache. */
  readonly recording: string | undefined
}

/** Passes a request on, unless the answer is kept. */
export async function pass(
  { client, answers, recording }: Asked,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const known = answers.find(method, params)
  if (known !== undefined) return known
  if (client === undefined) {
    if (recording !== undefined) {
      throw notRecorded(recording, `what ${method} answers to ${JSON.stringify(params)}`)
    }
    throw new UpstreamError(`${method} asks the upstream, and nobody may be asked offline`)
  }
  try {
    answers.prepare(method, () => finalNumber(client, method))
    const answer = await client.ask({
      method,
      params,
      read: (result) => result,
      isSlow: SLOW_METHODS.test(method),
      signal,
    })
    void answers.keep(method, params, answer)
    return answer
  } catch (error) {
    if (error instanceof FailureAnswer) {
      if (recording !== undefined) void answers.keep(method, params, null, error.failure)
      const { code, message, data } = error.failure
      throw new DevnetError(code, message, { data })
    }
    if (!(error instanceof NoAnswer)) throw error
    const { message, transient } = error
    throw new UpstreamError(`upstream did not answer ${method}: ${message}`, { transient })
  }
}
