import { Scheduler } from '../engine/scheduler.ts'
import type { Hex } from '../primitives/hex.ts'
import { createNaming, type NamingSource } from '../rpc/naming/contractNames.ts'
import { ChainIndex } from './chainIndex.ts'
import { ContractCache } from './contractCache.ts'
import { ChangeFeed } from './feed.ts'
import { GasByFunction } from './gasByFunction.ts'
import type { DashboardNode } from './handle.ts'
import { Naming } from './naming.ts'
import type { Recorder } from './recorder.ts'
import { StateMark } from './stateMark.ts'
import { TokenHolders } from './tokens/tokenHolders.ts'
import { TokenRegistry } from './tokens/tokenRegistry.ts'

/** ms for which an answer is worked on without a pause. */
const SLICE = 2

/** Common parts of the methods of the dashboard's API. */
export class Dashboard {
  readonly node: DashboardNode
  readonly index: ChainIndex
  readonly recorder: Recorder
  readonly stateMark: StateMark
  readonly feed: ChangeFeed
  readonly gas = new GasByFunction()
  readonly naming: NamingSource
  readonly contracts: ContractCache
  readonly tokens: TokenRegistry
  readonly holders: TokenHolders
  readonly accountNames: ReadonlyMap<Hex, string>

  constructor(node: DashboardNode, recorder: Recorder, onInternalError: (error: unknown) => void) {
    const { accounts, chain, options } = node.context
    const { keccak256 } = chain.engine.crypto
    this.node = node
    this.recorder = recorder
    this.index = new ChainIndex(chain)
    this.stateMark = new StateMark(chain)
    this.naming = createNaming({ contracts: options.contracts, keccak256, onInternalError })
    this.contracts = new ContractCache(node, this.naming)
    this.tokens = new TokenRegistry(node, this.contracts)
    this.holders = new TokenHolders(chain, this.index)
    this.accountNames = new Map(
      [...accounts.keys()].map((address, index) => [address, `Account #${index}`]),
    )
    this.feed = new ChangeFeed(this, onInternalError)
  }

  /** A scheduler for one answer, and what decodes it. */
  work(signal?: AbortSignal): { readonly scheduler: Scheduler; readonly naming: Naming } {
    const scheduler = new Scheduler({ signal, slice: SLICE })
    return { scheduler, naming: new Naming(this, scheduler) }
  }
}
