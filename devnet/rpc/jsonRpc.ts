import { Scheduler } from '../engine/scheduler.ts'
import {
  DevnetError,
  type ErrorBody,
  ErrorCode,
  LimitError,
  presentable,
  reasonOf,
} from '../primitives/errors.ts'
import { integerOr, isObject, parseForeign } from '../primitives/json.ts'
import { holdsTooMuch, MOST_VALUES } from '../primitives/jsonSize.ts'
import { JsonText, PIECE } from '../primitives/jsonText.ts'
import { type Paced, runPaced } from '../primitives/paced.ts'
import type { Caller } from './method.ts'
import { keepWideIds, withWideIntegers } from './wideNumbers.ts'

/** Answers JSON-RPC 2.0 text. */
export interface TextHandler {
  /**
   * Answers the text of one request or one batch; `undefined` for notifications. Never throws or
   * rejects. Returns a promise only if a method in the text returned one, or a batch takes long.
   */
  handleText(body: string, caller: Caller): Answer | Promise<Answer>
}

/** An answer as JSON text; `undefined` if there is nothing to answer. */
export type Answer = string | JsonText | undefined

/**
 * Called with each message before it is validated, or with `undefined` for text that is not JSON or
 * a batch that is refused. May return a function, which is called once the message is answered,
 * with the error if there is one. Neither function may throw.
 */
export type RequestWatch = (message: unknown) => ((error?: ErrorBody) => void) | undefined

/**
 * Called with internal errors, i.e. all except {@link DevnetError}. `source` is the name of the
 * method, or another place where the error occurred, e.g. `batch`.
 */
export type InternalErrorListener = (error: unknown, source: string) => void

export interface TextHandlerOptions {
  /** Calls a method; returns its JSON value, or a promise of one. @throws {DevnetError} */
  invoke(method: string, params: unknown, caller: Caller): unknown
  /** Maximum number of requests in one batch. Default: 100. */
  readonly maxBatch?: number | undefined
  readonly onInternalError: InternalErrorListener
  readonly watch?: RequestWatch | undefined
  /** True if decimal text is read as a number; wide integers are then passed on so. */
  readonly takesDecimals?: boolean
  /** The promise, if any, that a batch with this method waits for before it starts. */
  pending?(method: string): Promise<unknown> | undefined
  /**
   * True if later requests of a batch wait until this one is answered. Default: false.
   *
   * @param isWaiting - whether this request itself waits for an earlier one
   */
  isOrdered?(method: string, isWaiting: boolean): boolean
}

/** ms for which the requests of a batch run without a pause. */
const SLICE = 5

/** Values of each request for which a batch has room. */
const VALUES_IN_BATCH = 30

type Answers = readonly (Answer | Promise<Answer>)[]

/** Creates a JSON-RPC 2.0 handler for any set of methods. */
export function createTextHandler(options: TextHandlerOptions): TextHandler {
  const { maxBatch = 100, onInternalError, watch } = options
  const mostInBatch = Math.max(MOST_VALUES, VALUES_IN_BATCH * maxBatch)

  function answer(message: unknown, caller: Caller): Answer | Promise<Answer> {
    const ended = watch?.(message)
    let id: string | undefined = NO_ID
    let method = ''
    try {
      if (!isObject(message)) throw invalidRequest('want an object')
      id = readId(message)
      if (message.jsonrpc !== '2.0' || typeof message.method !== 'string') {
        // An invalid request without an id does not count as a notification, so it is answered.
        id ??= NO_ID
        throw invalidRequest('want jsonrpc "2.0" and a method')
      }
      method = message.method
      const result = options.invoke(method, message.params, caller)
      if (result instanceof Promise) return answerLater(result, { id, method, caller, ended })
      return succeed(result, id, ended)
    } catch (error) {
      return fail(error, { id, method, caller, ended })
    }
  }

  async function answerLater(result: Promise<unknown>, request: Request): Promise<Answer> {
    try {
      return succeed(await result, request.id, request.ended)
    } catch (error) {
      return fail(error, request)
    }
  }

  /** @throws {TypeError} if the result holds a bigint */
  function succeed(result: unknown, id: string | undefined, ended: Request['ended']): Answer {
    const text = id === undefined ? undefined : resultText(id, result)
    ended?.()
    return text
  }

  function fail(error: unknown, { id, method, caller, ended }: Request): Answer {
    const body = describeFailure(error, method, caller, onInternalError)
    ended?.(body)
    if (id === undefined) return undefined
    try {
      return errorText(id, body)
    } catch (unwritable) {
      onInternalError(unwritable, method)
      return errorText(id, internalError(unwritable))
    }
  }

  function answerBatch(messages: readonly unknown[], caller: Caller): Answer | Promise<Answer> {
    if (messages.length === 0)
      return refuse(new DevnetError(ErrorCode.invalidRequest, 'empty batch'))
    if (messages.length > maxBatch) {
      const problem = `batch has ${messages.length} requests, at most ${maxBatch} are allowed`
      return refuse(new LimitError(problem))
    }
    const pending = messages.flatMap((message) => {
      const method = methodOf(message)
      return (method === undefined ? undefined : options.pending?.(method)) ?? []
    })
    if (pending.length === 0) return runBatch(messages, caller)
    return Promise.allSettled(pending).then(() => runBatch(messages, caller))
  }

  /** Answers the requests in order; pauses if they take long. */
  function runBatch(messages: readonly unknown[], caller: Caller): Answer | Promise<Answer> {
    const work = startAll(messages, caller)
    const end = performance.now() + SLICE
    let step = work.next()
    while (step.done !== true && performance.now() < end) step = work.next()
    return step.done === true ? join(step.value) : runPaced(work, new Scheduler()).then(join)
  }

  /** Starts the requests in order; their answers keep that order. */
  function* startAll(messages: readonly unknown[], caller: Caller): Paced<Answers> {
    const { signal } = caller
    let command: Promise<unknown> | undefined
    const answers: (Answer | Promise<Answer>)[] = []
    for (const message of messages) {
      if (answers.length > 0) yield
      // Nobody reads the answers of a client that has gone.
      const start = () => (signal.aborted ? undefined : answer(message, caller))
      const result = command === undefined ? start() : command.then(start)
      if (result instanceof Promise) {
        const method = methodOf(message)
        if (method !== undefined && options.isOrdered?.(method, command !== undefined))
          command = result
      }
      answers.push(result)
    }
    return answers
  }

  function join(answers: Answers): Answer | Promise<Answer> {
    return answers.some((each) => each instanceof Promise)
      ? Promise.all(answers).then(joinBatch)
      : joinBatch(answers as readonly Answer[]) // None is a promise.
  }

  function joinBatch(answers: readonly Answer[]): Answer {
    const texts = answers.filter((text) => text !== undefined)
    if (texts.length === 0) return undefined
    const pieces = texts.flatMap((text, index) => [index === 0 ? '[' : ',', ...piecesOf(text)])
    const joined = new JsonText([...pieces, ']'])
    return joined.length > PIECE ? joined : joined.text
  }

  /** Answers text that is refused as a whole. */
  function refuse(error: ErrorBody): string {
    watch?.(undefined)?.(error)
    return errorText(NO_ID, error)
  }

  return {
    handleText(body, caller) {
      let message: unknown
      try {
        if (holdsTooMuch(body, mostInBatch)) {
          const limits = `a request may have ${MOST_VALUES}, and a batch ${mostInBatch}`
          return refuse(new LimitError(`too many values in lists and objects: ${limits}`))
        }
        message = parseForeign(body)
        if (options.takesDecimals === true) message = withWideIntegers(message, body)
      } catch (error) {
        const message = `parse error: ${presentable(reasonOf(error))}`
        return refuse({ code: ErrorCode.parse, message })
      }
      keepWideIds(message, body)
      return Array.isArray(message) ? answerBatch(message, caller) : answer(message, caller)
    },
  }
}

/** A request that is asynchronous or has failed; others do not need this object. */
interface Request {
  /** JSON text; `undefined` for a notification. */
  readonly id: string | undefined
  readonly method: string
  readonly caller: Caller
  readonly ended: ReturnType<RequestWatch>
}

/** The message is not a valid request object (JSON-RPC 2.0 §4). */
export function invalidRequest(problem: string, cause?: unknown): DevnetError {
  return new DevnetError(ErrorCode.invalidRequest, `invalid request: ${problem}`, { cause })
}

/** The id, as JSON text, in the answer to a message whose id cannot be read. */
export const NO_ID = 'null'

/**
 * The id of a request as JSON text; `undefined` for a notification.
 *
 * @throws {DevnetError} for an id that is neither a string, a finite number nor null
 */
function readId({ id }: { readonly id?: unknown }): string | undefined {
  if (typeof id === 'number' && Number.isFinite(id)) return String(id)
  if (typeof id === 'string') return JSON.stringify(id)
  if (id instanceof JsonText) return id.text
  if (id === undefined) return undefined
  if (id === null) return NO_ID
  throw invalidRequest('id must be a string, a number or null')
}

/**
 * The JSON text of a successful answer; an `undefined` result becomes null. Exported for its test.
 *
 * @throws {TypeError} if the result holds a bigint
 */
export function resultText(id: string, result: unknown): string | JsonText {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`
  if (!(result instanceof JsonText)) return `${head}${JSON.stringify(result) ?? 'null'}}`
  return new JsonText([head, ...result.pieces, '}'])
}

function piecesOf(text: string | JsonText): JsonText['pieces'] {
  return typeof text === 'string' ? [text] : text.pieces
}

export function errorText(id: string, { code, message, data }: ErrorBody): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** The error body for a client. Reports the error if it is an internal one. */
export function describeFailure(
  error: unknown,
  method: string,
  caller: Caller,
  onInternalError: InternalErrorListener,
): ErrorBody {
  if (error instanceof DevnetError) return error
  // Node's timers and streams throw an AbortError of their own, not the signal's reason.
  if (error instanceof Error && error.name === 'AbortError' && caller.signal.aborted) {
    return { code: ErrorCode.server, message: 'the request was given up' }
  }
  onInternalError(error, method)
  return internalError(error)
}

export function internalError(error: unknown): ErrorBody {
  const message = presentable(`internal error: ${reasonOf(error)}`)
  return { code: ErrorCode.internal, message }
}

function methodOf(message: unknown): string | undefined {
  return isObject(message) && typeof message.method === 'string' ? message.method : undefined
}

/**
 * Reads the error object in the answer of another server.
 *
 * @param fallback - the message to use if the error object has none
 */
export function readError(error: unknown, fallback: string): DevnetError {
  const { code, message, data } = isObject(error) ? error : {}
  return new DevnetError(
    integerOr(code, ErrorCode.internal),
    typeof message === 'string' ? presentable(message) : fallback,
    { data },
  )
}
