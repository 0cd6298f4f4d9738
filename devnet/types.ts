import type { FaultEvent, FaultScript, FaultStatus } from './faults/types.ts'
import type { Options } from './options/options.ts'
import type { ProfileName } from './options/optionTable.ts'
import type { Hex } from './primitives/hex.ts'
import type { ClockStatus, ForkStatus } from './statusTypes.ts'
import type { WalletControl } from './wallet/types.ts'

export type { ClockStatus, ForkStatus } from './statusTypes.ts'

/** Argument of {@link Provider.request} (EIP-1193). */
export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** A notification of a subscription, as a {@link Provider} emits it (EIP-1193). */
export interface ProviderMessage {
  /** Always `eth_subscription`. */
  readonly type: string
  /** `{ subscription, result }`: the id that `eth_subscribe` returned, and the notification. */
  readonly data: unknown
}

/** EIP-1193 provider in this process, without a socket. */
export interface Provider {
  /**
   * Sends one JSON-RPC request.
   *
   * @throws {ProviderError} with the JSON-RPC `code` and `data` of the response
   */
  request(args: RequestArguments): Promise<unknown>
  /**
   * Calls `listener` with each message of this provider's subscriptions if `event` is `message`;
   * other events are never emitted. A message comes after `eth_subscribe` has returned the id, and
   * before the `request` or the command of `clock` that caused it resolves.
   */
  on(event: string, listener: (message: ProviderMessage) => void): this
  /** Removes a listener of {@link on}. */
  removeListener(event: string, listener: (message: ProviderMessage) => void): this
}

/** A dev account. Its key is public knowledge, unless you set a mnemonic of your own. */
export interface DevAccount {
  /** Lower case. */
  readonly address: Hex
  readonly privateKey: Hex
}

/** A transaction of the pending block, as {@link Status} lists it. */
export interface PreconfirmedSummary {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly nonce: number
  readonly gasUsed: number
  readonly status: 'success' | 'reverted'
  /** The tick that executed it, counted from 0 in each block. */
  readonly tick: number
}

/** Status of both clocks, the pending block and the mempool. Plain JSON. */
export interface Status {
  /**
   * 32 bytes that name the chain: others after a restart, a reset and a load, so that whoever polls
   * sees that it has begun anew. Not after a revert. With the option `state` it survives a restart.
   */
  readonly instanceId: Hex
  /** Virtual time, ms since the epoch. */
  readonly time: number
  readonly ticks: ClockStatus
  readonly sealing: ClockStatus
  /** True if each transaction is pre-confirmed and sealed at once, in a block of its own. */
  readonly instant: boolean
  /** The network whose answers the node gives. Absent in profile `plain`. */
  readonly profile?: ProfileName
  /** The options by which programs that know nothing of pre-confirmation get along. */
  readonly modes: {
    readonly receipts: 'preconfirmed' | 'sealed'
    readonly latest: 'sealed' | 'ticks'
  }
  readonly latest: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
  readonly pending: {
    readonly number: number
    /** s since the epoch; fixed when the block was opened. */
    readonly timestamp: number
    /** Number of ticks that the block has had. */
    readonly ticks: number
    readonly gasUsed: number
    readonly transactions: readonly PreconfirmedSummary[]
  }
  /** `runnable`: ready for the next tick; `waiting`: behind a nonce gap. */
  readonly mempool: { readonly runnable: number; readonly waiting: number }
  /**
   * The last 100 transactions that were dropped, newest last: because they can no longer be
   * executed, by a replacement, by a command, or by a fault.
   */
  readonly dropped: readonly {
    readonly hash: Hex
    readonly reason: string
    /** True if it was pre-confirmed. */
    readonly preconfirmed: boolean
    /** Hash of the transaction that has taken its place in the mempool. Absent if none has. */
    readonly replacedBy?: Hex
  }[]
  /** The last 100 pre-confirmed transactions that a drop or a fault executed again, newest last. */
  readonly reexecuted: readonly Hex[]
  /** Absent unless rules of faults are set. */
  readonly faults?: FaultStatus
  /** Absent unless the chain stands on a block of another chain. */
  readonly fork?: ForkStatus
}

/** A transaction as {@link TickEvent} lists it. */
export interface TickTransaction extends PreconfirmedSummary {
  /** wei. */
  readonly value: bigint
  readonly gasLimit: number
  /** Calldata, or init code. */
  readonly data: Hex
  /** The contract that the transaction creates, even if it failed; `null` if it has a recipient. */
  readonly contractAddress: Hex | null
  /** Reason why it failed, with the return data; `null` on success. */
  readonly error: { readonly message: string; readonly data: Hex } | null
}

/** A tick that executed transactions, as reported by `devnet.on('tick')`. */
export interface TickEvent {
  /** Number of the pending block. */
  readonly block: number
  /** Number of the tick, counted from 0 in each block. */
  readonly tick: number
  readonly transactions: readonly TickTransaction[]
  /** Duration in ms. */
  readonly elapsed: number
  /** Present if a fault had the seal take them, so that they were never pre-confirmed. */
  readonly isAtSeal?: true
}

/** A sealed block, as reported by `devnet.on('seal')`. */
export interface SealEvent {
  readonly number: number
  readonly hash: Hex
  /** s since the epoch. */
  readonly timestamp: number
  readonly transactions: number
  readonly gasUsed: number
  /** wei. */
  readonly baseFeePerGas: bigint
  /** Duration in ms. */
  readonly elapsed: number
}

/**
 * A command or a fault took back what the chain had shown, as reported by `devnet.on('undo')`.
 * Nothing else changes what is pre-confirmed. `rearrange` is always a fault: the pending block got
 * another order, or lost some transactions to the mempool.
 */
export interface UndoEvent {
  readonly command: 'drop' | 'rearrange' | 'revert' | 'rollback' | 'reorg' | 'reset' | 'load'
  /** Number of transactions that a drop or a reorganisation removed; 0 for others. */
  readonly dropped: number
  /**
   * Number of pre-confirmed transactions that a drop or `rearrange` executed again; 0 for others.
   */
  readonly reexecuted: number
  /** Number of sealed blocks that a reorganisation replaced; 0 for others. */
  readonly replaced: number
  /** Number of the newest sealed block afterwards. */
  readonly latest: number
}

/**
 * Output of `console.log` in the contracts of one transaction or call, as reported by
 * `devnet.on('consoleLog')`: once for a transaction, just before the `tick` event of its tick, and
 * for each `eth_call`, simulated call and failed estimate. Neither a seal nor the repeated
 * execution after a cheat reports it again.
 */
export interface ConsoleLogEvent {
  /** Hash of the transaction; `null` for a call. */
  readonly transaction: Hex | null
  /** The JSON-RPC method that ran the call; `null` for a transaction. */
  readonly method: string | null
  /** `null` for the creation of a contract. */
  readonly to: Hex | null
  /** Calldata, or init code. */
  readonly data: Hex
  /** One per `console.log`. May contain any characters: escape them before you print them. */
  readonly messages: readonly string[]
  /**
   * Number of dropped ones: at most 1,000 messages, 256 KiB of calldata, are kept per execution.
   */
  readonly omitted: number
}

/**
 * Statements that instrumented contracts have executed, as reported by `devnet.on('coverage')`: at
 * the end of each execution, also of one that fails or commits nothing. A node reports them only
 * with the option `coverage`.
 */
export interface CoverageEvent {
  /** Tags of the statements, of 32 bytes each, in no particular order. */
  readonly tags: readonly Hex[]
}

/** An answered request over HTTP or WebSocket, as reported by `devnet.on('request')`. */
export interface RequestEvent {
  /** `null` if the message is not a request. */
  readonly method: string | null
  /** As received, secrets included. */
  readonly params: unknown
  /** ms from its arrival to its response. */
  readonly elapsed: number
  /** `null` on success. */
  readonly error: {
    readonly code: number
    readonly message: string
    readonly data?: unknown
  } | null
}

/** The log was switched on or off with `hardhat_setLoggingEnabled`; other events continue. */
export interface LoggingEvent {
  readonly enabled: boolean
}

/** Common to the events about state files and imported files. */
interface ChainFileEvent {
  /** Path of the file. */
  readonly file: string
  /** Number of the newest sealed block in the file. */
  readonly number: number
  readonly hash: Hex
  /** Duration in ms, checks included. */
  readonly elapsed: number
}

/** The load of a state while the node starts, as reported by `devnet.on('load')`. */
export interface LoadEvent extends ChainFileEvent {
  /** Number of sealed blocks that were loaded. */
  readonly blocks: number
}

/**
 * The block of another chain that the node's chain stands on, as reported by `devnet.on('fork')`:
 * while the node starts, and after a reset to another one.
 */
export interface ForkEvent {
  /** Origin of the URL, or path of the recording; `null` if only a state file answers. */
  readonly origin: string | null
  /** Chain id of the other chain. */
  readonly chainId: number
  readonly number: number
  readonly hash: Hex
  /** s since the epoch. */
  readonly timestamp: number
  /** Hardfork of all own blocks. */
  readonly hardfork: string
  /**
   * Source of the hardfork: given as an option, in the table of known chains, asked for by
   * `eth_config`, from the fields of the header, or in the state file.
   */
  readonly hardforkFrom: 'option' | 'table' | 'eth_config' | 'header' | 'state'
  /**
   * Number of pre-confirmed transactions taken over from the other chain; `null` unless the fork
   * block given is `pending`, or a transaction is.
   */
  readonly preconfirmed: number | null
  /** Duration in ms. */
  readonly elapsed: number
}

/** The import of a file of blocks while the node starts, as reported by `devnet.on('import')`. */
export interface ImportEvent extends LoadEvent {
  readonly transactions: number
  readonly gasUsed: number
}

/** A save of the state while the node runs or stops, as reported by `devnet.on('save')`. */
export interface SaveEvent extends ChainFileEvent {
  /** Size of the file in bytes. */
  readonly size: number
}

/** A request that began to wait in the mock wallet, as reported by `devnet.on('walletRequest')`. */
export interface WalletRequestEvent {
  /** Number of requests that wait now, this one included. */
  readonly waiting: number
  /** Address of the approval page, without its token. */
  readonly page: string
}

/** Advice, as reported once by `devnet.on('hint')`: a client misses what is pre-confirmed. */
export interface HintEvent {
  readonly text: string
}

/** Events of {@link Devnet.on}. */
export interface DevnetEvents {
  fork: ForkEvent
  import: ImportEvent
  load: LoadEvent
  save: SaveEvent
  tick: TickEvent
  seal: SealEvent
  /** One transaction, at once, whatever the reason. */
  drop: Status['dropped'][number]
  undo: UndoEvent
  fault: FaultEvent
  walletRequest: WalletRequestEvent
  hint: HintEvent
  consoleLog: ConsoleLogEvent
  coverage: CoverageEvent
  request: RequestEvent
  logging: LoggingEvent
}

/** Commands for the two clocks. Each resolves with the status once its work is done. */
export interface ClockControl {
  /** Freezes the sealing clock; with `ticks`, both clocks. */
  freeze(options?: { ticks?: boolean }): Promise<Status>
  /** Resumes both clocks from the time at which they were frozen. */
  resume(): Promise<Status>
  /**
   * Advances virtual time by `ticks` tick intervals, each with a tick, or by `blocks` seal
   * intervals, each with a tick and a seal.
   *
   * @throws {DevnetError} unless `by` holds exactly one integer: ticks, from 1 to 1,000,000, or
   * blocks, from 1 on
   */
  advance(
    by: { ticks: number; blocks?: undefined } | { blocks: number; ticks?: undefined },
  ): Promise<Status>
  /** Seals the pending block, with what was sent before unless ticks are frozen. */
  seal(): Promise<Status>
  status(): Promise<Status>
}

/** Address of a devnet's dashboard. */
export interface DashboardAddress {
  /**
   * URL of the page, with the token that admits to it: whoever has it sees the chain and controls
   * its clocks. @throws {Error} while the devnet is not running
   */
  readonly pageUrl: string
}

/**
 * A local chain with a pre-confirmed pending state.
 *
 * A running devnet does not keep its process alive, unless the option `keepAlive` is set. Requests
 * of `provider` and commands of `clock` and `wallet` keep it alive until they resolve.
 */
export interface Devnet {
  /** URL, e.g. `http://127.0.0.1:8545`. @throws {Error} before {@link start} resolves */
  readonly url: string
  /**
   * WebSocket URL of the flashblock stream, e.g. `ws://127.0.0.1:8545/flashblocks`; on its own port
   * if it has one. @throws {Error} before {@link start} resolves
   */
  readonly flashblocksUrl: string
  readonly options: Options
  readonly provider: Provider
  readonly clock: ClockControl
  /**
   * Sets the rules by which the node misbehaves, in place of all earlier ones; without rules
   * (`{ rules: [] }`) it behaves again.
   *
   * @param script - Default: the rules stay as they are
   * @returns the status, whose `faults` says how often each rule has fired
   * @throws {DevnetError} if a rule is malformed; the message names the field
   *
   * @example
   * await devnet.faults({ rules: [{ kind: 'drop', from: '0x…', next: 1 }], seed: 7 })
   */
  faults(script?: FaultScript): Promise<Status>
  /**
   * A second chain that begins exactly where this one is: with its blocks, its pending block, what
   * waits, and its clocks and cheats, but without its snapshots and the rules of its faults.
   * Neither sees what becomes of the other. It runs at once, and has no port of its own: `url` is a
   * path below that of the node. `flashblocksUrl`, `wallet` and `dashboard` throw. {@link stop}
   * frees it; stopping this devnet stops it too.
   *
   * @throws {DevnetError} code -32005 if there are as many as the option `maxBranches` says
   *
   * @example
   * await using branch = await devnet.branch()
   * await branch.provider.request({ method: 'evm_mine' }) // devnet has no new block
   */
  branch(): Promise<Devnet>
  /** The mock wallet, from its user's side. @throws {Error} if the options disable it */
  readonly wallet: WalletControl
  /** The dashboard. @throws {Error} if the options disable it */
  readonly dashboard: DashboardAddress
  /** The unlocked accounts; empty before {@link start}. */
  readonly accounts: readonly DevAccount[]
  /**
   * Chain id, from the options, the genesis file or the state file.
   *
   * @throws {Error} before {@link start} resolves
   */
  readonly chainId: number
  /**
   * Loads or imports a chain if the options say so, listens, and starts the clocks.
   *
   * @throws {OptionError} if an option contradicts the chain loaded, or the wallet token is
   * malformed
   * @throws {ListenError} if the port is taken
   * @throws {ChainFileError} if a genesis file, a file of blocks or a state file is missing,
   * damaged or does not verify, or if the state cannot be saved to its file
   */
  start(): Promise<void>
  /**
   * Stops the clocks, closes all connections, and saves the state if the options say so.
   * Idempotent.
   *
   * @throws {ChainFileError} if the state cannot be saved; everything else has been stopped then
   */
  stop(): Promise<void>
  /** {@link stop}, for `await using devnet = createDevnet()`. */
  [Symbol.asyncDispose](): Promise<void>
  /** Calls `listener` for each event; returns a function that removes it. */
  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void
}
