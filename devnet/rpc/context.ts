import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { CallRequest } from '../execution/types.ts'
import type { Options } from '../options/options.ts'
import type { Hex } from '../primitives/hex.ts'
import type { DevAccount } from '../types.ts'
import type { ErrorBody } from './jsonRpc.ts'

/** What methods tell those who watch the node. */
export interface Observer {
  /** A call has printed with `console.log`; `undefined` for nothing. */
  printed(method: string, request: CallRequest, calls: ConsoleCalls | undefined): void
  /** Whether the log of requests is wanted. */
  setLogging(enabled: boolean): void
}

/**
 * Is told of a JSON-RPC message when it comes in; what it answers is called when that has been answered. Neither may throw.
 *
 * @param message - not checked yet; `undefined` for what is no JSON
 * @returns `undefined` where nobody watches
 */
export type RequestWatch = (message: unknown) => ((error?: ErrorBody) => void) | undefined

/** What every JSON-RPC method works on. */
export interface RpcContext {
  readonly chain: Chain
  readonly clocks: Clocks
  readonly options: Options
  /** The unlocked accounts by address, in lower case. */
  readonly accounts: ReadonlyMap<Hex, DevAccount>
  /** 32 random bytes, others for each node: what was deployed on one is not there on the next. */
  readonly instanceId: Hex
  readonly observer: Observer
}
