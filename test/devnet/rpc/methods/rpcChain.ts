import { onTestFinished } from 'vitest'
import { Branches } from '../../../../devnet/node/branches.ts'
import { createContext } from '../../../../devnet/node/createContext.ts'
import { NodeEvents } from '../../../../devnet/node/nodeEvents.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { RpcContext } from '../../../../devnet/rpc/context.ts'
import { createDispatch, type Dispatch } from '../../../../devnet/rpc/dispatch.ts'
import { HeavyCalls } from '../../../../devnet/rpc/heavy/heavyCalls.ts'
import { LatestLag } from '../../../../devnet/rpc/latestLag.ts'
import type { Caller } from '../../../../devnet/rpc/method.ts'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import type { DevAccount } from '../../../../devnet/types.ts'
import { createTestChain, type TestChain } from '../../../support/chain.ts'

/** A chain that is asked as a client in this process would. */
export interface RpcChain extends TestChain {
  readonly context: RpcContext
  readonly dispatch: Dispatch
  /** The texts of the node's hints. */
  readonly hints: readonly string[]
  /** The result. */
  call<Result = unknown>(method: string, ...params: readonly unknown[]): Promise<Result>
  /** Code and message of the error, with its data where it has any. */
  failure(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** As {@link call}, by somebody else, such as a web page. */
  callAs<Result = unknown>(
    caller: Partial<Caller>,
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result>
  account(index: number): DevAccount
}

export const INSTANCE: Hex = `0x${'1d'.repeat(32)}`

/** Clocks stand still, unless `options` say otherwise. */
export async function createRpcChain(options: OptionsInput = {}): Promise<RpcChain> {
  return rpcChain(await createTestChain(options))
}

export function rpcChain(chain: TestChain): RpcChain {
  onTestFinished(() => chain.clocks.stop())
  const hints: string[] = []
  const onInternalError = (defect: unknown) => {
    throw defect
  }
  const context = createContext({
    ...chain,
    accounts: new Map(chain.accounts.map((account) => [account.address, account])),
    instanceId: INSTANCE,
    heavy: new HeavyCalls(chain.engine, { workers: 0, onInternalError: () => undefined }),
    lag: new LatestLag(chain.options, ({ text }) => hints.push(text)),
    events: new NodeEvents(),
    branches: new Branches(10, () => 'http://127.0.0.1:8545'),
    signal: NEVER_ABORTED,
    cutSockets: () => undefined,
  })
  const dispatch = createDispatch({
    context,
    methods: methodTable,
    maxBatch: 1,
    onInternalError,
  })
  async function callAs<Result>(
    caller: Partial<Caller>,
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> {
    const whole = {
      signal: NEVER_ABORTED,
      subscribe: () => undefined,
      origin: undefined,
      ...caller,
    }
    // Each test knows what the method that it calls answers.
    return (await dispatch.request({ method, params }, whole)) as Result
  }
  return {
    ...chain,
    context,
    dispatch,
    hints,
    callAs,
    call: (method, ...params) => callAs({}, method, ...params),
    async failure(method, ...params) {
      try {
        await callAs({}, method, ...params)
      } catch (error) {
        // The dispatch throws nothing but provider errors.
        const { code, message, data } = error as { code: number; message: string; data?: unknown }
        return data === undefined ? { code, message } : { code, message, data }
      }
      throw new Error(`${method} did not fail`)
    },
    account(index) {
      const account = chain.accounts[index]
      if (account === undefined) throw new Error(`No account ${index}`)
      return account
    },
  }
}

const NEVER_ABORTED = new AbortController().signal

/** Clocks that run, but whose beats come only by command while a test lasts. */
export const SLOW_CLOCKS = {
  frozenTicks: false,
  tickInterval: 3_600_000,
  sealInterval: 86_400_000,
} as const satisfies OptionsInput

/** A number as JSON-RPC has it. */
export function hex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

export const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`
export const ZERO_BLOOM: Hex = `0x${'0'.repeat(512)}`
