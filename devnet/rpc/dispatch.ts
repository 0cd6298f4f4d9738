import { TooManyArgumentsError } from '../json/params.ts'
import { DevnetError, ErrorCode, InvalidParamsError, LimitError } from '../primitives/errors.ts'
import { isObject } from '../primitives/json.ts'
import type { RequestArguments } from '../types.ts'
import type { RequestWatch, RpcContext } from './context.ts'
import {
  describeFailure,
  type ErrorBody,
  errorText,
  type InternalErrorListener,
  InvalidRequestError,
  internalError,
  NO_ID,
  ProviderError,
  printInternalError,
  readId,
  resultText,
} from './jsonRpc.ts'
import { type Caller, createMethodRegistry, type MethodTable, type RpcMethod } from './method.ts'

/** Options of {@link createDispatch}. */
export interface DispatchOptions {
  readonly context: RpcContext
  readonly methods: MethodTable
  /** Requests in one batch. */
  readonly maxBatch: number
  /** Is told of every defect, once; the client gets code -32603. Default: prints it to stderr. */
  readonly onInternalError?: InternalErrorListener | undefined
  /** Is told of each request that comes as text, so of those over HTTP and WebSocket. Default: nobody watches. */
  readonly watch?: RequestWatch | undefined
  /** Where the wallet is, for those who ask the node for its methods; `undefined` where there is none. Default: none. */
  readonly walletUrl?: (() => string | undefined) | undefined
}

/** Hears how a request that is watched ended. */
type Ended = ReturnType<RequestWatch>

/** An answer as JSON text; `undefined` where there is nothing to answer. */
type Answer = string | undefined

/** Answers JSON-RPC 2.0 requests; every edge calls the same one. */
export interface Dispatch {
  /**
   * Answers the text of one request or one batch; never throws or rejects. The answer is there at once when every
   * method asked for gives it at once.
   */
  handleText(body: string, caller: Caller): Answer | Promise<Answer>
  /** Answers one request in process with a fresh JSON value. @throws {ProviderError} */
  request(args: RequestArguments, caller: Caller): Promise<unknown>
}

/** A web page called a method that commands the node: code -32000. */
export class ControlMethodError extends DevnetError {
  override name = 'ControlMethodError'
  constructor(method: string) {
    super(
      ErrorCode.server,
      `${method} is a control method; web pages may not call it, so call it from a script or a terminal`,
    )
  }
}

/** Makes the one door from JSON-RPC to the methods. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const { context, maxBatch, onInternalError = printInternalError, watch } = options
  const registry = createMethodRegistry(options.methods, options.walletUrl)

  function call(name: string, method: RpcMethod<never>, args: unknown, caller: Caller): unknown {
    if (method.browser === false && caller.origin !== undefined) throw new ControlMethodError(name)
    const list: unknown = args ?? []
    if (!Array.isArray(list)) throw new InvalidParamsError('non-array args')
    const values = method.params?.read(list)
    if (values === undefined && list.length > 0) throw new TooManyArgumentsError(0)
    // The method's own schema has read them; the table holds methods with parameters of every kind.
    return method.handle(context, (values ?? []) as never, caller)
  }

  /** What later requests wait for while a method loads: they start in the order in which they came. */
  let queue: Promise<unknown> | undefined

  function invoke(name: string, args: unknown, caller: Caller): unknown {
    const method = registry.find(name)
    if (queue === undefined && !(method instanceof Promise)) return call(name, method, args, caller)
    const ready = Promise.all([method, queue])
    const result = ready.then(([loaded]) => call(name, loaded, args, caller))
    // A load that fails is the business of whoever asked for it.
    const turn = ready.then(
      () => undefined,
      () => undefined,
    )
    queue = turn
    turn.then(() => {
      if (queue === turn) queue = undefined
    })
    return result
  }

  function failed(
    id: string | undefined,
    name: string,
    error: unknown,
    caller: Caller,
    ended: Ended,
  ): Answer {
    const body = describeFailure(error, name, caller, onInternalError)
    ended?.(body)
    if (id === undefined) return undefined
    try {
      return errorText(id, body)
    } catch (defect) {
      onInternalError(defect, name)
      return errorText(id, internalError(defect))
    }
  }

  /** @throws {TypeError} when the result holds a bigint */
  function succeeded(id: string | undefined, result: unknown, ended: Ended): Answer {
    const text = id === undefined ? undefined : resultText(id, result)
    ended?.()
    return text
  }

  async function answerLater(
    id: string | undefined,
    name: string,
    promise: Promise<unknown>,
    caller: Caller,
    ended: Ended,
  ): Promise<Answer> {
    try {
      const result = await promise
      return succeeded(id, result, ended)
    } catch (error) {
      return failed(id, name, error, caller, ended)
    }
  }

  function answer(message: unknown, caller: Caller): Answer | Promise<Answer> {
    let id: string | undefined = NO_ID
    let name = ''
    const ended = watch?.(message)
    try {
      if (!isObject(message)) throw new InvalidRequestError('invalid request: want an object')
      id = readId(message)
      if (message.jsonrpc !== '2.0' || typeof message.method !== 'string') {
        // What is no request is no notification either, so it is answered.
        id ??= NO_ID
        throw new InvalidRequestError('invalid request: want jsonrpc "2.0" and a method')
      }
      name = message.method
      const result = invoke(name, message.params, caller)
      if (result instanceof Promise) return answerLater(id, name, result, caller, ended)
      return succeeded(id, result, ended)
    } catch (error) {
      return failed(id, name, error, caller, ended)
    }
  }

  /**
   * Starts the requests in their order, lets them run side by side, and answers in their order. Commands are done before
   * what follows them begins.
   */
  function answerBatch(messages: readonly unknown[], caller: Caller): Answer | Promise<Answer> {
    let command: Promise<unknown> | undefined
    const answers = messages.map((message) => {
      const start = () => answer(message, caller)
      const result = command === undefined ? start() : command.then(start)
      if (result instanceof Promise && isOrdered(message, command !== undefined)) command = result
      return result
    })
    return answers.some((each) => each instanceof Promise)
      ? Promise.all(answers).then(joinBatch)
      : joinBatch(answers as readonly Answer[]) // None is a promise.
  }

  /** @param commanded - a command before it may yet change what it says of itself */
  function isOrdered(message: unknown, commanded: boolean): boolean {
    if (!isObject(message) || typeof message.method !== 'string') return false
    const method = registry.loaded(message.method)
    if (method?.ordered === undefined) return method?.browser === false
    return commanded || method.ordered(context)
  }

  function joinBatch(answers: readonly Answer[]): Answer {
    const texts = answers.filter((text) => text !== undefined)
    if (texts.length === 0) return undefined
    try {
      return `[${texts.join(',')}]`
    } catch (error) {
      onInternalError(error, 'batch')
      return errorText(NO_ID, internalError(error))
    }
  }

  /** The answer to what is refused as a whole. */
  function refused(error: ErrorBody): string {
    watch?.(undefined)?.(error)
    return errorText(NO_ID, error)
  }

  function handleBatch(messages: readonly unknown[], caller: Caller): Answer | Promise<Answer> {
    if (messages.length === 0) return refused(new InvalidRequestError('empty batch'))
    if (messages.length > maxBatch) {
      const problem = `batch has ${messages.length} requests, at most ${maxBatch} are allowed`
      return refused(new LimitError(problem))
    }
    // A method whose file is still loading would otherwise start after a later request of the batch.
    const loads = messages.flatMap((message) =>
      isObject(message) && typeof message.method === 'string'
        ? (registry.pending(message.method) ?? [])
        : [],
    )
    if (loads.length === 0) return answerBatch(messages, caller)
    return Promise.allSettled(loads).then(() => answerBatch(messages, caller))
  }

  return {
    handleText(body, caller) {
      let message: unknown
      try {
        message = JSON.parse(body)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return refused({ code: ErrorCode.parse, message: `parse error: ${reason}` })
      }
      return Array.isArray(message) ? handleBatch(message, caller) : answer(message, caller)
    },
    async request(args, caller) {
      let name = ''
      try {
        const { method, params }: { method?: unknown; params?: unknown } = args ?? {}
        if (typeof method !== 'string')
          throw new InvalidRequestError('invalid request: want a method')
        name = method
        return detach(await invoke(name, params, caller))
      } catch (error) {
        const body = describeFailure(error, name, caller, onInternalError)
        throw new ProviderError(body, { cause: error })
      }
    },
  }
}

/**
 * A result as a client over HTTP would have it: nothing in it belongs to the node, so changing it changes nothing.
 *
 * @throws {TypeError} when the result holds a bigint
 */
function detach(result: unknown): unknown {
  if (typeof result === 'string' || typeof result === 'boolean') return result
  return JSON.parse(JSON.stringify(result) ?? 'null')
}
