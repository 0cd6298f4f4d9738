import type { Hex } from '../primitives/hex.ts'

/** Times at which a fault fires: each chance that all of these allow. */
interface FaultLimits {
  /** Number of the pending block; for `reorg`, of the block just sealed. From 1. Default: any */
  readonly block?: number | undefined
  /** Above 0, at most 1; drawn from the seed at each chance. Default: 1 */
  readonly probability?: number | undefined
  /** Maximum number of times that it fires. Default: no limit */
  readonly next?: number | undefined
}

interface LimitsAtTick extends FaultLimits {
  /** The tick, counted from 0 in each block, also if a fault skips it. Default: any */
  readonly tick?: number | undefined
}

/** Selects transactions. */
interface TransactionLimits extends LimitsAtTick {
  readonly from?: Hex | undefined
  /** The recipient; of `drop` also the contract that it creates, or one that logged in it. */
  readonly address?: Hex | undefined
  readonly hash?: Hex | undefined
  readonly nonce?: number | undefined
}

/** A pre-confirmed transaction vanishes for good. `tick` is that of its status. */
export interface DropFault extends TransactionLimits {
  readonly kind: 'drop'
  /** Right before the seal of its block, or in the tick after its own. Default: `seal` */
  readonly at?: 'seal' | 'tick' | undefined
}

/** A transaction stays in the mempool, and with it the later ones of its sender. */
export interface HoldFault extends TransactionLimits {
  readonly kind: 'hold'
  /** Number of ticks that pass it by. Default: all, until other rules are set */
  readonly ticks?: number | undefined
}

/**
 * The transactions of a block are sealed in another order than they were pre-confirmed in, drawn
 * from the seed. Those of one sender keep theirs.
 */
export interface ReorderFault extends FaultLimits {
  readonly kind: 'reorder'
}

/**
 * A block is sealed without what its last ticks pre-confirmed, which returns to the mempool. Not in
 * instant mode, where each block is a single tick.
 */
export interface TruncateFault extends FaultLimits {
  readonly kind: 'truncate'
  /** Number of ticks, of those that pre-confirmed something. Default: 1 */
  readonly slices?: number | undefined
}

/**
 * The newest blocks are replaced by empty ones, right after a seal: a reorganisation. Their
 * transactions wait in the mempool again. Blocks that no command can undo stay.
 */
export interface ReorgFault extends FaultLimits {
  readonly kind: 'reorg'
  /** Number of blocks, at most 256. Default: 1, the one just sealed */
  readonly depth?: number | undefined
  /**
   * True if their transactions are dropped instead. In instant mode, where they would be sealed
   * again at once, the fault fires only with this. Default: false
   */
  readonly drops?: boolean | undefined
}

/** A tick executes nothing. */
export interface SkipTickFault extends LimitsAtTick {
  readonly kind: 'skipTick'
}

/** A tick, and those that follow until then, are late by `ms` of virtual time. */
export interface DelayTickFault extends LimitsAtTick {
  readonly kind: 'delayTick'
  readonly ms: number
}

/**
 * Ticks execute nothing while sealing goes on; each seal takes what waits, so that transactions are
 * sealed without having been pre-confirmed. In instant mode, where nothing is sealed without a tick
 * before, it lasts until commands have sealed as many blocks.
 */
export interface StallFault extends LimitsAtTick {
  readonly kind: 'stall'
  /** For how many seals. Default: 1 */
  readonly blocks?: number | undefined
}

/** The sealing clock is late by `ms` of virtual time, once for a block, and keeps its rhythm. */
export interface DelaySealFault extends FaultLimits {
  readonly kind: 'delaySeal'
  readonly ms: number
}

/** Selects answers. */
interface AnswerLimits extends LimitsAtTick {
  /** A method, or several; not those named `preconf_…`, which set the rules. */
  readonly method: string | readonly string[]
  /** The `from` of the first parameter, or the sender of a signed one. Default: any */
  readonly from?: Hex | undefined
  /** An address among the parameters, or the recipient in a signed one. Default: any */
  readonly address?: Hex | undefined
  /** A hash among the parameters, or that of a signed transaction. Default: any */
  readonly hash?: Hex | undefined
}

/** A request is refused before it does anything. */
export interface RefuseAnswerFault extends AnswerLimits {
  readonly kind: 'refuseAnswer'
  /** Default: -32000 */
  readonly code?: number | undefined
  /** Default: one that names the fault */
  readonly message?: string | undefined
  /** HTTP status of the response, from 400 to 599, for its whole batch. Default: 200 */
  readonly status?: number | undefined
}

/**
 * An answer or error comes `ms` of real time late, with the state of when the request came. In a
 * batch, requests that wait for a delayed command wait as long.
 */
export interface DelayAnswerFault extends AnswerLimits {
  readonly kind: 'delayAnswer'
  readonly ms: number
}

/** An answer is wrong. Its request does what it does nevertheless. */
export interface CorruptAnswerFault extends AnswerLimits {
  readonly kind: 'corruptAnswer'
  /** The result instead, any JSON. Default: one hex digit of the result differs; if none, `null` */
  readonly result?: unknown
}

/** All WebSockets for JSON-RPC and flashblocks break off, without a closing handshake. */
export interface CutSocketsFault extends LimitsAtTick {
  readonly kind: 'cutSockets'
}

/**
 * A message of the flashblock stream comes twice, gets lost, or comes after the one that follows
 * it (not at all, if the rules change before). Readers of the JSON-RPC methods do not notice.
 */
export interface SliceFault extends FaultLimits {
  readonly kind: 'duplicateSlice' | 'loseSlice' | 'swapSlices'
  /** The message's `index`, counted from 0 in each build of a block. Default: any */
  readonly index?: number | undefined
}

/** One rule: a fault, and when it fires. Plain JSON. */
export type FaultRule =
  | DropFault
  | HoldFault
  | ReorderFault
  | TruncateFault
  | ReorgFault
  | SkipTickFault
  | DelayTickFault
  | StallFault
  | DelaySealFault
  | RefuseAnswerFault
  | DelayAnswerFault
  | CorruptAnswerFault
  | CutSocketsFault
  | SliceFault

export type FaultKind = FaultRule['kind']

/** Rules by which a node misbehaves. Equal scripts and equal commands give equal runs. */
export interface FaultScript {
  readonly rules: readonly FaultRule[]
  /** From 0 to 2^32 - 1. Default: 1 */
  readonly seed?: number | undefined
}

/** The rules in effect, in the node's status. */
export interface FaultStatus {
  readonly seed: number
  /** Each with the number of times it has fired. */
  readonly rules: readonly (FaultRule & { readonly fired: number })[]
  /** Transactions that ticks pass by, each with the index of its rule of `hold`. */
  readonly held: readonly { readonly hash: Hex; readonly rule: number }[]
  /** Index of the rule of `stall` by which ticks execute nothing at present; otherwise `null`. */
  readonly stall: number | null
}

/** A fault has fired, as reported by `devnet.on('fault')`. */
export interface FaultEvent {
  readonly kind: FaultKind
  /** Index of the rule. */
  readonly rule: number
  /** Number of the pending block; of `reorg`, of the block just sealed. */
  readonly block: number
  /** The tick, as rules count it; of what happens at a seal, how many the block has had. */
  readonly tick: number
  /** Hashes of what it drops, holds, or takes out of its block; otherwise empty. */
  readonly transactions: readonly Hex[]
  /**
   * Number of blocks that a `reorg` replaces, or of slices that a `truncate` takes off; otherwise
   * `null`.
   */
  readonly depth: number | null
  /** The method, if it is about an answer; otherwise `null`. */
  readonly method: string | null
}
