import { LONGEST_MESSAGE, plainText, shorten } from '../../primitives/errors.ts'
import { integerOr, isObject, NestingError, parseForeignInPieces } from '../../primitives/json.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { HttpAnswer } from './httpTransport.ts'

/** The error object of a JSON-RPC answer. */
export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Answer to an item of a batch. */
export type ItemAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly failure: RpcFailure }
  /** The upstream wants fewer requests. */
  | { readonly kind: 'busy'; readonly why: string }
  /** No usable answer; a retry may help. */
  | { readonly kind: 'fault'; readonly why: string }

/** Answer to an HTTP request. */
export type Outcome =
  | { readonly kind: 'answers'; readonly answers: ReadonlyMap<number, ItemAnswer> }
  /** The upstream wants fewer requests; it may say after how many ms. */
  | { readonly kind: 'busy'; readonly why: string; readonly wait: number | undefined }
  /** It takes no batch of this size. */
  | { readonly kind: 'refusedBatch'; readonly why: string }
  | { readonly kind: 'fault'; readonly why: string }
  /** It will not answer, however often it is asked: wrong key, wrong path. */
  | { readonly kind: 'denied'; readonly why: string }

const BUSY_STATUS = [429, 503]
/** By proxies too, such as Cloudflare's 520 to 530. */
const FAULT_STATUS = [408, 425, 500, 502, 504, 520, 521, 522, 523, 524, 525, 527, 529, 530]
const REFUSED_BATCH_STATUS = [400, 403, 405, 411, 413, 414, 415, 422]

/** Judges the answer to the items with these ids. @param now - ms, for a date in `Retry-After` */
export function* judge(answer: HttpAnswer, ids: readonly number[], now: number): Paced<Outcome> {
  const { status } = answer
  const http = `HTTP ${status}`
  if (BUSY_STATUS.includes(status)) {
    return { kind: 'busy', why: http, wait: retryAfter(answer.retryAfter, now) }
  }
  const { body, problem } = yield* parsed(answer.body)
  if (status !== 200 && !holdsAnswers(body)) {
    if (FAULT_STATUS.includes(status)) return { kind: 'fault', why: http }
    if (ids.length > 1 && REFUSED_BATCH_STATUS.includes(status)) {
      return { kind: 'refusedBatch', why: http }
    }
    return { kind: 'denied', why: http }
  }
  if (problem !== undefined) return { kind: 'fault', why: problem }
  if (ids.length > 1 && !Array.isArray(body)) return judgeRefusal(body)
  const list: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (list.length > 2 * ids.length) return { kind: 'fault', why: 'more answers than requests' }
  // Some servers refuse a batch with a list that holds one error.
  if (ids.length > 1 && list.length === 1 && isObject(list[0]) && (list[0].id ?? null) === null) {
    return judgeRefusal(list[0])
  }
  return { kind: 'answers', answers: itemAnswers(list, ids) }
}

/** The answer to a batch that is no list. */
function judgeRefusal(body: unknown): Outcome {
  const failure = isObject(body) ? rpcFailure(body.error) : undefined
  if (failure === undefined) return { kind: 'refusedBatch', why: 'no list as answer to a batch' }
  if (isBusy(failure)) return { kind: 'busy', why: inWords(failure), wait: undefined }
  return { kind: 'refusedBatch', why: inWords(failure) }
}

function itemAnswers(list: readonly unknown[], ids: readonly number[]): Map<number, ItemAnswer> {
  const answers = new Map<number, ItemAnswer>()
  const taken = new Map<number, Readonly<Record<string, unknown>>>()
  for (const each of list) {
    if (!isObject(each)) continue
    // Some servers turn ids into text. The only item of a request may be refused without an id.
    const id = ids.length === 1 && (each.id ?? null) === null ? ids[0] : Number(plainText(each.id))
    if (id === undefined || !ids.includes(id)) continue
    const before = taken.get(id)
    if (before !== undefined && answerText(before) !== answerText(each)) {
      answers.set(id, { kind: 'fault', why: 'two different answers' })
      continue
    }
    taken.set(id, each)
    answers.set(id, itemAnswer(each))
  }
  for (const id of ids) {
    if (!answers.has(id)) answers.set(id, { kind: 'fault', why: 'no answer in the batch' })
  }
  return answers
}

function answerText({ result, error }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([result, error])
}

function itemAnswer(answer: Readonly<Record<string, unknown>>): ItemAnswer {
  const failure = rpcFailure(answer.error)
  if (failure !== undefined) {
    return isBusy(failure) ? { kind: 'busy', why: inWords(failure) } : { kind: 'failure', failure }
  }
  if (answer.result === undefined) return { kind: 'fault', why: 'neither result nor error' }
  return { kind: 'result', result: answer.result }
}

function rpcFailure(error: unknown): RpcFailure | undefined {
  if (error === undefined || error === null) return undefined
  if (!isObject(error)) {
    return { code: 0, message: shorten(JSON.stringify(error), LONGEST_MESSAGE) }
  }
  const { code, message, data } = error
  const text = typeof message === 'string' && message !== '' ? message : 'no message'
  return {
    code: integerOr(code, 0),
    message: shorten(text, LONGEST_MESSAGE),
    ...(data === undefined ? {} : { data }),
  }
}

export function inWords({ code, message }: RpcFailure): string {
  return `${message} (${code})`
}

const BUSY_CODES = [429, -32005, -32007, -32012, -32016]
/** Words of nodes that want fewer requests. */
export const BUSY_TEXT = /rate.?limit|too many requests|request limit|credits|compute units/i
/** -32005 is also the code of ranges that are too long, and contracts revert with any text. */
const NOT_BUSY_TEXT =
  /revert|range|more than \d+|too large|too many (?:results|logs|blocks)|response size|max results/i

/** True if the upstream wants fewer requests. The codes are those of viem's HTTP transport. */
function isBusy({ code, message }: RpcFailure): boolean {
  if (code === 3 || NOT_BUSY_TEXT.test(message)) return false
  return BUSY_CODES.includes(code) || BUSY_TEXT.test(message)
}

/** Words of nodes that do not have the state of a block, or not on this server of several. */
const STATE_GONE =
  /header (?:for hash )?not found|missing trie node|unknown block|block not found|state (?:is )?(?:not available|already discarded|pruned|unavailable)|historical state|distance to target block|pruned|(?:old|requested) (?:data|state).*not available|no state (?:available|found)|blockoutofrange|not.*archive/i

/** True if the upstream says that it does not have the block or its state. */
export function isStateGone({ code, message }: RpcFailure): boolean {
  return code === -32001 || STATE_GONE.test(message)
}

/** Codes of JSON-RPC that say that the request is wrong, so that a repetition is of no use. */
export const WRONG_REQUEST = [-32600, -32602]

const UNKNOWN_METHOD =
  /method.*(?:not (?:found|supported|available|allowed|exist|whitelisted|enabled)|does not exist|is not|unsupported|disabled)|(?:unsupported|unknown|unrecognized|invalid) method/i

/** True if the upstream does not have the method. */
export function isUnknownMethod({ code, message }: RpcFailure): boolean {
  return code === -32601 || code === -32004 || UNKNOWN_METHOD.test(message)
}

/** A date as HTTP writes it (RFC 9110 §5.6.7). `Date.parse` takes almost anything with a number. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/**
 * ms of `Retry-After`: seconds or a date (RFC 9110 §10.2.3). `undefined` if it names no time to
 * come, as 0 and yesterday do not: then the pauses are those of an upstream that names none.
 */
function retryAfter(text: string | undefined, now: number): number | undefined {
  const given = text?.trim() ?? ''
  let ms = Number.NaN
  if (/^\d+(?:\.\d+)?$/.test(given)) ms = Number(given) * 1000
  else if (HTTP_DATE.test(given)) ms = Date.parse(given) - now
  return ms > 0 ? ms : undefined
}

/** The JSON of a body, or what is wrong with it. */
function* parsed(text: string): Paced<{ readonly body?: unknown; readonly problem?: string }> {
  try {
    return { body: yield* parseForeignInPieces(text) }
  } catch (error) {
    if (error instanceof NestingError) return { problem: `an answer whose ${error.message}` }
    return { problem: 'an answer that is not JSON' }
  }
}

/** True if a body is made of JSON-RPC answers, which some servers send with any status. */
function holdsAnswers(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(holdsAnswer)
  return holdsAnswer(body)
}

function holdsAnswer(body: unknown): boolean {
  return isObject(body) && (isObject(body.error) || 'result' in body)
}
