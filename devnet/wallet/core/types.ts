import type { UnsignedTransaction } from '../../engine/unsignedTransaction.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { Caller } from '../../rpc/method.ts'
import type { RequestArguments } from '../../types.ts'
import type { RequestSummary } from '../types.ts'
import type { RequestContext } from './requestContext.ts'

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

/** One method of the wallet: the default export of `methods/<name>.ts`. */
export interface WalletMethod {
  /** Whether it only reads, and so stays out of the history. Default: false. */
  readonly isRead?: boolean
  /**
   * Checks the parameters, asks if needed, acts, and returns a JSON value.
   *
   * @throws {DevnetError}
   */
  handle(context: RequestContext, params: unknown): unknown
}
