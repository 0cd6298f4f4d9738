import type { ParamsSchema } from '../json/params.ts'
import { DevnetError, ErrorCode, shorten } from '../primitives/errors.ts'
import type { PushConnection } from '../stream/subscriptions.ts'
import type { RpcContext } from './context.ts'

/** The client behind one request. */
export interface Caller {
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /**
   * The connection to push to; `undefined` over HTTP. What is pushed to it from now on waits until
   * this request is answered.
   */
  subscribe(): PushConnection | undefined
  /** The Origin header of a browser; `undefined` for other clients. */
  readonly origin: string | undefined
}

/** One JSON-RPC method: the default export of `methods/<name>.ts`. */
export interface RpcMethod<Params extends readonly unknown[] = readonly unknown[]> {
  /** Checks and reads the parameters; `undefined` for a method without any. */
  readonly params?: ParamsSchema<Params> | undefined
  /** Whether web pages may call it; not clock commands and cheats. Default: true. */
  readonly browser?: boolean
  /** Whether later requests of a batch wait for it. Default: if {@link browser} is false. */
  ordered?(context: RpcContext): boolean
  /** Answers a JSON value, or a promise of one. @throws {DevnetError} */
  handle(context: RpcContext, params: Params, caller: Caller): unknown
}

/**
 * Infers the types of the parameters from their schemas.
 *
 * @example
 * export default defineMethod({
 *   params: params(address(), block().optional()),
 *   handle: (context, [address, reference]) => …,
 * })
 */
export function defineMethod<Params extends readonly unknown[] = readonly []>(
  method: RpcMethod<Params>,
): RpcMethod<Params> {
  return method
}

/**
 * Defines a method that commands the node and has no result. It is refused to web pages, and
 * answers `true` as hardhat node does, or `null` as anvil.
 */
export function defineCommand<Params extends readonly unknown[] = readonly []>(command: {
  readonly params?: ParamsSchema<Params>
  run(context: RpcContext, params: Params): unknown
}): RpcMethod<Params> {
  return {
    params: command.params,
    browser: false,
    async handle(context, params) {
      await command.run(context, params)
      return context.options.anvil ? null : true
    },
  }
}

/** Method name → loader of its file, which is loaded on first use. */
export type MethodTable = Readonly<
  // A table holds methods with parameters of every kind; each checks its own before it runs.
  Record<string, () => Promise<{ readonly default: RpcMethod<never> }>>
>

// Fits any real method name.
const LONGEST_NAME = 100

/** No such method here: code -32601. */
export class MethodNotFoundError extends DevnetError {
  override name = 'MethodNotFoundError'
  /** @param walletUrl - URL of the wallet */
  constructor(method: string, walletUrl?: string) {
    const name = shorten(method, LONGEST_NAME)
    const where = walletUrl === undefined ? '' : `: the mock wallet is at ${walletUrl}`
    const message = method.startsWith('wallet_')
      ? `${name} is answered by a wallet, not by a node endpoint${where}`
      : `the method ${name} does not exist/is not available`
    super(ErrorCode.methodNotFound, message)
  }
}

interface Entry {
  readonly load: MethodTable[string]
  /** `undefined` before the first call. */
  found: RpcMethod<never> | Promise<RpcMethod<never>> | undefined
}

/**
 * Finds methods by name, and loads the file of each when it is first asked for.
 *
 * @param walletUrl - URL of the wallet, for error messages
 */
export function createMethodRegistry(
  methods: MethodTable,
  walletUrl: () => string | undefined = () => undefined,
) {
  // A map, because an object would also answer for `constructor` and its like.
  const entries = new Map<string, Entry>(
    Object.entries(methods).map(([name, load]) => [name, { load, found: undefined }]),
  )

  /** The method, or a promise of it while its file loads. @throws {MethodNotFoundError} */
  function find(name: string): RpcMethod<never> | Promise<RpcMethod<never>> {
    const entry = entries.get(name)
    if (entry === undefined) throw new MethodNotFoundError(name, walletUrl())
    entry.found ??= loadMethod(entry)
    return entry.found
  }

  return {
    find,
    /** The method if its file is loaded. */
    loaded(name: string) {
      const found = entries.get(name)?.found
      return found instanceof Promise ? undefined : found
    },
    /** The load that `find` would wait for, if any. */
    pending(name: string) {
      if (!entries.has(name)) return undefined
      const found = find(name)
      return found instanceof Promise ? found : undefined
    },
  }
}

async function loadMethod(entry: Entry): Promise<RpcMethod<never>> {
  try {
    const method = (await entry.load()).default
    entry.found = method
    return method
  } catch (error) {
    entry.found = undefined
    throw error
  }
}
