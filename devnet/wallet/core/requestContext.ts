import { DevnetError, LimitError } from '../../primitives/errors.ts'
import { heldSize } from '../../primitives/heldBytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import { internalError } from '../../rpc/jsonRpc.ts'
import type { HistoryEntry, PendingRequest, PolicyRule, RequestSummary } from '../types.ts'
import type { History } from './requestHistory.ts'
import type { Decision } from './requestQueue.ts'
import type { Session } from './session.ts'
import type { Prompt, WalletClient, WalletMethod } from './types.ts'
import {
  UnsupportedMethodError,
  UserRejectedError,
  WalletErrorCode,
  WalletParamsError,
} from './walletErrors.ts'
import { isDeep, SHALLOW } from './walletParams.ts'

/** One request: the context that its method runs in, and the source of its history entry. */
export class RequestContext {
  readonly session: Session
  readonly client: WalletClient
  /** Bytes that the request holds: its parameters, and the summary that is made of them. */
  #size = 0
  readonly #method: string
  readonly #params: unknown
  readonly #received: number
  #id: string
  #isAsked = false
  /** Resolves once the client has its answer, for which the decider waits. */
  #answered = Promise.withResolvers<void>()
  /** The session's history when the request arrived; a reset gives the session a new one. */
  readonly #history: History
  #deadline: number | null = null
  #summary: RequestSummary
  #decision: Pick<Decision, 'decision' | 'by'> | undefined
  #chainId: Hex

  /** @throws {WalletParamsError} if the parameters are nested too deeply */
  constructor(session: Session, method: string, params: unknown, client: WalletClient) {
    if (isDeep(params)) throw new WalletParamsError('params', 'range', SHALLOW)
    this.#id = session.wallet.nextId()
    this.#chainId = session.chains.active
    this.#history = session.history
    this.session = session
    this.client = client
    this.#method = method
    this.#params = params
    this.#received = session.wallet.clock.now()
    this.#summary = { title: method.slice(0, 100), fields: [], warnings: [] }
  }

  /** Counts what the request holds. @throws {LimitError} if there is no room */
  hold(summary = this.#summary): void {
    const size = heldSize([this.#params, summary])
    this.#history.held.require(size - this.#size, 'decide some requests of the wallet')
    this.#size = size
    this.#summary = summary
  }

  release(): void {
    this.#history.held.add(-this.#size)
    this.#size = 0
  }

  /** The accounts connected to the client's origin. */
  get accounts(): readonly Hex[] {
    return this.session.permissions.accountsOf(this.client.origin)
  }

  /** Runs the method and records the request in the history. @throws {DevnetError} */
  async run(method: WalletMethod | undefined): Promise<unknown> {
    try {
      if (method === undefined) {
        const { unsupportedMethodCode } = this.session.wallet.settings
        throw new UnsupportedMethodError(this.#method, unsupportedMethodCode)
      }
      const result = await method.handle(this, this.#params)
      this.#record('automatic', { result })
      return result
    } catch (error) {
      const { code, message, data } = error instanceof DevnetError ? error : internalError(error)
      this.#record('invalid', { error: { code, message, ...(data === undefined ? {} : { data }) } })
      throw error
    } finally {
      this.#answered.resolve()
    }
  }

  /**
   * Asks the user, or the policy in the user's place.
   *
   * @returns the account chosen for a connection, if any
   * @throws {DevnetError} unless approved
   */
  async ask(prompt: Prompt): Promise<{ readonly account?: Hex | undefined }> {
    const { policy, chains, history } = this.session
    if (history !== this.#history) throw new UserRejectedError('reset')
    if (this.#isAsked) {
      // A second prompt gets a new id, so that no answer can count for both.
      this.#id = this.session.wallet.nextId()
      this.#answered.resolve()
      this.#answered = Promise.withResolvers()
    }
    this.#isAsked = true
    this.hold(prompt.summary)
    this.#chainId = prompt.chainId ?? chains.active
    const rule = policy.decide(this.#subject())
    const decision = await this.#decide(rule, prompt)
    this.#decision = decision
    if (decision.decision !== 'approved') throw decision.error
    // From now on, events wait until this request is answered.
    this.client.subscribe()
    return { account: decision.account }
  }

  /** True if the policy leaves this request to the user. */
  get isHeld(): boolean {
    return this.session.policy.next(this.#subject()).decision === 'hold'
  }

  #subject() {
    return { method: this.#method, chainId: this.#chainId, origin: this.client.origin }
  }

  async #decide(
    rule: PolicyRule,
    { isExclusive, isChainBound = false, preview }: Prompt,
  ): Promise<Decision> {
    const decision = rule.decision === 'hold' ? undefined : decisionOf(rule)
    const { delay = 0 } = rule
    if (decision !== undefined && delay === 0) return decision
    const { wallet, queue } = this.session
    const { profile, deadline } = wallet.settings
    const { origin } = this.client
    const isAsked = queue
      .list()
      .some((other) => other.method === this.#method && other.origin === origin)
    if (profile === 'metamask' && isExclusive && isAsked) {
      throw new DevnetError(
        WalletErrorCode.unavailable,
        `Request of type '${this.#method}' already pending for this origin. Please wait.`,
      )
    }
    const now = wallet.clock.now()
    this.#deadline = decision === undefined && deadline > 0 ? now + deadline : null
    const decided = queue.ask({
      request: this.#request(),
      isChainBound,
      answered: this.#answered.promise,
      signal: this.client.signal,
      withdrawn: () => ({ decision: 'withdrawn', by: 'client', error: this.#hangUpError() }),
      expired: () => ({ decision: 'expired', by: 'deadline', error: this.#deadlineError() }),
      planned: decision === undefined ? undefined : { delay, decision },
    })
    if (decision !== undefined || preview === undefined) return decided
    const given = new AbortController()
    void this.#complete(preview, given.signal)
    return decided.finally(() => given.abort())
  }

  /** Completes the summary; the request waits meanwhile as any other. */
  async #complete(preview: NonNullable<Prompt['preview']>, signal: AbortSignal): Promise<void> {
    const { wallet, queue } = this.session
    try {
      const summary = await preview(signal)
      if (signal.aborted) return
      this.hold(summary)
      queue.describe(this.#id, summary)
    } catch (error) {
      // If the session has no memory left for the preview, the summary stays as it is.
      if (!signal.aborted && !(error instanceof LimitError)) wallet.onInternalError(error)
    }
  }

  /** The server's reason. It reaches the client only if the node is stopping. */
  #hangUpError(): DevnetError {
    const { reason } = this.client.signal
    return reason instanceof DevnetError ? reason : new UserRejectedError('the client hung up')
  }

  #deadlineError(): DevnetError {
    const { deadlineCode } = this.session.wallet.settings
    return deadlineCode === WalletErrorCode.userRejected
      ? new UserRejectedError('nobody decided in time')
      : new DevnetError(deadlineCode, 'Nobody decided in time')
  }

  /** The request as the queue and the history show it. */
  #request(): PendingRequest {
    return {
      id: this.#id,
      session: this.session.name,
      method: this.#method,
      params: this.#params,
      origin: this.client.origin,
      received: this.#received,
      deadline: this.#deadline,
      summary: this.#summary,
    }
  }

  /** @param undecided - the decision to record if none was needed */
  #record(undecided: 'automatic' | 'invalid', answer: HistoryEntry['answer']): void {
    const { decision, by } = this.#decision ?? { decision: undecided, by: 'policy' }
    const decided = this.session.wallet.clock.now()
    // From here on, the history holds it.
    this.release()
    const entry = { ...this.#request(), decision, decidedBy: by, decided, answer }
    this.#history.add(entry, this.#chainId)
  }
}

function decisionOf({ decision, error, account }: PolicyRule): Decision {
  if (decision === 'approve') return { decision: 'approved', by: 'policy', account }
  return { decision: 'rejected', by: 'policy', error: rejection(error) }
}

/** Creates the error of a rejection: code 4001 unless `error` gives another. */
export function rejection(
  error: { code?: number | undefined; message?: string | undefined; data?: unknown } = {},
): DevnetError {
  const plain = new UserRejectedError()
  if (Object.values(error).every((value) => value === undefined)) return plain
  const { code = plain.code, message = plain.message, data } = error
  return new DevnetError(code, message, { data })
}
