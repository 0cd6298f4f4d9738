import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { Options } from '../options.ts'
import type { DevAccount, Hex } from '../types.ts'
import type { Observer } from './observer.ts'

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
