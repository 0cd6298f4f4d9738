import type { Engine } from '../engine/engine.ts'
import type { BlockHashes } from '../engine/types.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { mergeDiffs } from '../state/diffs.ts'
import type { VersionedStore } from '../state/store/versionedStore.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import type { StateDiff } from '../state/types.ts'
import type { History } from './history.ts'
import type { Mempool } from './mempool.ts'
import type { PendingView } from './pendingView.ts'

/** When the pending block will be sealed; the clocks answer it. */
export interface Schedule {
  /** Virtual time in ms at which the block that opens now is due to be sealed. */
  sealTime(): number
  /** Whether a block may have the timestamp of its parent: by option, or for seal intervals under one second. */
  readonly equalTimestamps: boolean
}

/** What the next block takes by command instead of by rule; forgotten once it is sealed. */
export interface NextBlockOverrides {
  /** s since the epoch. */
  timestamp?: bigint
  /** wei. */
  baseFeePerGas?: bigint
  /** 32 bytes. */
  prevRandao?: Uint8Array
}

/** What holds until it is changed again. */
export interface ChainSettings {
  /** Fee recipient of every block, of 20 bytes. */
  coinbase: Uint8Array
  gasLimit: bigint
  chainId: number
  /** s from the timestamp of each block to that of the next; `undefined`: as the clocks have it. */
  timestampInterval: bigint | undefined
  /** wei; a transaction for less is refused, before blocks have a base fee. */
  minGasPrice: bigint
  /** Accounts that may send without a key. Never changed: replaced. */
  impersonated: ReadonlySet<Hex>
  /** All others may, too. */
  impersonateAll: boolean
}

/** What holds before anybody changes it. */
export function defaultSettings(
  coinbase: Uint8Array,
  gasLimit: bigint,
  chainId: number,
): ChainSettings {
  return {
    coinbase,
    gasLimit,
    chainId,
    timestampInterval: undefined,
    minGasPrice: 0n,
    impersonated: new Set(),
    impersonateAll: false,
  }
}

/** A transaction that can never run any more. */
export interface Dropped {
  readonly hash: Hex
  readonly reason: string
}

/** How many dropped transactions the status remembers. */
const DROPPED_KEPT = 100

/** Everything that the writer changes. One owner: {@link Chain}. */
export class ChainState {
  readonly engine: Engine
  store: VersionedStore
  history: History
  /** Number of the block that the node went on from: never undone, and so final. */
  firstHead: number
  readonly mempool: Mempool
  readonly schedule: Schedule
  readonly settings: ChainSettings
  next: NextBlockOverrides = {}
  /** Changes by cheats since the last seal; they count as made right after it. */
  cheatDiffs: StateDiff[] = []
  /** Changes of the pending block: its opening, then its ticks. */
  blockDiffs: StateDiff[] = []
  dropped: Dropped[] = []
  /** How often the chain went back to its start, or another was loaded. */
  resets = 0
  /** Aborts when the node stops: executions end, and nothing new begins. */
  readonly closing = new AbortController()
  readonly pendingIndex = new Map<Hex, ExecutedTransaction>()
  #pending: PendingView
  /** The lists are appended to or replaced, so their lengths tell what was in them. */
  #published: { readonly diffs: readonly StateDiff[]; readonly count: number }[] | undefined

  constructor(parameters: {
    engine: Engine
    store: VersionedStore
    history: History
    mempool: Mempool
    schedule: Schedule
    settings: ChainSettings
    pending: PendingView
  }) {
    this.engine = parameters.engine
    this.store = parameters.store
    this.history = parameters.history
    this.firstHead = parameters.history.head.number
    this.mempool = parameters.mempool
    this.schedule = parameters.schedule
    this.settings = parameters.settings
    this.#pending = parameters.pending
    this.#pending.state.retain()
  }

  get pending(): PendingView {
    return this.#pending
  }

  /** The changes since the newest block was sealed that {@link pending} shows, in order. */
  get pendingDiffs(): StateDiff[] {
    if (this.#published === undefined) return [...this.cheatDiffs, ...this.blockDiffs]
    return this.#published.flatMap(({ diffs, count }) => diffs.slice(0, count))
  }

  /** Makes `view` what readers of `"pending"` see, transactions and receipts in the same instant. */
  publish(view: PendingView): void {
    const before = this.#pending
    const extended =
      view.environment === before.environment && view.executed.length >= before.executed.length
    if (!extended) this.pendingIndex.clear()
    for (let index = extended ? before.executed.length : 0; index < view.executed.length; index++) {
      const executed = view.executed[index]
      if (executed !== undefined) this.pendingIndex.set(executed.transaction.hash, executed)
    }
    // Retained, so that it stays readable while a cheat abandons its version and executes anew.
    view.state.retain()
    before.state.release()
    this.#pending = view
    this.#published = [this.cheatDiffs, this.blockDiffs].map((diffs) => ({
      diffs,
      count: diffs.length,
    }))
  }

  drop(hash: Hex, reason: string): void {
    this.dropped.push({ hash, reason })
    if (this.dropped.length > DROPPED_KEPT) this.dropped.shift()
  }

  /** Hashes of sealed blocks, for BLOCKHASH. */
  readonly blockHashes: BlockHashes = (number) => this.history.hashOf(Number(number)) ?? ZERO_HASH
}

const pendingTries = new WeakMap<PendingView, StateTrie>()

/**
 * The tries of the state after a block, with the cheats on it. Those of the pending view are of the state after its last
 * pre-confirmed transaction: what sealing adds at the end of a block is not in them.
 *
 * @param block - one that is kept, or the present pending view
 */
export function stateTrie(block: SealedBlock | PendingView, state: ChainState): StateTrie {
  if ('environment' in block) return pendingTrie(block, state)
  const { cheatDiffs, history, store } = state
  if (block !== history.head || cheatDiffs.length === 0) return block.trie
  return block.trie.apply(mergeDiffs(cheatDiffs), store.view(block.version))
}

function pendingTrie(view: PendingView, state: ChainState): StateTrie {
  let trie = pendingTries.get(view)
  if (trie === undefined) {
    if (view !== state.pending) throw new Error('Only the present pending view has a trie')
    const { parent } = view.environment
    const diffs = state.pendingDiffs
    trie = diffs.length === 0 ? parent.trie : parent.trie.apply(mergeDiffs(diffs), view.state)
    pendingTries.set(view, trie)
  }
  return trie
}
