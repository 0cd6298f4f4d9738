import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { CallRequest } from '../execution/types.ts'
import type { Options } from '../options/options.ts'
import type { Hex } from '../primitives/hex.ts'
import type { DevAccount } from '../types.ts'

/** The node as methods see it. */
export interface RpcContext {
  readonly chain: Chain
  readonly clocks: Clocks
  readonly options: Options
  /** The unlocked accounts by address, in lower case. */
  readonly accounts: ReadonlyMap<Hex, DevAccount>
  /** 32 bytes that name this node: random, or derived from the oldest block with `--state`. */
  readonly instanceId: Hex
  /** Called with events of methods. */
  readonly observer: {
    /** A call printed with `console.log`; `undefined` for nothing. */
    printed(method: string, request: CallRequest, calls: ConsoleCalls | undefined): void
    /** Whether the log of requests is wanted. */
    setLogging(enabled: boolean): void
  }
}
