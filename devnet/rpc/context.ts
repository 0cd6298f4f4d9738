import type { Clocks } from '../clock/clocks.ts'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { FaultScript } from '../faults/types.ts'
import type { BlockContext } from '../json/resolveBlock.ts'
import type { CallRequest } from '../json/schemas/callRequest.ts'
import type { Profile } from '../options/profile.ts'
import type { Hex } from '../primitives/hex.ts'
import type { DevAccount, ForkStatus } from '../types.ts'
import type { Border } from './border/border.ts'
import type { HeavyCalls } from './heavy/heavyCalls.ts'
import type { LatestLag } from './latestLag.ts'

/** The parameter `forking` of `hardhat_reset`; not checked yet, because it holds secrets. */
export interface ForkRequest {
  /** Default: the URL that is read now */
  readonly jsonRpcUrl?: unknown
  /** Default: `latest` */
  readonly blockNumber?: unknown
  /** Default: those given with the URL that is read now, if it stays */
  readonly httpHeaders?: Readonly<Record<string, string>> | null | undefined
}

/** The rules of faults, as far as commands change them. */
export interface FaultControl {
  /**
   * Replaces the rules.
   *
   * @throws {InvalidParamsError} if a rule names a method that does not exist
   */
  apply(script: FaultScript): Promise<void>
}

/** The branches of a chain. */
export interface BranchControl {
  /**
   * Opens a branch, and serves it.
   *
   * @throws {LimitError} if the node has too many
   */
  open(): Promise<{ readonly id: string; readonly path: string }>
  /** Ends a branch of this chain, and its branches. @throws {RefusedError} if it has no such one */
  drop(id: string): Promise<void>
}

/** The block that the chain stands on, as far as commands change it. */
export interface ForkControl {
  /** Answers for the blocks up to the fork block; `undefined` if there is none. */
  readonly border: Border | undefined
  /** `undefined` if the chain is not a fork. */
  status(): ForkStatus | undefined
  /**
   * Starts over on a block of another chain, or on another one of the same.
   *
   * @throws {InvalidParamsError} if a part is malformed
   * @throws {RefusedError} if no URL is known
   * @throws {UpstreamError} if the block cannot be read; nothing has changed then
   */
  reset(request: ForkRequest): Promise<void>
  /** Goes back to what the node started with. @throws {RefusedError} */
  restart(): Promise<void>
  /**
   * Reads from another URL from now on.
   *
   * @throws {RefusedError} if the chain is not a fork, or the URL has not the same block
   */
  setUrl(url: string): Promise<void>
}

/**
 * The parts of the node that RPC methods use. An object without accessors: V8 turns an object with
 * one into a dictionary, and each request would look its parts up there.
 */
export interface RpcContext extends BlockContext {
  /** The view of the chain that the network shows. */
  readonly profile: Profile
  readonly clocks: Clocks
  readonly fork: ForkControl
  readonly faults: FaultControl
  readonly branches: BranchControl
  /** Runs calls, estimates and simulations. */
  readonly heavy: HeavyCalls
  /** The unlocked accounts, keyed by lower-case address. */
  readonly accounts: ReadonlyMap<Hex, DevAccount>
  /** 32 bytes that identify this node: random, or derived from the oldest block with `--state`. */
  readonly instanceId: Hex
  /** `undefined` if no client is to be told. */
  readonly lag: LatestLag | undefined
  /** Receives reports from methods. */
  readonly observer: {
    /** The `console.log` output of a call or estimate; `undefined` if it printed nothing. */
    printed(method: string, request: CallRequest, calls: ConsoleCalls | undefined): void
    /** Turns the log of requests on or off. */
    setLogging(enabled: boolean): void
  }
}
