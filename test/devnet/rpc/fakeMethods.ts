import { address, params, quantityOrNumber } from '../../../devnet/json/params.ts'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import { DevnetError, InvalidParamsError } from '../../../devnet/primitives/errors.ts'
import { optional, text } from '../../../devnet/primitives/reader.ts'
import type { RpcContext } from '../../../devnet/rpc/context.ts'
import { createDispatch, type Dispatch } from '../../../devnet/rpc/dispatch.ts'
import {
  type Caller,
  defineMethod,
  type MethodTable,
  type RpcMethod,
} from '../../../devnet/rpc/method.ts'
import type { PushConnection } from '../../../devnet/stream/subscriptions.ts'

/** No fake method looks at it; the dispatch asks for faults, a fork, and sends on their way. */
export const NO_CONTEXT = {
  chain: { sent: () => undefined },
  clocks: {},
  fork: {},
  options: {},
  profile: profileOf('plain'),
} as RpcContext

export const CALLER: Caller = {
  signal: new AbortController().signal,
  subscribe: () => undefined,
  origin: undefined,
}

/** What a test waits for, or makes a method wait for. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

/** A table of methods that are there at once. */
export function tableOf(methods: Readonly<Record<string, RpcMethod<never>>>): MethodTable {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, async () => ({ default: method })]),
  )
}

/** What {@link fakeMethods} did, in order. */
export interface FakeNode {
  readonly methods: MethodTable
  /** Name and, for `test_log`, parameter of each call, in the order in which they started. */
  readonly started: string[]
  /** Lets `test_wait` answer. */
  readonly gate: Gate
  /** Signals that `test_wait` was given. */
  readonly signals: AbortSignal[]
  /** Connections that `test_connection` was given. */
  readonly connections: PushConnection[]
  /** Callers that `test_caller` was given. */
  readonly callers: Caller[]
  /** Defects reported by the dispatch. */
  readonly defects: unknown[]
  readonly dispatch: Dispatch
}

/** A dispatch over methods that do every kind of thing a method can do. */
export function fakeNode(): FakeNode {
  const started: string[] = []
  const signals: AbortSignal[] = []
  const connections: PushConnection[] = []
  const callers: Caller[] = []
  const defects: unknown[] = []
  const gate = createGate()
  const methods = tableOf({
    eth_chainId: defineMethod({ handle: () => '0x7a69' }),
    net_version: defineMethod({ handle: () => '31337' }),
    eth_blockNumber: defineMethod({ handle: async () => '0x10' }),
    eth_getBalance: defineMethod({
      params: params(address(), optional(text())),
      handle: (_context, [account, block]) =>
        block === 'pending' && account.endsWith('1') ? '0x2' : '0x1',
    }),
    test_log: defineMethod({
      params: params(text()),
      handle(_context, [entry]) {
        started.push(entry)
        return entry
      },
    }),
    test_later: defineMethod({
      params: params(text()),
      async handle(_context, [entry]) {
        started.push(entry)
        await gate.opened
        return entry
      },
    }),
    test_wait: defineMethod({
      async handle(_context, _params, { signal }) {
        signals.push(signal)
        const aborted = Promise.withResolvers<never>()
        signal.addEventListener('abort', () => aborted.reject(signal.reason))
        await Promise.race([gate.opened, aborted.promise])
        return 'done'
      },
    }),
    test_connection: defineMethod({
      handle(_context, _params, caller) {
        const connection = caller.subscribe()
        if (connection !== undefined) connections.push(connection)
        return connection !== undefined
      },
    }),
    test_caller: defineMethod({
      handle(_context, _params, caller) {
        callers.push(caller)
        return null
      },
    }),
    test_origin: defineMethod({ handle: (_context, _params, { origin }) => origin ?? null }),
    test_text: defineMethod({
      params: params(quantityOrNumber()),
      handle: (_context, [length]) => 'x'.repeat(Number(length)),
    }),
    test_object: defineMethod({ handle: () => SHARED }),
    test_refuse: defineMethod({
      handle() {
        throw new DevnetError(3, 'execution reverted: no', { data: '0x08c379a0' })
      },
    }),
    test_refuseLater: defineMethod({
      async handle() {
        throw new InvalidParamsError('refused later')
      },
    }),
    test_defect: defineMethod({
      handle() {
        throw new RangeError('Invalid string length')
      },
    }),
    test_bigint: defineMethod({ handle: () => ({ value: 1n }) }),
    test_bigintLater: defineMethod({ handle: async () => [1n] }),
    test_bigintData: defineMethod({
      handle() {
        throw new DevnetError(3, 'reverted', { data: 1n })
      },
    }),
    test_deep: defineMethod({
      handle() {
        let value: unknown[] = []
        for (let depth = 0; depth < 100_000; depth++) value = [value]
        return value
      },
    }),
    test_undefined: defineMethod({ handle: () => undefined }),
    evm_mine: defineMethod({ browser: false, handle: () => '0x0' }),
  })
  const dispatch = createDispatch({
    context: NO_CONTEXT,
    methods,
    maxBatch: 4,
    onInternalError: (error) => defects.push(error),
  })
  return { methods, started, gate, signals, connections, callers, defects, dispatch }
}

const SHARED = { list: ['0x1'], nothing: undefined }
