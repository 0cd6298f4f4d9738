import type { ParamsSchema } from '../json/params.ts'
import { DevnetError, ErrorCode, shorten } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { memoize } from '../primitives/memo.ts'
import type { PushConnection } from '../stream/subscriptions.ts'
import type { RpcContext } from './context.ts'

/** The client that sent a request. */
export interface Caller {
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /**
   * Returns the connection to push notifications to; `undefined` over HTTP. Notifications sent from
   * then on are held back until this request is answered.
   */
  subscribe(): PushConnection | undefined
  /** The Origin header of a browser; `undefined` for other clients. */
  readonly origin: string | undefined
  /**
   * True if it sends over HTTP or WebSocket, where requests that leave together arrive in any
   * order. Default: false
   */
  readonly isRemote?: boolean
  /** True if no fault acts on the answers that it gets. Default: false */
  readonly isSpared?: boolean
  /** HTTP status of the answer, which a fault sets. Default: 200; without effect elsewhere */
  status?: number | undefined
}

/**
 * Reads of a request that transactions change as soon as they are sent: the pending block, or
 * something else that changes with their tick, such as where a transaction is.
 */
export type OwnWrites = 'pending block' | 'outcome of ticks'

/**
 * Requests of a method that a forked chain passes on to its upstream, as JSON that nobody decodes:
 *
 * - `state`: those that name a block before the fork block. The state of the fork block itself is
 *   this node's, because it holds funds and cheats.
 * - `block`: those that name the fork block or one before it
 * - `proof`: as `block`; those that name a later block are refused
 * - `transaction`: those whose first parameter is the hash of a transaction that this node does not
 *   have, and the upstream has in such a block
 * - `encoded block`: those whose first parameter is the RLP of a block on a parent before the fork
 *   block
 * - `in part`: the method itself asks for the part that is upstream's
 *
 * The parameter that names the block is {@link ParamsSchema.blockAt}.
 */
export type RemoteRule = 'state' | 'block' | 'proof' | 'transaction' | 'encoded block' | 'in part'

/** One JSON-RPC method: the default export of `methods/<name>.ts`. */
export interface RpcMethod<Params extends readonly unknown[] = readonly unknown[]> {
  /** Checks and reads the parameters; `undefined` for a method without parameters. */
  readonly params?: ParamsSchema<Params> | undefined
  /** True if web pages may call the method: false for clock commands and cheats. Default: true. */
  readonly browser?: boolean
  /**
   * Reads of a request that change with transactions sent before it. Default: the pending block, if
   * its parameters name the block `pending`
   */
  reads?(context: RpcContext, params: Params): OwnWrites | undefined
  /**
   * True if a request without a block, or on `latest`, reads a state or runs code, so that with the
   * option `latest: 'ticks'` it does so on `pending`. Default: it is about sealed blocks
   */
  readonly readsState?: true | ((params: Params) => boolean)
  /** The account whose waiting transactions a request on `pending` runs after. Default: none */
  sender?(context: RpcContext, params: Params): Hex | undefined
  /**
   * Requests that a forked chain passes on to its upstream; may depend on the parameters as the
   * client sent them. Default: nothing
   */
  readonly remote?: RemoteRule | ((list: readonly unknown[]) => RemoteRule)
  /**
   * Name of the method that takes the hash of a block in the place of this one's number: a forked
   * chain asks it for the fork block. Default: this one takes hashes, too
   */
  readonly byHash?: string
  /** True if the upstream may answer `null` although it has the block. Default: false */
  readonly mayLack?: boolean
  /**
   * Kind of the method's answer, unless that is `null`: a profile adds times to it, and a forked
   * chain reads from it which block it is in. Default: something else
   */
  readonly answers?: 'block' | 'header' | 'transaction' | 'receipt' | 'receipts' | 'logs'
  /** True if the first parameter is a signed transaction, as faults read it. Default: false */
  readonly takesSigned?: boolean
  /** True if later requests of a batch wait for it. Default: true if {@link browser} is false. */
  ordered?(context: RpcContext): boolean
  /** Returns the result as a JSON value, or a promise of it. @throws {DevnetError} */
  handle(context: RpcContext, params: Params, caller: Caller): unknown
}

/**
 * Defines a method; the types of its parameters are inferred from their schemas.
 *
 * @example
 * export default defineMethod({
 *   params: params(address(), optional(block())),
 *   handle: (context, [address, reference]) => …,
 * })
 */
export function defineMethod<Params extends readonly unknown[] = readonly []>(
  method: RpcMethod<Params>,
): RpcMethod<Params> {
  return method
}

/**
 * Defines a command, which has no result: web pages may not call it.
 *
 * @param command.answer - its answer once it has run. Default: `true` as on hardhat node, or `null`
 * as on anvil
 */
export function defineCommand<Params extends readonly unknown[] = readonly []>(command: {
  readonly params?: ParamsSchema<Params>
  run(context: RpcContext, params: Params, caller: Caller): unknown
  answer?(context: RpcContext): unknown
}): RpcMethod<Params> {
  const { params, run, answer = ({ options }) => (options.anvil ? null : true) } = command
  return {
    params,
    browser: false,
    async handle(context, values, caller) {
      await run(context, values, caller)
      return answer(context)
    },
  }
}

/** True if parameters may be integers or decimal text, as on anvil and on Hardhat's own network. */
export function takesDecimals({ anvil, likeHardhat }: RpcContext['options']): boolean {
  return anvil || likeHardhat
}

/** Forms of parameters that a method takes besides those of the specification. */
export function readOptions({ browser }: RpcMethod<never>, options: RpcContext['options']) {
  const takesEmpty = browser === false
  return { takesDecimals: takesDecimals(options), takesEmpty, takesSent: options.anvil }
}

/** Method name → loader of its file, which is loaded on first use. */
export type MethodTable = Readonly<
  // `never`, because a table mixes methods with different parameters; each checks its own.
  Record<string, () => Promise<{ readonly default: RpcMethod<never> }>>
>

/** Error messages cut method names to this many characters; no real name is as long. */
const LONGEST_NAME = 100

/** The method does not exist. @param walletUrl - URL of the mock wallet, for the message */
export function methodNotFound(method: string, walletUrl?: string): DevnetError {
  const name = shorten(method, LONGEST_NAME)
  const where = walletUrl === undefined ? '' : `: the mock wallet is at ${walletUrl}`
  const message = method.startsWith('wallet_')
    ? `${name} is answered by a wallet, not by a node endpoint${where}`
    : `the method ${name} does not exist/is not available`
  return new DevnetError(ErrorCode.methodNotFound, message)
}

/** The methods of a table, which all that use it share. */
const entriesOf = memoize(
  (methods: MethodTable): ReadonlyMap<string, Entry> =>
    // A Map, because an object would also find `constructor` and other inherited names.
    new Map(Object.entries(methods).map(([name, load]) => [name, { load, found: undefined }])),
)

interface Entry {
  readonly load: MethodTable[string]
  /** `undefined` before the first use, and after the file has failed to load. */
  found: RpcMethod<never> | Promise<RpcMethod<never>> | undefined
}

/**
 * Finds methods by name, and loads the file of each on first use.
 *
 * @param walletUrl - returns the URL of the mock wallet, for error messages
 */
export function createMethodRegistry(
  methods: MethodTable,
  walletUrl: () => string | undefined = () => undefined,
) {
  const entries = entriesOf(methods)

  /** The method, or a promise of it while its file loads. @throws {DevnetError} */
  function find(name: string): RpcMethod<never> | Promise<RpcMethod<never>> {
    const entry = entries.get(name)
    if (entry === undefined) throw methodNotFound(name, walletUrl())
    entry.found ??= loadMethod(entry)
    return entry.found
  }

  return {
    find,
    /** The method; `undefined` if its file is not loaded. */
    loaded(name: string) {
      const found = entries.get(name)?.found
      return found instanceof Promise ? undefined : found
    },
    /** Starts to load the method's file; returns `undefined` if it is loaded or unknown. */
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
