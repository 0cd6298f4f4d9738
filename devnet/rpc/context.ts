import type { Clocks } from '../clock/clocks.ts'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { CallRequest } from '../execution/types.ts'
import type { BlockContext } from '../json/resolveBlock.ts'
import type { Hex } from '../primitives/hex.ts'
import type { DevAccount } from '../types.ts'
import type { Border } from './border/border.ts'
import type { HeavyCalls } from './heavy/heavyCalls.ts'

/** The parts of the node that RPC methods use. */
export interface RpcContext extends BlockContext {
  readonly clocks: Clocks
  /** On a forked chain, answers for the blocks up to the fork block; otherwise `undefined`. */
  readonly border?: Border | undefined
  /** Runs calls, estimates and simulations. */
  readonly heavy: HeavyCalls
  /** The unlocked accounts, keyed by lower-case address. */
  readonly accounts: ReadonlyMap<Hex, DevAccount>
  /** 32 bytes that identify this node: random, or derived from the oldest block with `--state`. */
  readonly instanceId: Hex
  /** Receives reports from methods. */
  readonly observer: {
    /** The `console.log` output of a call or estimate; `undefined` if it printed nothing. */
    printed(method: string, request: CallRequest, calls: ConsoleCalls | undefined): void
    /** Turns the log of requests on or off. */
    setLogging(enabled: boolean): void
  }
}
