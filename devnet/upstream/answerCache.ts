import { Scheduler } from '../engine/scheduler.ts'
import { DevnetError, plainText, reasonOf } from '../primitives/errors.ts'
import { endOfString, integerOr, isObject, stringifyJson } from '../primitives/json.ts'
import { runPaced } from '../primitives/paced.ts'
import type { RpcFailure } from './answers.ts'
import { type CachedBlock, type CacheFolder, fileOf } from './cacheFolder.ts'
import { checkedLine, type Lines, LineWriter, readLine } from './cacheLine.ts'
import { Recording } from './recording.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** Characters of all answers in memory, and of a file beyond which it does not grow. */
const LARGEST = 16 << 20

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
  /** `undefined`: memory only. */
  readonly folder: CacheFolder | undefined
  /** The fork block. */
  readonly block: CachedBlock
  readonly time: UpstreamTime
  /**
   * Asks for the newest final block, along with a request of this method; `undefined` if nobody
   * says. Must not fail.
   */
  readonly askFinal: (method: string) => Promise<bigint | undefined>
  readonly onWarning: (message: string) => void
  /** True if a text must not be written to a file. */
  readonly hasSecret: (text: string) => boolean
  /** Most characters in memory and in the file; for tests. */
  readonly largest?: number
}

/**
 * Answers of the upstream about final blocks up to the fork block, as they came: in memory, and in
 * a file beside that of the block. What a tag names moves, and is never kept. A recording, which is
 * of one run, has every answer, errors included.
 */
export class AnswerCache {
  readonly #parameters: AnswerCacheParameters
  readonly #file: string
  readonly #writer: Lines
  readonly #isRecorded: boolean
  #final: Promise<bigint | undefined> | undefined
  /** Lines by their keys; those that were used last come last. */
  readonly #lines = new Map<string, string>()
  readonly #largest: number
  #size = 0
  #fileSize = 0

  private constructor(parameters: AnswerCacheParameters) {
    const { folder, block, time, onWarning, largest = LARGEST } = parameters
    this.#parameters = parameters
    this.#isRecorded = folder instanceof Recording
    this.#file = `${fileOf(block)}.answers.jsonl`
    this.#largest = largest
    const append = async (text: string) => folder?.append(this.#file, text)
    const onFailure = (error: unknown) => {
      // There is one warning, as nothing more is written.
      this.#fileSize = this.#largest
      onWarning(`answers of the upstream cannot be written to its cache: ${reasonOf(error)}`)
    }
    this.#writer = folder?.lines(this.#file) ?? new LineWriter(time, append, onFailure)
  }

  static async open(parameters: AnswerCacheParameters): Promise<AnswerCache> {
    const cache = new AnswerCache(parameters)
    const text = (await parameters.folder?.read(cache.#file)) ?? ''
    cache.#fileSize = text.length
    // Each is parsed when it is asked for.
    for (const line of text.split('\n')) {
      const [head] = /^\["[0-9a-f]{8}",\[(?=")/.exec(line) ?? []
      if (head !== undefined)
        cache.#put(line.slice(head.length, endOfString(line, head.length)), line)
    }
    return cache
  }

  /**
   * The answer that is kept; `undefined` if there is none.
   *
   * @throws {DevnetError} if the upstream has answered an error
   */
  find(method: string, params: readonly unknown[]): unknown {
    if (!this.#isRecorded && !Object.hasOwn(PLACES, method)) return undefined
    const key = keyOf(method, params)
    const line = this.#lines.get(key)
    if (line === undefined) return undefined
    const entry = readLine(line)
    this.#remove(key)
    if (!Array.isArray(entry)) return undefined
    this.#put(key, line)
    const [, answer, error] = entry
    if (!isObject(error)) return answer
    throw new DevnetError(integerOr(error.code, 0), plainText(error.message), { data: error.data })
  }

  /** To be called with each request: asks along with the first which blocks are final. */
  prepare(method: string): void {
    if (this.#isRecorded) return
    if (Object.hasOwn(PLACES, method)) this.#final ??= this.#parameters.askFinal(method)
  }

  /** Keeps an answer if its block is final. An error, for a recording, follows `null`. */
  async keep(
    method: string,
    params: readonly unknown[],
    ...[answer, ...error]: [answer: unknown, error?: RpcFailure]
  ): Promise<void> {
    const { folder, block, hasSecret } = this.#parameters
    if (!this.#isRecorded) {
      const number = placeOf(method, params, answer)
      if (number === undefined || number > block.number) return
      const final = await this.#final
      if (final === undefined || number > final) return
    }
    // In pieces, because what is not kept may be long.
    const pieces = await runPaced(stringifyJson(answer), new Scheduler())
    if (pieces.reduce((sum, piece) => sum + piece.length, 0) > LARGEST_ANSWER) return
    const key = keyOf(method, params)
    const line = checkedLine([JSON.parse(key), answer, ...error])
    if (this.#lines.has(key)) return
    this.#put(key, line)
    if (folder === undefined || this.#fileSize + line.length > this.#largest) return
    // Upstreams repeat keys wherever they like.
    if (hasSecret(line)) return
    this.#fileSize += line.length
    this.#writer.add(line)
  }

  /** Writes what the file does not have yet. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  #put(key: string, line: string): void {
    this.#remove(key)
    this.#lines.set(key, line)
    this.#size += line.length
    for (const [oldest] of this.#lines) {
      if (this.#size <= this.#largest) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    this.#size -= this.#lines.get(key)?.length ?? 0
    this.#lines.delete(key)
  }
}

/** As it stands in a line: in JSON. */
function keyOf(method: string, params: readonly unknown[]): string {
  return JSON.stringify(`${method} ${JSON.stringify(params)}`)
}

/** Number of the newest block that an answer is about; `undefined` if nobody says. */
function placeOf(method: string, params: readonly unknown[], answer: unknown): bigint | undefined {
  const place = PLACES[method]
  // What is not there may yet come.
  if (place === undefined || answer === null || answer === undefined) return undefined
  if (typeof place === 'number') return numberIn(params[place])
  if (place === 'answer') {
    if (!isObject(answer)) return undefined
    return numberIn('blockNumber' in answer ? answer.blockNumber : answer.number)
  }
  const [filter] = params
  if (!Array.isArray(answer) || answer.length > MOST_LOGS || !isObject(filter)) return undefined
  if (numberIn(filter.fromBlock) !== undefined) return numberIn(filter.toBlock)
  const [log] = answer
  return filter.blockHash !== undefined && isObject(log) ? numberIn(log.blockNumber) : undefined
}

function numberIn(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) ? BigInt(value) : undefined
}
