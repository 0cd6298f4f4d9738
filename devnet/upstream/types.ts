import type { Hex } from '../primitives/hex.ts'
import type { BaseFeeRules } from '../protocol/baseFeeRules.ts'
import type { HardforkName } from '../protocol/forks.ts'
import type { BlockHeader } from '../protocol/header.ts'
import type {
  RemoteKeys,
  RemoteSource,
  RemoteValues,
  UpstreamError,
} from '../state/remote/remoteSource.ts'
import type { ForkStatus } from '../statusTypes.ts'

/** Address of an upstream, and its first block. */
export interface UpstreamOptions {
  /**
   * http or https. May hold secrets: no message, log line or file shows more than its origin. May
   * be left out if a recording answers.
   */
  readonly url?: string | undefined
  /** The fork block; a negative number counts back from `latest`. */
  readonly block: bigint | Hex | 'latest' | 'safe' | 'finalized' | 'pending'
  /** Hash of a transaction: `block` is the one before its own, which is `pending` up to it. */
  readonly transaction?: Hex | undefined
  /** Headers of each request; secret as well. Default: none */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** ms that one read may wait, retries included. Default: 45,000 */
  readonly timeout?: number | undefined
  /** Folder of the disk cache; `false`: none. Default: a folder of the user's cache folder */
  readonly cache?: string | false | undefined
  /** Asks nobody: the disk cache answers. Needs a number or a hash as `block`. Default: false */
  readonly offline?: boolean | undefined
  /**
   * File that keeps in the place of a disk cache what is read. If it is there already, it answers,
   * and nobody is asked. Default: none
   */
  readonly recording?: string | undefined
  /** Hardfork of all own blocks. Default: what the upstream runs at the fork block */
  readonly hardfork?: HardforkName | undefined
  /**
   * Fetches an execution's reads before it makes them: by an access list; `auto` is the same, but
   * `off` with a recording. With `off`, each value is requested on its own when it is read.
   * Default: auto
   */
  readonly prefetch?: 'auto' | 'access-list' | 'off' | undefined
  /** Most items in a batch; 1: no batches. Default: 100 */
  readonly batch?: number | undefined
  /** Most HTTP requests in flight. Default: 8 */
  readonly concurrency?: number | undefined
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined
  /** Called with problems that do not stop the chain, such as a full disk. Default: nobody */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** The fork block. */
export interface UpstreamBlock {
  readonly number: bigint
  readonly hash: Hex
  /**
   * As the upstream says it, not recomputed. Fields that the protocol adds in a later hardfork than
   * {@link Upstream.hardfork} may be there as well.
   */
  readonly header: BlockHeader
  /** The answer to `eth_getBlockByHash` with hashes of transactions, undecoded. */
  readonly json: Readonly<Record<string, unknown>>
}

/** A block that an upstream has not sealed yet, on top of the fork block. */
export interface UpstreamPending {
  /** Fields that are not known before the block is sealed are those of an empty block. */
  readonly header: BlockHeader
  /** 32 bytes; `undefined` if the upstream does not tell. */
  readonly prevRandao: Uint8Array | undefined
  /** As the upstream shows them, undecoded. */
  readonly transactions: readonly Readonly<Record<string, unknown>>[]
  /** The block with these transactions, undecoded. */
  readonly json: Readonly<Record<string, unknown>>
}

/** The way in which the hardfork of a fork block was found. */
export type HardforkEvidence = 'option' | 'table' | 'eth_config' | 'header'

/** Counters of an upstream. Plain JSON. */
export type UpstreamStatus = Pick<
  ForkStatus,
  'requests' | 'items' | 'cached' | 'waiting' | 'failed' | 'lastFailure'
>

/** A node that is read from, and the block that the chain stands on. */
export interface Upstream {
  /** Origin of the URL, which is all of it that may be shown; of a recording, its path. */
  readonly origin: string
  readonly chainId: bigint
  readonly block: UpstreamBlock
  /** `undefined` unless `pending` or a transaction was chosen, and there is such a block. */
  readonly pending: UpstreamPending | undefined
  readonly hardfork: HardforkName
  readonly hardforkFrom: HardforkEvidence
  /** Rule by which the base fee of own blocks follows from their parents. */
  readonly baseFee: BaseFeeRules
  /** Values that the start has read already: system contracts and the coinbase. */
  readonly initial: { readonly keys: RemoteKeys; readonly values: RemoteValues }
  /** Reads the state of the fork block. Fails with an {@link UpstreamError}. */
  readonly source: RemoteSource
  /**
   * Passes a request on and returns the undecoded result. Parallel requests share batches.
   *
   * @throws {DevnetError} with the upstream's own code, message and data, secrets left out
   * @throws {UpstreamError} if there is no answer
   */
  request(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>
  status(): UpstreamStatus
  /**
   * Ends whatever waits at once, and writes what the disk cache does not hold yet.
   *
   * @param reason - the error of what waits. Default: the node was stopped
   */
  close(reason?: UpstreamError): Promise<void>
}
