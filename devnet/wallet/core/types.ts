import type { UnsignedTransaction } from '../../engine/unsignedTransaction.ts'
import type { WalletSettings } from '../../options/walletOptions.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { Semaphore, SerialQueue } from '../../primitives/serialQueue.ts'
import type { Caller } from '../../rpc/method.ts'
import type { RequestArguments } from '../../types.ts'
import type { RequestSummary, WalletChain } from '../types.ts'
import type { Batches } from './batches.ts'
import type { Permissions } from './permissions.ts'
import type { PolicyBook } from './policy.ts'
import type { Probe } from './probe.ts'
import type { History } from './requestHistory.ts'
import type { Queue, WalletClock } from './requestQueue.ts'
import type { Chains } from './walletChains.ts'

/** The node as any wallet sees it, and the keys, which stay in the node. */
export interface WalletNode {
  /** Chain id as a quantity. */
  readonly chainId: Hex
  /** Accounts with a key, in lower case. */
  readonly accounts: readonly Hex[]
  /** @throws {ProviderError} */
  request(args: RequestArguments, caller: Caller): Promise<unknown>
  /**
   * Signs a transaction for another chain.
   *
   * @returns its EIP-2718 bytes
   * @throws {RefusedError} for an unknown account
   */
  sign(from: Hex, transaction: UnsignedTransaction, chainId: Hex): Promise<Hex>
}

/** What all sessions share. */
export interface WalletServices {
  readonly settings: WalletSettings
  readonly node: WalletNode
  readonly clock: WalletClock
  readonly probe: Probe
  readonly onInternalError: (error: unknown) => void
  /** Rises across all sessions. */
  nextId(): string
  /** The chains known at the start, the active one first. */
  firstChains(): [WalletChain, ...WalletChain[]]
}

/** A session as its requests see it. */
export interface WalletSession {
  readonly name: string
  readonly wallet: WalletServices
  readonly chains: Chains
  readonly permissions: Permissions
  readonly policy: PolicyBook
  readonly queue: Queue
  readonly history: History
  readonly batches: Batches
  /** Bounds the requests to RPCs of other chains, since each takes a connection of its own. */
  readonly rpcRequests: Semaphore
  /** Sends to other chains one after the other, so that each finds the nonce of the one before. */
  readonly remoteSends: SerialQueue
  /** Connects an origin and notifies its clients. */
  connect(origin: string | null, account: Hex): void
  disconnect(origin: string | null): void
  /** Makes a known chain active and withdraws requests bound to the previous one (EIP-3326). */
  activate(chainId: Hex): void
  /** Reports a change of the state or the history to the listeners. */
  changed(): void
  /** Records that an origin uses the provider script. */
  addProvider(origin: string | null): void
  /** What to do when an origin has added a chain. */
  afterAdd(origin: string | null): 'stay' | 'switch' | 'decline'
}

export interface WalletClient {
  /** Origin of the page; `null` for clients other than browsers. */
  readonly origin: string | null
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /** Events that are pushed from now on wait until this request is answered. */
  readonly subscribe: Caller['subscribe']
}

export interface Prompt {
  readonly summary: RequestSummary
  /** The chain in question. Default: the active one. */
  readonly chainId?: Hex
  /** Whether a switch to another chain withdraws it. Default: false. */
  readonly isChainBound?: boolean
  /** Whether profile `metamask` refuses a second such prompt of the same page. Default: false. */
  readonly isExclusive?: boolean
}

/** A request as its method sees it. */
export interface WalletContext {
  readonly session: WalletSession
  readonly client: WalletClient
  /** The accounts connected to the client's origin. */
  readonly accounts: readonly Hex[]
  /**
   * Asks the user, or the policy in the user's place.
   *
   * @returns the chosen account, if any
   * @throws {DevnetError} unless approved
   */
  ask(prompt: Prompt): Promise<{ readonly account?: Hex | undefined }>
}

/** One method of the wallet: the default export of `methods/<name>.ts`. */
export interface WalletMethod {
  /** Whether it only reads, and so stays out of the history. Default: false. */
  readonly isRead?: boolean
  /**
   * Checks the parameters, asks if needed, acts, and returns a JSON value.
   *
   * @throws {DevnetError}
   */
  handle(context: WalletContext, params: unknown): unknown
}
