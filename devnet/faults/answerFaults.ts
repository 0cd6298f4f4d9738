import { setTimeout } from 'node:timers/promises'
import type { Executor } from '../engine/executor.ts'
import { DevnetError, ErrorCode } from '../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { JsonText } from '../primitives/jsonText.ts'
import type { Random } from '../primitives/random.ts'
import { type ChainTransaction, toChainTransaction } from '../protocol/transaction.ts'
import { allows, type Rule, type RuleOf } from './rule.ts'

/** Methods whose first parameter is a signed transaction. */
export const SIGNED_SENDS: ReadonlySet<string> = new Set([
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
])

type AnswerRule = Rule<RuleOf<'refuseAnswer' | 'delayAnswer' | 'corruptAnswer'>>

export function isAnswerRule(rule: Rule): rule is AnswerRule {
  return rule.spec.kind.endsWith('Answer')
}

/** A request, as a rule sees it. */
export interface AnsweredRequest {
  readonly method: string
  readonly params: readonly unknown[]
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
}

/** A request, and the place of the pending block when it came. */
interface PlacedRequest extends AnsweredRequest {
  readonly block: number
  readonly tick: number
}

/** What a rule may name of a signed transaction. */
type SignedTransaction = Pick<ChainTransaction, 'hash' | 'sender' | 'to'>

type Decoder = Pick<Executor, 'decodeSent' | 'identify'>

/** Faults of answers. */
export class AnswerFaults {
  readonly #rules: ReadonlyMap<string, readonly AnswerRule[]>
  readonly #decoder: () => Decoder | Promise<Decoder>
  readonly #report: (rule: AnswerRule, method: string) => void

  /** @param decoder - returns what decodes signed transactions at present */
  constructor(
    rules: readonly AnswerRule[],
    decoder: () => Decoder | Promise<Decoder>,
    report: (rule: AnswerRule, method: string) => void,
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
    this.#report = report
  }

  answer(request: PlacedRequest, answer: () => unknown): unknown {
    const { method, params, signal } = request
    const named = this.#rules.get(method)
    if (named === undefined) return answer()
    const decoder = SIGNED_SENDS.has(method) ? this.#decoder() : undefined
    if (decoder instanceof Promise) return decoder.then(() => this.answer(request, answer))
    const signed = decoder && signedIn(params, decoder)
    const rules = named.filter((rule) => isFor(rule, request, signed) && rule.fires())
    if (rules.length === 0) return answer()
    for (const rule of rules) this.#report(rule, method)
    for (const { spec, index } of rules) {
      if (spec.kind !== 'refuseAnswer') continue
      const { code = ErrorCode.server, message = `${method} refused by fault ${index}` } = spec
      throw new DevnetError(code, message)
    }
    return spoiled(answer(), rules, signal)
  }
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
    (address === undefined || isTo(signed, address) || holds(params, address)) &&
    (hash === undefined || hash === signed?.hash || holds(params, hash))
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

/** Whether a text is a part of the parameters. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase() === text
  return isObject(value) || Array.isArray(value)
    ? Object.values(value).some((one) => holds(one, text))
    : false
}

/** The answer, late or wrong. */
async function spoiled(
  answer: unknown,
  rules: readonly AnswerRule[],
  signal: AbortSignal,
): Promise<unknown> {
  let result = await answer
  for (const { spec, random } of rules) {
    if (spec.kind === 'delayAnswer') await setTimeout(spec.ms, undefined, { signal })
    if (spec.kind === 'corruptAnswer') {
      result = 'result' in spec ? spec.result : corrupted(result, random)
    }
  }
  return result
}

/** A copy of a result in which one hex digit differs; `null` if it has none. */
function corrupted(result: unknown, random: Random): unknown {
  const text = result instanceof JsonText ? result.text : JSON.stringify(result)
  const digits = [...(text ?? '').matchAll(/"0x[0-9a-fA-F]+"/g)]
  if (digits.length === 0) return null
  const { 0: value, index } = random.pick(digits)
  const at = index + 3 + random.below(value.length - 4)
  const digit = (Number.parseInt(text.charAt(at), 16) + 1 + random.below(15)) % 16
  return JSON.parse(`${text.slice(0, at)}${digit.toString(16)}${text.slice(at + 1)}`)
}
