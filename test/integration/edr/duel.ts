import { isDeepStrictEqual } from 'node:util'
import { isAcceptedError } from './acceptedErrors.ts'
import type { Outcome, Peer } from './peer.ts'

/** Takes out of a result what may differ, or puts it in the same form. */
export type Form = (result: unknown) => unknown

/** How many of the last requests that change something, and of the steps around them, a failure tells. */
const TOLD = 30

const CHANGES = /^(?:eth_send|evm_|hardhat_|preconf_)/

/** Puts the same requests to both nodes and holds their answers against each other. */
export class Duel {
  readonly #ours: Peer
  readonly #theirs: Peer
  /** How the same run is started again. */
  readonly #again: string
  readonly #requests: string[] = []
  #step = 0
  #name = 'start'

  constructor(ours: Peer, theirs: Peer, again: string) {
    this.#ours = ours
    this.#theirs = theirs
    this.#again = again
  }

  begin(name: string): void {
    this.#step++
    this.#name = name
    this.#requests.push(`# step ${this.#step}: ${name}`)
  }

  /** Both answers, not compared. */
  async ask(
    method: string,
    params: readonly unknown[] = [],
  ): Promise<readonly [ours: Outcome, theirs: Outcome]> {
    if (CHANGES.test(method)) this.#requests.push(`${method} ${JSON.stringify(params)}`)
    return Promise.all([this.#ours.request(method, params), this.#theirs.request(method, params)])
  }

  /** Asks only our node, for what EDR does not have. */
  async own(method: string, ...params: unknown[]): Promise<void> {
    this.#requests.push(`${method} ${JSON.stringify(params)} (ours)`)
    const outcome = await this.#ours.request(method, params)
    if ('error' in outcome) this.differs(`${method} ${JSON.stringify(params)}`, [outcome, null])
  }

  /** Both must answer the same, but for what `form` takes out and for accepted words of errors. Answers ours. */
  async same(method: string, params: readonly unknown[] = [], form?: Form): Promise<Outcome> {
    const [ours] = await this.#compared(method, params, form)
    return ours
  }

  /** As {@link same}, of what no node may refuse. */
  async result(method: string, params: readonly unknown[] = [], form?: Form): Promise<unknown> {
    const outcomes = await this.#compared(method, params, form)
    const [ours] = outcomes
    if ('result' in ours) return ours.result
    return this.differs(`${method} ${JSON.stringify(params)} must succeed`, outcomes)
  }

  async #compared(method: string, params: readonly unknown[], form?: Form) {
    const outcomes = await this.ask(method, params)
    this.compare(`${method} ${JSON.stringify(params)}`, outcomes, form)
    return outcomes
  }

  /** Holds two answers against each other. */
  compare(what: string, [ours, theirs]: readonly [Outcome, Outcome], form: Form = (x) => x): void {
    if ('result' in ours && 'result' in theirs) {
      if (isDeepStrictEqual(form(ours.result), form(theirs.result))) return
      this.differs(what, [form(ours.result), form(theirs.result)])
    }
    if ('error' in ours && 'error' in theirs && isAcceptedError(ours.error, theirs.error)) return
    this.differs(what, [ours, theirs])
  }

  differs(what: string, [ours, theirs]: readonly [ours: unknown, theirs: unknown]): never {
    throw new Error(
      [
        `Step ${this.#step} (${this.#name}): ${what}`,
        `  ours: ${JSON.stringify(ours)}`,
        `  EDR:  ${JSON.stringify(theirs)}`,
        ...changes(ours, theirs),
        `Again: ${this.#again}`,
        'Last changes:',
        ...this.#requests.slice(-TOLD).map((request) => `  ${shortened(request)}`),
      ].join('\n'),
    )
  }
}

/** The paths at which two results part, so that nobody has to find them in two long lines. */
function changes(ours: unknown, theirs: unknown, path = '  at '): string[] {
  if (isDeepStrictEqual(ours, theirs)) return []
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) {
    return [`${path}: ${JSON.stringify(ours)} (ours), ${JSON.stringify(theirs)} (EDR)`]
  }
  const [mine, other] = [new Map(Object.entries(ours)), new Map(Object.entries(theirs))]
  return [...new Set([...mine.keys(), ...other.keys()])].flatMap((key) =>
    changes(mine.get(key), other.get(key), `${path}.${key}`),
  )
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
