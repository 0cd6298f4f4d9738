import {
  DevnetError,
  ErrorCode,
  InvalidParamsError,
  RefusedError,
} from '../../primitives/errors.ts'
import { quantity, quantityFrom } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import {
  at,
  choice,
  either,
  flag,
  integer,
  listOf,
  mapped,
  type Output,
  objectOf,
  optional,
  orElse,
  type Reader,
  refuse,
  type Shape,
  text,
} from '../../primitives/reader.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import { SESSION_NAME } from '../connectWallet.ts'
import type { AtomicRule, AtomicStatus, PendingRequest, WaitForFilter } from '../types.ts'
import { listAccounts } from './accountList.ts'
import { rejection } from './requestContext.ts'
import { matches } from './requestHistory.ts'
import type { Decider } from './requestQueue.ts'
import type { Session } from './session.ts'
import type { Wallet } from './wallet.ts'
import { ACCOUNT, readParams } from './walletParams.ts'

const SESSION = mapped(text(), (name, context) =>
  SESSION_NAME.test(name) ? name : refuse(context, name, '1 to 64 letters, digits, _ or -'),
)
const ID = text('the id of a request')
const ORIGIN = optional<string | null>((value, context) =>
  value === null ? null : text('an origin, or null')(value, context),
)
const METHOD = optional(text('the name of a method'))
const DECISION = choice(['approve', 'reject', 'hold'], 'approve, reject or hold')
/** A time in ms, at most the longest delay that `setTimeout` supports. */
const MS = integer({ min: 0, max: MAX_TIMER_DELAY, most: 'less' })
/** `data` of an error: callers in this process can pass any value, but clients receive JSON. */
const DATA = optional((value, context) =>
  isJson(value) ? value : refuse(context, value, 'a JSON value'),
)
const ERROR = objectOf({
  fields: { code: integer(), message: text(), data: DATA },
  what: 'an object with code and message',
})
const CHAIN_ID = mapped(text('a chain id'), (value, context) => {
  const id = quantityFrom(value)
  return id === undefined ? refuse(context, value, 'a chain id in hexadecimal') : quantity(id)
})

const RULE = objectOf({
  fields: {
    decision: DECISION,
    method: METHOD,
    chainId: optional(CHAIN_ID),
    origin: ORIGIN,
    times: optional(integer({ min: 1 })),
    delay: optional(MS),
    error: optional(ERROR),
    account: optional(ACCOUNT),
  },
  what: 'a rule with a decision and no unknown field',
  isStrict: true,
})

type Rule = Output<typeof RULE>

const STATUS = choice(['unsupported', 'ready', 'supported'], 'unsupported, ready or supported')
const ATOMIC = objectOf({
  fields: { status: STATUS, chainId: optional(CHAIN_ID), origin: ORIGIN },
  what: 'a rule with a status and no unknown field',
  isStrict: true,
})

const RULES = either<Rule | Rule[]>(
  'a rule, or a list of rules',
  RULE,
  listOf(RULE, 'a list of rules'),
)

function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return value === null || /^(?:string|boolean)$/.test(typeof value) || Number.isFinite(value)
  }
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value)
  return isPlain && Object.values(value).every(isJson)
}

export interface User {
  readonly by: Decider
  /** Aborts when the command is cancelled; the command then fails with the signal's `reason`. */
  readonly signal: AbortSignal
}

type Command = (wallet: Wallet, params: unknown, user: User) => unknown

/** Defines a command. A misspelt parameter is an error instead of being ignored. */
function command<Fields extends Shape>(
  fields: Fields,
  run: (
    session: Session,
    params: { readonly [Name in keyof Fields]: Output<Fields[Name]> },
    user: User,
  ) => unknown,
): Command {
  const what = 'an object with the fields of the command'
  const read = objectOf({ fields, what, isStrict: true })
  return (wallet, params, user) => {
    const { session, rest } = readParams(WITH_SESSION, params)
    return run(wallet.session(session), readParams(read, rest), user)
  }
}

/** Parameters of a command: one object, alone or in a list; may be omitted. */
const WITH_SESSION: Reader<{ readonly session: string; readonly rest: object }> = (
  params,
  context,
) => {
  const given: unknown = (Array.isArray(params) ? params[0] : params) ?? {}
  if (!isObject(given)) return refuse(context, params, 'an object')
  const { session = 'default', ...rest } = given
  return { session: at(context, 'session', SESSION, session), rest }
}

const COMMANDS: Readonly<Record<string, Command>> = {
  control_state: command({}, (session) => session.state()),
  control_pending: command({}, (session) => session.queue.list()),
  control_approve: command(
    { id: ID, account: optional(ACCOUNT) },
    (session, { id, account }, { by }) =>
      session.queue.decide(id, { decision: 'approved', by, account }),
  ),
  control_reject: command(
    { id: ID, code: optional(integer()), message: optional(text()), data: DATA },
    (session, { id, ...error }, { by }) =>
      session.queue.decide(id, { decision: 'rejected', by, error: rejection(error) }),
  ),
  control_policy: command(
    {
      clear: optional(flag()),
      default: optional(DECISION),
      add: optional(RULES),
      atomic: optional(either<AtomicStatus | AtomicRule>('a status or a rule', STATUS, ATOMIC)),
    },
    (session, change) => {
      const policy = session.policy.change(change)
      session.changed()
      return policy
    },
  ),
  control_history: command(
    {
      method: METHOD,
      origin: ORIGIN,
      decision: optional(
        choice(
          ['approved', 'rejected', 'expired', 'withdrawn', 'automatic', 'invalid'],
          'a decision',
        ),
      ),
      after: optional(ID),
      limit: optional(integer({ min: 1 })),
    },
    (session, filter) => session.entries(filter),
  ),
  control_waitFor: command(
    {
      method: METHOD,
      origin: ORIGIN,
      after: optional(ID),
      state: orElse(choice(['pending', 'decided'], 'pending or decided'), 'pending'),
      timeout: optional(MS),
    },
    (session, { state, ...filter }, { signal }) => waitFor(session, filter, state, signal),
  ),
  control_switchAccount: command({ account: ACCOUNT }, (session, { account }) =>
    session.select(account),
  ),
  control_accounts: command({}, (session, _params, { signal }) => listAccounts(session, signal)),
  control_switchChain: command({ chainId: CHAIN_ID }, (session, { chainId }, { by }) => {
    if (session.chains.find(chainId) === undefined) {
      const known = session.chains.list().map((chain) => chain.chainId)
      throw new InvalidParamsError(
        `the wallet does not know chain ${chainId}: want one of ${known.slice(0, 20).join(', ')}`,
      )
    }
    session.activate(chainId, by)
  }),
  control_disconnect: command({ origin: ORIGIN }, (session, { origin }) => {
    const connected = session.permissions.connections().map((one) => one.origin)
    for (const each of origin === undefined ? connected : [origin]) session.disconnect(each)
  }),
  control_reset: command({}, (session) => session.reset()),
}

/** Default timeout of `control_waitFor` in ms. */
const TIMEOUT = 5000

/**
 * Resolves with the oldest waiting request, or the newest answered one if `state` is `decided`. If
 * there is none, waits for the next one. Exported for its test.
 *
 * @param signal - cancels the wait; the promise then rejects with the signal's `reason`
 * @throws {RefusedError} if no matching request comes within the filter's `timeout`
 */
export function waitFor(
  session: Session,
  filter: WaitForFilter,
  state: 'pending' | 'decided',
  signal: AbortSignal,
): Promise<PendingRequest> {
  const find = (): PendingRequest | undefined =>
    state === 'pending'
      ? session.queue.list().find((request) => matches(request, filter))
      : session.entries(filter).at(-1)
  if (signal.aborted) return Promise.reject(signal.reason)
  const found = find()
  if (found !== undefined) return Promise.resolve(found)

  const { timeout = TIMEOUT, method = 'any method' } = filter
  const { promise, resolve, reject } = Promise.withResolvers<PendingRequest>()
  const stop = session.onChange(() => {
    const next = find()
    if (next !== undefined) resolve(next)
  })
  const cancel = session.wallet.clock.after(timeout, () => {
    const what = state === 'pending' ? 'is waiting' : 'was answered'
    reject(new RefusedError(`no request of ${method} ${what} after ${timeout} ms`))
  })
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    stop()
    cancel()
    signal.removeEventListener('abort', onAbort)
  })
}

/** Runs a control command, e.g. `control_approve`. @throws {DevnetError} */
export async function control(
  wallet: Wallet,
  method: string,
  params: unknown,
  user: User,
): Promise<unknown> {
  // `COMMANDS[method]` alone would also find inherited members such as `constructor`.
  const run = Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined
  if (run === undefined) {
    throw new DevnetError(
      ErrorCode.methodNotFound,
      `unknown command ${method.slice(0, 100)}: want one of ${Object.keys(COMMANDS).join(', ')}`,
    )
  }
  return (await run(wallet, params, user)) ?? null
}
