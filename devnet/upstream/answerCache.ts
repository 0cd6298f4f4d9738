import { Scheduler } from '../engine/scheduler.ts'
import { DevnetError, plainText } from '../primitives/errors.ts'
import { quantityFrom } from '../primitives/hex.ts'
import { integerOr, isObject, stringifyJson } from '../primitives/json.ts'
import { runPaced } from '../primitives/paced.ts'
import type { RpcFailure } from './answers.ts'
import type { BlockCache } from './blockCache.ts'

/** Characters of an answer beyond which it is not kept. */
const LARGEST_ANSWER = 1 << 20

/** Logs in an answer beyond which it is not kept: to see how large it is would take long. */
const MOST_LOGS = 2_000

/** The block that an answer is about. */
type Place =
  /** That whose number is the parameter with this index. */
  | number
  /** That which the answer itself names as its own, or as that of the transaction. */
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

interface AnswerCacheParameters {
  readonly cache: BlockCache
  /** Number of the fork block. */
  readonly number: bigint
  /** True if a text must not be kept. */
  readonly hasSecret: (text: string) => boolean
}

/**
 * Answers of the upstream about final blocks up to the fork block, as they came. What a tag names
 * moves, and is never kept. A recording, which is of one run, has every answer, errors included.
 */
export class AnswerCache {
  readonly #parameters: AnswerCacheParameters
  #final: Promise<bigint | undefined> | undefined

  constructor(parameters: AnswerCacheParameters) {
    this.#parameters = parameters
  }

  /**
   * The answer that is kept; `undefined` if there is none.
   *
   * @throws {DevnetError} if the upstream has answered an error
   */
  find(method: string, params: readonly unknown[]): unknown {
    const { cache } = this.#parameters
    if (!cache.keepsAll && !Object.hasOwn(PLACES, method)) return undefined
    const { answer, error } = cache.answer(keyOf(method, params)) ?? {}
    if (!isObject(error)) return answer
    throw new DevnetError(integerOr(error.code, 0), plainText(error.message), { data: error.data })
  }

  /**
   * To be called with each request.
   *
   * @param askFinal - asks along with the first one for the newest final block; must not fail
   */
  prepare(method: string, askFinal: () => Promise<bigint | undefined>): void {
    if (this.#parameters.cache.keepsAll) return
    if (Object.hasOwn(PLACES, method)) this.#final ??= askFinal()
  }

  /**
   * Keeps an answer if its block is final.
   *
   * @param error - in the place of an answer; only a recording keeps it
   */
  async keep(
    method: string,
    params: readonly unknown[],
    answer: unknown,
    error?: RpcFailure,
  ): Promise<void> {
    const { cache, hasSecret } = this.#parameters
    if (
      !cache.keepsAll &&
      (error !== undefined || !(await this.#isFinal(method, params, answer)))
    ) {
      return
    }
    // In pieces, because what is not kept may be long.
    const pieces = await runPaced(stringifyJson(error ?? answer), new Scheduler())
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (size > LARGEST_ANSWER) return
    const key = keyOf(method, params)
    // Upstreams repeat keys wherever they like.
    if (!hasSecret(key + pieces.join(''))) cache.keepAnswer(key, { answer, error }, size)
  }

  async #isFinal(method: string, params: readonly unknown[], answer: unknown): Promise<boolean> {
    const place = placeOf(method, params, answer)
    if (place === undefined || place > this.#parameters.number) return false
    const final = await this.#final
    return final !== undefined && place <= final
  }
}

/** As it stands in files. */
function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params)}`
}

/** Number of the newest block that an answer is about; `undefined` if nobody says. */
function placeOf(method: string, params: readonly unknown[], answer: unknown): bigint | undefined {
  const place = PLACES[method]
  // What is not there may yet come.
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
