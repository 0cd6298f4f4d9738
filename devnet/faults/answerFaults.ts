import { setTimeout } from 'node:timers/promises'
import type { Executor } from '../engine/executor.ts'
import { DevnetError, ErrorCode } from '../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { JsonText, PIECE } from '../primitives/jsonText.ts'
import type { Random } from '../primitives/random.ts'
import { type ChainTransaction, toChainTransaction } from '../protocol/transaction.ts'
import type { RuleAt } from './faultPlaces.ts'
import { allows, type Rule, type RuleOf } from './rule.ts'
import type { FaultKind } from './types.ts'

/** Values among the parameters that are compared with what a rule names; the rest is not. */
const MOST_VALUES = 10_000

/** Pieces of a long answer in which a digit is sought that can be changed. */
const MOST_PIECES = 16

type AnswerRule = RuleAt<'answers'>

/** A request, as a rule sees it. */
export interface AnsweredRequest {
  readonly method: string
  readonly params: readonly unknown[]
  /** True if the first parameter is a signed transaction. Default: false */
  readonly isSigned?: boolean | undefined
  readonly caller: {
    /** Aborts when the client hangs up or the node stops. */
    readonly signal: AbortSignal
    /** HTTP status of the answer, if it goes over HTTP. Default: 200 */
    status?: number | undefined
  }
}

/** A request, and the place of the pending block when it came. */
interface PlacedRequest extends AnsweredRequest {
  readonly block: number
  readonly tick: number
}

/** Properties of a signed transaction that a rule may name. */
type SignedTransaction = Pick<ChainTransaction, 'hash' | 'sender' | 'to'>

type Decoder = Pick<Executor, 'decodeSent' | 'identify'>

export class AnswerFaults {
  readonly #rules: ReadonlyMap<string, readonly AnswerRule[]>
  readonly #decoder: () => Decoder | Promise<Decoder>
  readonly #fire: (rule: AnswerRule, method: string) => boolean

  /**
   * @param decoder - returns what decodes signed transactions at present
   * @param fire - fires a rule, unless the draw is against it
   */
  constructor(
    rules: readonly AnswerRule[],
    decoder: () => Decoder | Promise<Decoder>,
    fire: (rule: AnswerRule, method: string) => boolean,
  ) {
    const pairs = rules.flatMap((rule) =>
      [...new Set([rule.spec.method].flat())].map((name) => ({ name, rule })),
    )
    this.#rules = new Map(
      [...Map.groupBy(pairs, ({ name }) => name)].map(([name, all]) => [
        name,
        all.map(({ rule }) => rule),
      ]),
    )
    this.#decoder = decoder
    this.#fire = fire
  }

  /**
   * Answers a request: the first refusal that fires refuses it; otherwise the first corruption that
   * fires changes its result. The delays that fire add up, and also delay errors.
   */
  answer(request: PlacedRequest, answer: () => unknown): unknown {
    const { isSigned, method, params } = request
    const named = this.#rules.get(method)
    if (named === undefined) return answer()
    const decoder = isSigned ? this.#decoder() : undefined
    if (decoder instanceof Promise) return decoder.then(() => this.answer(request, answer))
    const signed = decoder && signedIn(params, decoder)
    const rules = named.filter((rule) => !rule.isSpent && isFor(rule, request, signed))
    if (rules.length === 0) return answer()
    const delay = ofKind(rules, 'delayAnswer')
      .filter((rule) => this.#fire(rule, method))
      .reduce((sum, { spec }) => sum + spec.ms, 0)
    const refusing = ofKind(rules, 'refuseAnswer').find((rule) => this.#fire(rule, method))
    const corrupting = ofKind(rules, 'corruptAnswer')
    const run = () => {
      if (refusing !== undefined) refuse(refusing, request)
      return corrupting.length === 0 ? answer() : this.#corrupted(method, answer, corrupting)
    }
    return delay === 0 ? run() : late(run, delay, request.caller.signal)
  }

  async #corrupted(
    method: string,
    answer: () => unknown,
    rules: readonly Rule<RuleOf<'corruptAnswer'>>[],
  ): Promise<unknown> {
    const result = await answer()
    const rule = rules.find((one) => this.#fire(one, method))
    if (rule === undefined) return result
    return rule.spec.result === undefined ? corrupted(result, rule.random) : rule.spec.result
  }
}

function ofKind<Kind extends FaultKind>(rules: readonly Rule[], kind: Kind): Rule<RuleOf<Kind>>[] {
  // A rule of this kind has its spec.
  return rules.filter(({ spec }) => spec.kind === kind) as Rule<RuleOf<Kind>>[]
}

/** @throws {DevnetError} always */
function refuse(
  { spec, index }: Rule<RuleOf<'refuseAnswer'>>,
  { method, caller }: AnsweredRequest,
): never {
  const { code = ErrorCode.server, message = `${method} refused by fault ${index}`, status } = spec
  caller.status = status
  throw new DevnetError(code, message)
}

/** Answer or error of `run` now, `ms` later. */
async function late(run: () => unknown, ms: number, signal: AbortSignal): Promise<unknown> {
  const [outcome] = await Promise.allSettled([
    (async () => run())(),
    setTimeout(ms, undefined, { signal }),
  ])
  signal.throwIfAborted()
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

function isFor(
  { spec }: AnswerRule,
  { params, block, tick }: PlacedRequest,
  signed: SignedTransaction | undefined,
): boolean {
  const { from, address, hash } = spec
  return (
    allows(spec.block, block) &&
    allows(spec.tick, tick) &&
    (from === undefined || from === (signed?.sender ?? senderOf(params))) &&
    (address === undefined || isTo(signed, address) || containsText(params, address)) &&
    (hash === undefined || hash === signed?.hash || containsText(params, hash))
  )
}

function isTo(signed: SignedTransaction | undefined, address: Hex): boolean {
  return signed?.to !== undefined && toHex(signed.to) === address
}

/** The `from` of the first parameter, in lower case. */
function senderOf([request]: readonly unknown[]): string | undefined {
  if (!isObject(request) || typeof request.from !== 'string') return undefined
  return request.from.toLowerCase()
}

/** The signed transaction that is the first parameter; `undefined` if it is none. */
function signedIn([raw]: readonly unknown[], decoder: Decoder): SignedTransaction | undefined {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) return undefined
  try {
    return toChainTransaction(decoder.identify(decoder.decodeSent(fromHex(raw))))
  } catch (error) {
    // The method says what is wrong with it.
    if (error instanceof DevnetError) return undefined
    throw error
  }
}

/** True if a text is a part of the parameters; looks at {@link MOST_VALUES} of them. */
function containsText(params: readonly unknown[], text: string): boolean {
  // A list instead of recursion: a client decides how deep they are nested.
  const found: unknown[] = [params]
  for (let index = 0; index < found.length; index++) {
    const value = found[index]
    if (typeof value === 'string') {
      if (value.length === text.length && value.toLowerCase() === text) return true
    } else if (isObject(value) || Array.isArray(value)) {
      for (const one of Object.values(value)) if (found.length < MOST_VALUES) found.push(one)
    }
  }
  return false
}

/** A copy of a result in which one hex digit differs; `null` if none is found. */
function corrupted(result: unknown, random: Random): JsonText | null {
  const { pieces } =
    result instanceof JsonText ? result : new JsonText(JSON.stringify(result) ?? 'null')
  const first = random.below(pieces.length)
  for (let tried = 0; tried < Math.min(pieces.length, MOST_PIECES); tried++) {
    const index = (first + tried) % pieces.length
    const piece = pieces[index] ?? ''
    const text = withOtherDigit(typeof piece === 'string' ? piece : piece.text, random)
    if (text !== undefined) return new JsonText(pieces.with(index, text))
  }
  return null
}

/** The text with another digit in a hex value; `undefined` if the part that is read has none. */
function withOtherDigit(text: string, random: Random): string | undefined {
  const start = random.below(Math.max(1, text.length - PIECE))
  const digits = [...text.slice(start, start + PIECE).matchAll(/"0x[0-9a-fA-F]+"/g)]
  if (digits.length === 0) return undefined
  const { 0: value, index } = random.pick(digits)
  const at = start + index + 3 + random.below(value.length - 4)
  const digit = (Number.parseInt(text.charAt(at), 16) + 1 + random.below(15)) % 16
  return `${text.slice(0, at)}${digit.toString(16)}${text.slice(at + 1)}`
}
