import { Scheduler } from '../engine/scheduler.ts'
import { DevnetError, plainText } from '../primitives/errors.ts'
import { quantityFrom } from '../primitives/hex.ts'
import { integerOr, isObject, stringifyJson } from '../primitives/json.ts'
import { runPaced } from '../primitives/paced.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import type { BlockCache } from './cache/blockCache.ts'
import { notRecorded } from './cache/recording.ts'
import type { RpcFailure } from './client/answers.ts'
import type { BatchClient } from './client/batchClient.ts'
import { FailureAnswer, NoAnswer } from './client/question.ts'
import { numberAnswer } from './state/stateAnswers.ts'

/** Methods whose answer may take as long as the upstream lets them. */
const SLOW_METHODS =
  /^(?:debug_|trace_|eth_(?:call|estimateGas|getLogs|simulateV1|createAccessList))/

/** Characters of an answer beyond which it is not kept. */
const LARGEST_ANSWER = 1 << 20

/** Logs in an answer beyond which it is not kept: to see how large it is would take long. */
const MOST_LOGS = 2_000

/** The block that an answer is about. */
type Place =
  /** The block whose number is the parameter with this index. */
  | number
  /** The block that the answer is, or that it names as the block of the transaction. */
  | 'answer'
  /** The blocks of a range, or the one that the logs name. */
  | 'logs'

/** Methods whose answers do not change once their block is final. */
const PLACES: Readonly<Record<string, Place>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getUncleCountByBlockNumber: 0,
  eth_getUncleByBlockNumberAndIndex: 0,
  debug_getRawBlock: 0,
  debug_getRawHeader: 0,
  debug_getRawReceipts: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_call: 1,
  eth_feeHistory: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_getBlockByHash: 'answer',
  eth_getTransactionByHash: 'answer',
  eth_getTransactionByBlockHashAndIndex: 'answer',
  eth_getTransactionReceipt: 'answer',
  eth_getLogs: 'logs',
}

interface PassedRequestsParameters {
  /** `undefined` in offline mode, and if a recording is played. */
  readonly client: Pick<BatchClient, 'ask'> | undefined
  readonly cache: BlockCache
  /** Number of the fork block. */
  readonly number: bigint
  /** True if a text must not be kept. */
  readonly hasSecret: (text: string) => boolean
}

/**
 * Requests that are passed on. Answers about final blocks up to the fork block are kept as they
 * came; what a tag names moves, and never is. A recording, which is of one run, has every answer,
 * errors included.
 */
export class PassedRequests {
  readonly #parameters: PassedRequestsParameters
  /** Number of the newest final block, once somebody has asked. */
  #final: Promise<bigint | undefined> | undefined

  constructor(parameters: PassedRequestsParameters) {
    this.#parameters = parameters
  }

  /** Passes a request on, unless the answer is kept: see {@link Upstream.request}. */
  async request(
    method: string,
    params: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<unknown> {
    const { client, cache } = this.#parameters
    const { recording } = cache
    const mayBeKept = recording !== undefined || Object.hasOwn(PLACES, method)
    const known = mayBeKept ? this.#find(method, params) : undefined
    if (known !== undefined) return known
    if (client === undefined) {
      if (recording !== undefined) {
        throw notRecorded(recording, `what ${method} answers to ${JSON.stringify(params)}`)
      }
      throw new UpstreamError(`${method} needs the upstream, which is not asked in offline mode`)
    }
    // Along with the first request that it concerns.
    if (mayBeKept && recording === undefined) this.#final ??= finalNumber(client, method)
    try {
      const isSlow = SLOW_METHODS.test(method)
      const answer = await client.ask({ method, params, read: (result) => result, isSlow, signal })
      void this.#keep(method, params, answer)
      return answer
    } catch (error) {
      if (error instanceof FailureAnswer) {
        void this.#keep(method, params, null, error.failure)
        const { code, message, data } = error.failure
        throw new DevnetError(code, message, { data })
      }
      if (!(error instanceof NoAnswer)) throw error
      const { message, transient } = error
      throw new UpstreamError(`upstream did not answer ${method}: ${message}`, { transient })
    }
  }

  /** The answer that is kept; `undefined` if there is none. @throws {DevnetError} a kept error */
  #find(method: string, params: readonly unknown[]): unknown {
    const { answer, error } = this.#parameters.cache.answer(cacheKey(method, params)) ?? {}
    if (!isObject(error)) return answer
    throw new DevnetError(integerOr(error.code, 0), plainText(error.message), { data: error.data })
  }

  /**
   * Keeps an answer if its block is final.
   *
   * @param error - in the place of an answer; only a recording keeps it
   */
  async #keep(
    method: string,
    params: readonly unknown[],
    answer: unknown,
    error?: RpcFailure,
  ): Promise<void> {
    const { cache, hasSecret } = this.#parameters
    if (cache.recording === undefined) {
      if (error !== undefined || !(await this.#isFinal(method, params, answer))) return
    }
    // In pieces, because what is not kept may be long.
    const pieces = await runPaced(stringifyJson(error ?? answer), new Scheduler())
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (size > LARGEST_ANSWER) return
    const key = cacheKey(method, params)
    // Upstreams repeat keys wherever they like.
    if (!hasSecret(key + pieces.join(''))) cache.keepAnswer(key, { answer, error }, size)
  }

  async #isFinal(method: string, params: readonly unknown[], answer: unknown): Promise<boolean> {
    const place = blockOf(method, params, answer)
    if (place === undefined || place > this.#parameters.number) return false
    const final = await this.#final
    return final !== undefined && place <= final
  }
}

/**
 * Number of the newest block that no reorganization takes back; `undefined` if nobody says.
 *
 * @param method - that of the request along with which it is asked
 */
async function finalNumber(
  client: Pick<BatchClient, 'ask'>,
  method: string,
): Promise<bigint | undefined> {
  try {
    return await client.ask({
      method: 'eth_getBlockByNumber',
      params: ['finalized', false],
      read: (result) => numberAnswer(isObject(result) ? result.number : result),
      isSlow: SLOW_METHODS.test(method),
      attempts: 1,
    })
  } catch (error) {
    // Without this number, no answer is cached. An UpstreamError means that the node is stopping.
    if (error instanceof NoAnswer || error instanceof UpstreamError) return undefined
    throw error
  }
}

/** The key of a request in cache files and recordings. */
function cacheKey(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params)}`
}

/** Number of the newest block that an answer is about; `undefined` if nobody says. */
function blockOf(method: string, params: readonly unknown[], answer: unknown): bigint | undefined {
  const place = PLACES[method]
  // A missing block or transaction may still appear.
  if (place === undefined || answer === null || answer === undefined) return undefined
  if (typeof place === 'number') return quantityFrom(params[place])
  if (place === 'answer') {
    if (!isObject(answer)) return undefined
    return quantityFrom('blockNumber' in answer ? answer.blockNumber : answer.number)
  }
  const [filter] = params
  if (!Array.isArray(answer) || answer.length > MOST_LOGS || !isObject(filter)) return undefined
  if (quantityFrom(filter.fromBlock) !== undefined) return quantityFrom(filter.toBlock)
  const [log] = answer
  return filter.blockHash !== undefined && isObject(log) ? quantityFrom(log.blockNumber) : undefined
}
