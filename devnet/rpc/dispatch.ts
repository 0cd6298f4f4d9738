import { Scheduler } from '../engine/scheduler.ts'
import { SendFailedError } from '../execution/callErrors.ts'
import {
  DevnetError,
  InvalidParamsError,
  RefusedError,
  reasonOf,
  tooManyArguments,
} from '../primitives/errors.ts'
import { parseJson } from '../primitives/json.ts'
import { JsonText } from '../primitives/jsonText.ts'
import { runPaced } from '../primitives/paced.ts'
import { ProviderError } from '../primitives/providerError.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { RequestArguments } from '../types.ts'
import type { RpcContext } from './context.ts'
import {
  createTextHandler,
  describeFailure,
  type InternalErrorListener,
  invalidRequest,
  type RequestWatch,
  type TextHandler,
} from './jsonRpc.ts'
import {
  type Caller,
  createMethodRegistry,
  type MethodTable,
  type RpcMethod,
  readOptions,
  takesDecimals,
} from './method.ts'
import { handleAfterWrites } from './ownWrites.ts'
import { createShow } from './show.ts'
import { untilKnown } from './untilKnown.ts'

export interface DispatchOptions {
  readonly context: RpcContext
  readonly methods: MethodTable
  /** Maximum number of requests in one batch. */
  readonly maxBatch: number
  /** Called once per internal error; the client gets code -32603. Default: prints to stderr. */
  readonly onInternalError?: InternalErrorListener | undefined
  /** Watches the requests over HTTP and WebSocket. Default: none. */
  readonly watch?: RequestWatch | undefined
  /** Returns the URL of the mock wallet, for error messages. Default: there is no wallet. */
  readonly walletUrl?: (() => string | undefined) | undefined
}

/** The node's JSON-RPC server, over text or in process. */
export interface Dispatch extends TextHandler {
  /** Loads methods ahead of their first requests. @throws {Error} if one does not load */
  load(names: readonly string[]): Promise<void>
  /** Answers an in-process request with a copy of the result. @throws {ProviderError} */
  request(args: RequestArguments, caller: Caller): Promise<unknown>
}

/** Creates the node's JSON-RPC server. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const { context, maxBatch, onInternalError = reportInternalError, watch } = options
  const registry = createMethodRegistry(options.methods, options.walletUrl)
  const show = createShow(context)
  const latestIsTicks = context.options.latest === 'ticks'

  /** Set while a method loads: later requests wait for it, so that requests start in order. */
  let queue: Promise<unknown> | undefined

  function invoke(name: string, args: unknown, caller: Caller): unknown {
    const method = registry.find(name)
    if (queue === undefined && !(method instanceof Promise)) return call(name, method, args, caller)
    const ready = Promise.all([method, queue])
    const result = ready.then(([loaded]) => call(name, loaded, args, caller))
    // If a method fails to load, only its own request fails; those behind it go on.
    const next = ready.catch(() => undefined)
    queue = next
    next.then(() => {
      if (queue === next) queue = undefined
    })
    return result
  }

  function call(name: string, method: RpcMethod<never>, args: unknown, caller: Caller): unknown {
    if (method.browser === false && caller.origin !== undefined) {
      throw new RefusedError(
        `${name} is a control method; web pages may not call it, so call it from a script or a terminal`,
      )
    }
    const list: unknown = args ?? []
    if (!Array.isArray(list)) throw new InvalidParamsError('non-array args')
    const { chain, clocks } = context
    // Only a forked chain has a border.
    const isPlain = show === undefined && clocks.faults === undefined && chain.origin === undefined
    if (isPlain) return answer(method, list, caller, context)
    return detour(name, method, list, caller)
  }

  /** Answers a request by way of the faults, the upstream of a forked chain and the profile. */
  function detour(
    name: string,
    method: RpcMethod<never>,
    list: readonly unknown[],
    caller: Caller,
  ): unknown {
    const answerHere = (seen: RpcContext) => {
      const run = () => answer(method, list, caller, seen)
      return context.chain.origin === undefined ? run() : untilKnown(run, caller.signal)
    }
    const asProfile = () =>
      show === undefined ? answerHere(context) : show(name, answerHere, method.answers)
    const routed = () => {
      const { border } = context.fork
      if (border === undefined || method.remote === undefined) return asProfile()
      return border.answer({ name, list, method, caller }, asProfile)
    }
    const { faults } = context.clocks
    if (faults === undefined || caller.isSpared === true) return routed()
    return faults.answer(
      { method: name, params: list, caller, isSigned: method.takesSigned },
      routed,
    )
  }

  /** Answers a request from this node's own chain. */
  function answer(
    method: RpcMethod<never>,
    list: readonly unknown[],
    caller: Caller,
    context: RpcContext,
  ): unknown {
    const values = method.params?.read(list, readOptions(method, context.options))
    if (values === undefined && list.length > 0) throw tooManyArguments(0)
    // The cast is safe: the method's own schema has read the values.
    let params = (values ?? []) as never
    if (latestIsTicks && readsTicks(method, params)) {
      params = method.params?.withPending(params) as never
    }
    const request = { method, context, params, caller }
    const answer = handleAfterWrites(request)
    context.lag?.look(request, answer)
    return answer
  }

  /** True if `latest` in these parameters is the newest tick: not while each block is a tick. */
  function readsTicks({ readsState }: RpcMethod<never>, params: never): boolean {
    const { clocks } = context
    if (clocks.instant || clocks.collecting) return false
    return typeof readsState === 'function' ? readsState(params) : readsState === true
  }

  const { handleText } = createTextHandler({
    invoke,
    maxBatch,
    onInternalError,
    watch,
    takesDecimals: takesDecimals(context.options),
    // A batch first loads its methods: only a loaded method tells whether later requests wait.
    pending: registry.pending,
    isOrdered(name, isWaiting) {
      const method = registry.loaded(name)
      if (method?.ordered === undefined) return method?.browser === false
      // The earlier request may change the result of `ordered`, e.g. by entering instant mode.
      return isWaiting || method.ordered(context)
    },
  })

  return {
    handleText,
    async load(names) {
      await Promise.all(names.map((name) => registry.find(name)))
    },
    async request(args, caller) {
      let name = ''
      try {
        const { method, params }: { method?: unknown; params?: unknown } = args ?? {}
        if (typeof method !== 'string') throw invalidRequest('want a method')
        name = method
        const answer = invoke(name, params, caller)
        // Not awaited if it is there: test runners watch each promise, which is slow.
        const result = answer instanceof Promise ? await answer : answer
        return result instanceof JsonText ? await parsed(result) : detached(result)
      } catch (error) {
        const body = describeFailure(blamed(error, args), name, caller, onInternalError)
        const transactionHash = error instanceof SendFailedError ? error.transactionHash : undefined
        throw new ProviderError(body, { cause: error, transactionHash })
      }
    },
  }
}

/** The caller's own error if a request is no JSON, such as one with a getter that throws. */
function blamed(error: unknown, args: unknown): unknown {
  if (error instanceof DevnetError) return error
  try {
    JSON.stringify(args)
    return error
  } catch (cause) {
    return invalidRequest(`it is no JSON: ${reasonOf(cause)}`, cause)
  }
}

/**
 * Copies a result through JSON, as over HTTP, so that changing it does not change the node.
 *
 * @throws {TypeError} if the result holds a bigint
 */
function detached(result: unknown): unknown {
  if (typeof result === 'string' || typeof result === 'boolean') return result
  return JSON.parse(JSON.stringify(result) ?? 'null')
}

function parsed(result: JsonText): Promise<unknown> {
  return runPaced(parseJson(result.text), new Scheduler())
}
