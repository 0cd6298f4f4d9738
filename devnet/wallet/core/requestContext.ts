import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { PendingRequest, PolicyRule, RequestSummary, WalletDecision } from '../types.ts'
import type { History } from './requestHistory.ts'
import type { Decider, Verdict } from './requestQueue.ts'
import type { Session } from './session.ts'
import { UserRejectedError, WalletErrorCode, WalletParamsError } from './walletErrors.ts'
import type { Asking, WalletClient, WalletContext, WalletMethod } from './walletMethod.ts'

/** Levels of lists and objects in parameters: typed data has some ten, and code that walks them must not run out of stack. */
const MOST_LEVELS = 64

/** One request on its way, and in the end its entry of the history. */
export class Exchange implements WalletContext {
  readonly id: string
  readonly session: Session
  readonly client: WalletClient
  /** Characters of its parameters as JSON. */
  readonly size: number
  readonly #method: string
  readonly #params: unknown
  readonly #received: number
  readonly #answered = Promise.withResolvers<void>()
  /** That of the session when the request came: after a reset it is another one. */
  readonly #history: History
  #deadline: number | null = null
  #summary: RequestSummary
  #verdict: { readonly decision: WalletDecision; readonly by: Decider } | undefined

  /** @throws {WalletParamsError} */
  constructor(session: Session, method: string, params: unknown, client: WalletClient) {
    if (isDeeper(params, MOST_LEVELS)) {
      throw new WalletParamsError('params', 'range', `nested at most ${MOST_LEVELS} levels deep`)
    }
    this.id = session.wallet.nextId()
    this.#history = session.history
    this.session = session
    this.client = client
    this.#method = method
    this.#params = params
    this.#received = session.wallet.clock.now()
    this.size = JSON.stringify(params)?.length ?? 0
    this.#summary = { title: method.slice(0, 100), fields: [], warnings: [] }
  }

  get origin(): string | null {
    return this.client.origin
  }

  get accounts(): readonly Hex[] {
    return this.session.permissions.accountsOf(this.origin)
  }

  /** Answers, and puts the request into the history. @throws {DevnetError} */
  async run(method: WalletMethod): Promise<unknown> {
    try {
      const result = await method.handle(this, this.#params)
      this.#record('automatic', { result })
      return result
    } catch (error) {
      const body = error instanceof DevnetError ? error : internalErrorBody(error)
      const { code, message, data } = body
      this.#record('invalid', { error: { code, message, ...(data === undefined ? {} : { data }) } })
      throw error
    } finally {
      this.#answered.resolve()
    }
  }

  async ask(asking: Asking): Promise<{ readonly account?: Hex | undefined }> {
    const { policy, chains, history } = this.session
    if (history !== this.#history) throw new UserRejectedError('reset')
    this.#summary = asking.summary
    const rule = policy.decide({
      method: this.#method,
      chainId: asking.chainId ?? chains.active,
      origin: this.origin,
    })
    const verdict = await this.#decide(rule, asking)
    this.#verdict = verdict
    if (verdict.decision !== 'approved') throw verdict.error
    // Events that follow from the decision come after the answer.
    this.client.subscribe()
    return { account: verdict.account }
  }

  async #decide(rule: PolicyRule, asking: Asking): Promise<Verdict> {
    const verdict = rule.decision === 'hold' ? undefined : verdictOf(rule)
    const { delay = 0 } = rule
    if (verdict !== undefined && delay === 0) return verdict
    const { wallet, queue } = this.session
    const { profile, deadline, deadlineCode } = wallet.settings
    if (
      profile === 'metamask' &&
      asking.isExclusive &&
      this.session.isAsking(this.#method, this.origin)
    ) {
      throw alreadyAsking(this.#method)
    }
    const now = wallet.clock.now()
    this.#deadline = verdict === undefined && deadline > 0 ? now + deadline : null
    return queue.ask({
      request: this.#request(),
      isChainBound: asking.isChainBound ?? false,
      answered: this.#answered.promise,
      signal: this.client.signal,
      withdrawn: () => ({
        decision: 'withdrawn',
        by: 'client',
        // The server says why; there is nobody left to hear it, unless the node stops.
        error:
          this.client.signal.reason instanceof DevnetError
            ? this.client.signal.reason
            : new UserRejectedError('the client hung up'),
      }),
      expired: () => ({
        decision: 'expired',
        by: 'deadline',
        error:
          deadlineCode === WalletErrorCode.userRejected
            ? new UserRejectedError('nobody decided in time')
            : new DevnetError(deadlineCode, 'Nobody decided in time'),
      }),
      planned: verdict === undefined ? undefined : { delay, verdict },
    })
  }

  /** The request as people see it, in the queue and in the history. */
  #request(): PendingRequest {
    return {
      id: this.id,
      session: this.session.name,
      method: this.#method,
      params: this.#params,
      origin: this.origin,
      received: this.#received,
      deadline: this.#deadline,
      summary: this.#summary,
    }
  }

  #record(
    withoutVerdict: WalletDecision,
    answer: { result: unknown } | { error: { code: number; message: string } },
  ): void {
    const { wallet } = this.session
    const { decision, by } = this.#verdict ?? { decision: withoutVerdict, by: 'policy' }
    this.#history.add(
      {
        ...this.#request(),
        decision,
        decidedBy: by,
        decided: wallet.clock.now(),
        answer,
      },
      // An answer may come from the RPC of a chain that a page has added.
      this.size + (JSON.stringify(answer)?.length ?? 0),
    )
  }
}

/** Whether a value of JSON has more levels of lists and objects. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}

/** What a rule decides. */
function verdictOf({ decision, error, account }: PolicyRule): Verdict {
  if (decision === 'approve') return { decision: 'approved', by: 'policy', account }
  return { decision: 'rejected', by: 'policy', error: rejection(error) }
}

/** The error of a rejection: 4001, or what somebody scripted. */
export function rejection(
  error: { code?: number | undefined; message?: string | undefined; data?: unknown } = {},
): DevnetError {
  const plain = new UserRejectedError()
  if (error.code === undefined && error.message === undefined && error.data === undefined) {
    return plain
  }
  const { code = plain.code, message = plain.message, data } = error
  return new DevnetError(code, message, { data })
}

function alreadyAsking(method: string): DevnetError {
  return new DevnetError(
    WalletErrorCode.unavailable,
    `Request of type '${method}' already pending for this origin. Please wait.`,
  )
}

/** A defect, whose details are for the terminal. */
function internalErrorBody(error: unknown): { code: number; message: string; data?: unknown } {
  const message = error instanceof Error ? error.message : String(error)
  return { code: ErrorCode.internal, message: `internal error: ${message}` }
}
