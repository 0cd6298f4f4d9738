import type { Hex } from '../../primitives/hex.ts'
import type { Caller } from '../../rpc/method.ts'
import type { RequestSummary } from '../types.ts'
import type { Session } from './session.ts'

/** What the person is asked. */
export interface Asking {
  readonly summary: RequestSummary
  /** The chain that it is about. Default: the active one. */
  readonly chainId?: Hex
  /** Whether it means the active chain, so that it ends when another one becomes active. Default: false. */
  readonly isChainBound?: boolean
  /** Whether wallets show one such prompt at a time for each page; only the profile `metamask` refuses a second. Default: false. */
  readonly isExclusive?: boolean
}

/** One request on its way through a method. */
export interface WalletContext {
  readonly session: Session
  readonly client: WalletClient
  /** The accounts that are connected to the origin that asks. */
  readonly accounts: readonly Hex[]
  /**
   * Asks the person, or the policy in their place.
   *
   * @returns the account that was chosen, where one was
   * @throws {DevnetError} when the answer is no
   */
  ask(question: Asking): Promise<{ readonly account?: Hex | undefined }>
}

/** One method of the wallet: the default export of `methods/<name>.ts`. */
export interface WalletMethod {
  /** Whether it only reads, so that the history does without it. Default: false. */
  readonly isRead?: boolean
  /** Checks the parameters, asks where that is needed, does it, and answers a JSON value. @throws {DevnetError} */
  handle(context: WalletContext, params: unknown): unknown
}

/** Who asks the wallet. */
export interface WalletClient {
  /** Origin of the page; `null` for clients that are no browser. */
  readonly origin: string | null
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /** Events that are pushed from now on wait until this request is answered. */
  readonly subscribe: Caller['subscribe']
}
