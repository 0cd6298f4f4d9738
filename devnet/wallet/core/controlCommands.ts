import * as z from 'zod'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import { rejection } from './requestContext.ts'
import { waitFor } from './requestHistory.ts'
import type { Decider } from './requestQueue.ts'
import type { Session } from './session.ts'
import type { Wallet } from './wallet.ts'
import { account, must, readParams } from './walletParams.ts'

/** A name of a session, as it stands in a path. */
export const SESSION_NAME = /^[A-Za-z0-9_-]{1,64}$/

const SESSION = z
  .string(must('a text'))
  .regex(SESSION_NAME, must('1 to 64 letters, digits, _ or -'))
  .default('default')
const ID = z.string(must('the id of a request'))
const ORIGIN = z.string(must('an origin, or null')).nullable().optional()
const METHOD = z.string(must('the name of a method')).optional()
const DECISION = z.enum(['approve', 'reject', 'hold'], must('approve, reject or hold'))
/** Of setTimeout: it takes no longer delay. */
const MS = z.int(must('an integer')).min(0, must('at least 0')).max(MAX_TIMER_DELAY, must('less'))
/** In process anything can come, of which the client is told. */
const DATA = z.json(must('a value of JSON'))
const ERROR = z.object(
  {
    code: z.int(must('an integer')),
    message: z.string(must('a text')),
    data: DATA.optional(),
  },
  must('an object with code and message'),
)
const CHAIN_ID = z
  .string(must('a chain id'))
  .regex(/^0x[0-9a-f]{1,64}$/i, must('a chain id in hexadecimal'))
  // The pattern holds the form.
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
    account: account().optional(),
  },
  must('a rule with a decision and no unknown field'),
)

/** Who gives a command. */
export interface Person {
  readonly by: Decider
  /** Aborts when the command is given up; `reason` is the error then. */
  readonly signal: AbortSignal
}

/** Reads the parameters of a command, and does it. */
interface Command {
  run(wallet: Wallet, params: unknown, person: Person): unknown
}

/** The object is strict, so that a name that is misspelt is no wish that was granted. */
function command<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (session: Session, params: z.output<z.ZodObject<Shape>>, person: Person) => unknown,
): Command {
  const fields = z.strictObject(shape, must('an object with the fields of the command'))
  return {
    run(wallet, params, person) {
      const { session: name, ...rest } = readParams(WITH_SESSION, params)
      return run(wallet.session(name), readParams(fields, rest), person)
    },
  }
}

/** One object, in a list or not, or nothing. */
const WITH_SESSION = z
  .unknown()
  .transform((params) => (Array.isArray(params) ? params[0] : params) ?? {})
  .pipe(z.looseObject({ session: SESSION }, must('an object')))

const COMMANDS: Readonly<Record<string, Command>> = {
  control_state: command({}, (session) => session.state()),
  control_pending: command({}, (session) => session.queue.list()),
  control_approve: command({ id: ID, account: account().optional() }, approve),
  control_reject: command(
    {
      id: ID,
      code: z.int(must('an integer')).optional(),
      message: z.string(must('a text')).optional(),
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
  control_switchAccount: command({ account: account() }, (session, { account }) => {
    session.select(account)
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

async function approve(
  session: Session,
  { id, account }: { id: string; account?: `0x${string}` | undefined },
  { by }: Person,
): Promise<null> {
  await session.queue.decide(id, { decision: 'approved', by, account })
  return null
}

/** Does what the person at the wallet wants. @throws {DevnetError} */
export async function control(
  wallet: Wallet,
  method: string,
  params: unknown,
  person: Person,
): Promise<unknown> {
  // An object also answers for `constructor` and its like.
  const found = Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined
  if (found === undefined) {
    throw new DevnetError(
      ErrorCode.methodNotFound,
      `${method.slice(0, 100)} is no command: there are ${Object.keys(COMMANDS).join(', ')}`,
    )
  }
  return found.run(wallet, params, person)
}
