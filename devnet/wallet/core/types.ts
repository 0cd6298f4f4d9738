import type { Crypto } from '../../engine/crypto.ts'
import type { ContractSource } from '../../options/contracts.ts'
import type { WalletBatch } from '../../persistence/dump/walletBatches.ts'
import type { HeldBytes } from '../../primitives/heldBytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { Caller } from '../../rpc/method.ts'
import type { FillTerms, GasRequest } from '../../rpc/sending/transactionRequest.ts'
import type { RequestArguments } from '../../types.ts'
import type { RequestSummary } from '../types.ts'
import type { RequestContext } from './requestContext.ts'

/** The node as the wallet sees it. The keys stay in the node, which signs on request. */
export interface WalletNode {
  /** The option `contracts`. */
  readonly contracts?: ContractSource | undefined
  /** Address of the node's dashboard, with its token; `undefined` without one. */
  readonly dashboardUrl?: string | undefined
  /** Opens the shares of the sessions. */
  readonly held: Pick<HeldBytes, 'open'>
  /** Chain id as a quantity, e.g. `0x7a69`. */
  readonly chainId: Hex
  /** Addresses of the accounts whose keys the node has, in lower case. */
  readonly accounts: readonly Hex[]
  readonly keccak256: Crypto['keccak256']
  /** See {@link Status.instanceId}. */
  readonly instanceId: Hex
  /** Batches of calls that an earlier run of the node has saved with the chain. */
  readonly savedBatches: readonly WalletBatch[]
  /** True if a transaction is on the chain or waits for it. */
  knows(hash: Hex): boolean
  /** True if accounts can have delegations under the chain's rules (EIP-7702). */
  readonly hasDelegations: boolean
  /** True if a transaction waits in the mempool. */
  isWaiting(hash: Hex): boolean
  /** The nonce of an account after all that it has sent. */
  nextNonce(account: Hex): bigint
  /**
   * Has an account authorize a delegation of itself (EIP-7702).
   *
   * @returns the authorization in the form of JSON-RPC
   * @throws {RefusedError} if the node has no key of it
   */
  authorize(account: Hex, delegate: Hex, nonce: bigint): Promise<object>
  /** Calls `listener` each time that the chain has begun anew. */
  onAnew(listener: () => void): void
  /** @throws {ProviderError} */
  request(args: RequestArguments, caller: Caller): Promise<unknown>
  /**
   * Makes a transaction for another chain as for its own, and signs it.
   *
   * @returns the transaction as EIP-2718 bytes
   * @throws {InvalidParamsError} if a field does not fit its type, or the chain
   * @throws {RefusedError} if the node has no key for `from`
   */
  sign(request: GasRequest, terms: FillTerms): Promise<Uint8Array>
}

export interface WalletClient {
  /** Origin of the page; `null` for clients other than browsers. */
  readonly origin: string | null
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /**
   * Returns the connection to push to; `undefined` over HTTP. Messages pushed from then on wait
   * until this request is answered.
   */
  readonly subscribe: Caller['subscribe']
}

export interface Prompt {
  readonly summary: RequestSummary
  /**
   * Completes the summary while a user looks at it, e.g. by a simulation. Not called if nobody
   * does.
   */
  readonly preview?: (signal: AbortSignal) => Promise<RequestSummary>
  /** The chain that the policy's rules are compared with. Default: the active one. */
  readonly chainId?: Hex
  /** True if the request is withdrawn when the active chain changes. Default: false. */
  readonly isChainBound?: boolean
  /** True if `metamask` allows one such prompt per method and origin at a time. Default: false. */
  readonly isExclusive?: boolean
}

/** One method of the wallet: the default export of `methods/<name>.ts`. */
export interface WalletMethod {
  /** True if the method only reads, so that its requests are not recorded. Default: false. */
  readonly isRead?: boolean
  /**
   * Checks the parameters, asks the user if needed, acts, and returns a JSON value.
   *
   * @throws {DevnetError}
   */
  handle(context: RequestContext, params: unknown): unknown
}
