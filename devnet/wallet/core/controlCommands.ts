import * as z from 'zod'
import {
  DevnetError,
  ErrorCode,
  InvalidParamsError,
  RefusedError,
} from '../../primitives/errors.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import { SESSION_NAME } from '../connectWallet.ts'
import type { PendingRequest, WaitForFilter } from '../types.ts'
import { listAccounts } from './accountList.ts'
import { rejection } from './requestContext.ts'
import { matches } from './requestHistory.ts'
import type { Decider } from './requestQueue.ts'
import type { Session } from './session.ts'
import type { Wallet } from './wallet.ts'
import { ACCOUNT, must, readParams } from './walletParams.ts'

const SESSION = z
  .string(must('a string'))
  .regex(new RegExp(`^${SESSION_NAME.source}$`), must('1 to 64 letters, digits, _ or -'))
  .default('default')
const ID = z.string(must('the id of a request'))
const ORIGIN = z.string(must('an origin, or null')).nullable().optional()
const METHOD = z.string(must('the name of a method')).optional()
const DECISION = z.enum(['approve', 'reject', 'hold'], must('approve, reject or hold'))
/** A time in ms, at most the longest delay that `setTimeout` supports. */
const MS = z.int(must('an integer')).min(0, must('at least 0')).max(MAX_TIMER_DELAY, must('less'))
/** `data` of an error: callers in this process can pass any value, but clients receive JSON. */
const DATA = z.json(must('a JSON value'))
const ERROR = z.object(
  {
    code: z.int(must('an integer')),
    message: z.string(must('a string')),
    data: DATA.optional(),
  },
  must('an object with code and message'),
)
const CHAIN_ID = z
  .string(must('a chain id'))
  .regex(/^0x[0-9a-f]{1,64}$/i, must('a chain id in hexadecimal'))
  // `BigInt` cannot throw: the pattern has matched.
  .transform((text) => `0x${BigInt(text).toString(16)}` as const)

const RULE = z.strictObject(
  {
    decision: DECISION,
    method: METHOD,
    chainId: CHAIN_ID.optional(),
    origin: ORIGIN,
    times: z.int(must('an integer')).min(1, must('at least 1')).optional(),
    delay: MS.optional(),
    error: ERROR.optional(),
    account: ACCOUNT.optional(),
  },
  must('a rule with a decision and no unknown field'),
)

export interface User {
  readonly by: Decider
  /** Aborts when the command is cancelled; the command then fails with the signal's `reason`. */
  readonly signal: AbortSignal
}

type Command = (wallet: Wallet, params: unknown, user: User) => unknown

/** Defines a command. A misspelt parameter is an error instead of being ignored. */
function command<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (session: Session, params: z.output<z.ZodObject<Shape>>, user: User) => unknown,
): Command {
  const fields = z.strictObject(shape, must('an object with the fields of the command'))
  return (wallet, params, user) => {
    const { session: name, ...rest } = readParams(WITH_SESSION, params)
    return run(wallet.session(name), readParams(fields, rest), user)
  }
}

/** Parameters of a command: one object, alone or in a list; may be omitted. */
const WITH_SESSION = z
  .unknown()
  .transform((params) => (Array.isArray(params) ? params[0] : params) ?? {})
  .pipe(z.looseObject({ session: SESSION }, must('an object')))

const COMMANDS: Readonly<Record<string, Command>> = {
  control_state: command({}, (session) => session.state()),
  control_pending: command({}, (session) => session.queue.list()),
  control_approve: command(
    { id: ID, account: ACCOUNT.optional() },
    async (session, { id, account }, { by }) => {
      await session.queue.decide(id, { decision: 'approved', by, account })
      return null
    },
  ),
  control_reject: command(
    {
      id: ID,
      code: z.int(must('an integer')).optional(),
      message: z.string(must('a string')).optional(),
      data: DATA.optional(),
    },
    async (session, { id, ...error }, { by }) => {
      await session.queue.decide(id, { decision: 'rejected', by, error: rejection(error) })
      return null
    },
  ),
  control_policy: command(
    {
      clear: z.boolean(must('true or false')).optional(),
      default: DECISION.optional(),
      add: z.union([RULE, z.array(RULE)], must('a rule, or a list of rules')).optional(),
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
      decision: z
        .enum(
          ['approved', 'rejected', 'expired', 'withdrawn', 'automatic', 'invalid'],
          must('a decision'),
        )
        .optional(),
      after: ID.optional(),
      limit: z.int(must('an integer')).min(1, must('at least 1')).optional(),
    },
    (session, filter) => session.history.list(filter),
  ),
  control_waitFor: command(
    {
      method: METHOD,
      origin: ORIGIN,
      after: ID.optional(),
      state: z.enum(['pending', 'decided'], must('pending or decided')).default('pending'),
      timeout: MS.optional(),
    },
    (session, { state, ...filter }, { signal }) => waitFor(session, filter, state, signal),
  ),
  control_switchAccount: command({ account: ACCOUNT }, (session, { account }) => {
    session.select(account)
    return null
  }),
  control_accounts: command({}, (session, _params, { signal }) => listAccounts(session, signal)),
  control_switchChain: command({ chainId: CHAIN_ID }, (session, { chainId }, { by }) => {
    if (session.chains.find(chainId) === undefined) {
      const known = session.chains.list().map((chain) => chain.chainId)
      throw new InvalidParamsError(
        `the wallet does not know chain ${chainId}: want one of ${known.slice(0, 20).join(', ')}`,
      )
    }
    session.activate(chainId, by)
    return null
  }),
  control_disconnect: command({ origin: ORIGIN }, (session, { origin }) => {
    const connected = session.permissions.connections().map((one) => one.origin)
    for (const each of origin === undefined ? connected : [origin]) session.disconnect(each)
    return null
  }),
  control_reset: command({}, (session) => {
    session.reset()
    return null
  }),
}

/** Default timeout of `control_waitFor` in ms. */
const TIMEOUT = 5000

/**
 * Resolves with the oldest waiting request, or the newest answered one if `state` is `decided`. If
 * there is none, waits for the next one.
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
      : session.history.list(filter).at(-1)
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
  return run(wallet, params, user)
}
