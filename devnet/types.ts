import type { Options } from './options/options.ts'
import type { Hex } from './primitives/hex.ts'
import type { WalletControl } from './wallet/types.ts'

/** What is asked of {@link Provider.request}. */
export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** What a subscription sends, as a {@link Provider} emits it (EIP-1193). */
export interface ProviderMessage {
  /** `eth_subscription`. */
  readonly type: string
  /** `{ subscription, result }`: the id that `eth_subscribe` answered, and what there is to say. */
  readonly data: unknown
}

/** EIP-1193 provider that answers in this process, without a socket. */
export interface Provider {
  /**
   * Answers one JSON-RPC request.
   *
   * @throws {ProviderError} with the JSON-RPC `code` and `data` of the answer
   */
  request(args: RequestArguments): Promise<unknown>
  /**
   * Calls `listener` with each `message`: what the subscriptions of this provider send, after the answer to
   * `eth_subscribe`, and before `request` or a command of `clock` that brought it about resolves. Other events are never
   * emitted.
   */
  on(event: string, listener: (message: ProviderMessage) => void): this
  /** Ends what {@link on} began. */
  removeListener(event: string, listener: (message: ProviderMessage) => void): this
}

/** A dev account: its key is public knowledge, or made from the mnemonic given. */
export interface DevAccount {
  /** Lower case. */
  readonly address: Hex
  readonly privateKey: Hex
}

/** One of the two clocks. */
export interface ClockStatus {
  /** ms between two beats. */
  readonly interval: number
  readonly running: boolean
  /** Virtual time of the next beat, ms since the epoch; `null` while it is not running. */
  readonly next: number | null
}

/** A transaction of the pending block, as {@link Status} lists it. */
export interface PreconfirmedSummary {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly nonce: number
  readonly gasUsed: number
  readonly status: 'success' | 'reverted'
  /** The tick of the pending block that took it, counted from 0. */
  readonly tick: number
}

/** What both clocks, the pending block and the mempool are at. Plain JSON. */
export interface Status {
  /** Virtual time, ms since the epoch. */
  readonly time: number
  readonly ticks: ClockStatus
  readonly sealing: ClockStatus
  /** Instant mode: each transaction is pre-confirmed and sealed at once, whether the sealing clock runs or not. */
  readonly instant: boolean
  readonly latest: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
  readonly pending: {
    readonly number: number
    /** s since the epoch; fixed when the block opened. */
    readonly timestamp: number
    /** Ticks that this block has had. */
    readonly ticks: number
    readonly gasUsed: number
    readonly transactions: readonly PreconfirmedSummary[]
  }
  /** `runnable`: the next tick can take them; `waiting`: behind a nonce gap. */
  readonly mempool: { readonly runnable: number; readonly waiting: number }
  /** The last transactions that can never run any more, newest last; at most 100. */
  readonly dropped: readonly { readonly hash: Hex; readonly reason: string }[]
}

/** A transaction as {@link TickEvent} lists it. */
export interface TickTransaction extends PreconfirmedSummary {
  /** wei. */
  readonly value: bigint
  readonly gasLimit: number
  /** Calldata, or the code that creates the contract. */
  readonly data: Hex
  /** The contract that it created, also where that failed; `null` where it has a recipient. */
  readonly contractAddress: Hex | null
  /** Why it failed, with what the code returned; `null` on success. */
  readonly error: { readonly message: string; readonly data: Hex } | null
}

/** A tick that took transactions, as `devnet.on('tick')` reports it. */
export interface TickEvent {
  /** Number of the pending block. */
  readonly block: number
  /** Which tick of that block, counted from 0. */
  readonly tick: number
  readonly transactions: readonly TickTransaction[]
  /** ms that the tick worked. */
  readonly elapsed: number
}

/** A sealed block, as `devnet.on('seal')` reports it. */
export interface SealEvent {
  readonly number: number
  readonly hash: Hex
  /** s since the epoch. */
  readonly timestamp: number
  readonly transactions: number
  readonly gasUsed: number
  /** wei. */
  readonly baseFeePerGas: bigint
  /** ms that the seal worked. */
  readonly elapsed: number
}

/** The chain that the node goes on from, as `devnet.on('import')` reports it while the node starts. */
export interface ImportEvent {
  /** Path of the file. */
  readonly file: string
  readonly blocks: number
  readonly transactions: number
  readonly gasUsed: number
  /** Of the newest block. */
  readonly number: number
  readonly hash: Hex
  /** ms that the import took. */
  readonly elapsed: number
}

/**
 * What the contracts of one transaction or call printed with `console.log`, as `devnet.on('consoleLog')` reports it: once
 * when a tick has taken the transaction, just before its `tick` event, and for each `eth_call`, simulated call and failed
 * estimate. Nothing is printed again when a cheat executes a transaction anew, nor at the seal.
 */
export interface ConsoleLogEvent {
  /** Hash of the transaction; `null` for a call. */
  readonly transaction: Hex | null
  /** The method that ran the call; `null` for a transaction. */
  readonly method: string | null
  /** `null` where a contract is created. */
  readonly to: Hex | null
  /** Calldata, or the code that creates the contract. */
  readonly data: Hex
  /** One text for each `console.log`, with any characters a contract likes: escape them before they reach a terminal. */
  readonly messages: readonly string[]
  /** How many more there were than are kept: 1,000 and 256 KiB of calldata for each execution. */
  readonly omitted: number
}

/** A JSON-RPC request over HTTP or WebSocket that has been answered, as `devnet.on('request')` reports it. */
export interface RequestEvent {
  /** `null` where the message is no request. */
  readonly method: string | null
  /** As they came, secrets included. */
  readonly params: unknown
  /** ms from its arrival to its answer. */
  readonly elapsed: number
  /** `null` where it succeeded. */
  readonly error: {
    readonly code: number
    readonly message: string
    readonly data?: unknown
  } | null
}

/** Somebody turned the log off or on with `hardhat_setLoggingEnabled`; other events go on. */
export interface LoggingEvent {
  readonly enabled: boolean
}

/** The state that the node goes on from, as `devnet.on('load')` reports it while the node starts. */
export interface LoadEvent {
  /** Path of the file. */
  readonly file: string
  /** Sealed blocks in it. */
  readonly blocks: number
  /** Of the newest block. */
  readonly number: number
  readonly hash: Hex
  /** ms that loading and checking took. */
  readonly elapsed: number
}

/** The state was saved, as `devnet.on('save')` reports it. */
export interface SaveEvent {
  /** Path of the file. */
  readonly file: string
  /** Of the newest sealed block in it. */
  readonly number: number
  readonly hash: Hex
  /** Bytes of the file. */
  readonly size: number
  /** ms that it took, while the node went on. */
  readonly elapsed: number
}

/** Events of {@link Devnet.on}. */
export interface DevnetEvents {
  import: ImportEvent
  load: LoadEvent
  save: SaveEvent
  tick: TickEvent
  seal: SealEvent
  consoleLog: ConsoleLogEvent
  request: RequestEvent
  logging: LoggingEvent
}

/** Commands to the two clocks; each resolves with the status after the work is done. */
export interface ClockControl {
  /** Stops sealing; with `ticks`, the ticks too. */
  freeze(options?: { ticks?: boolean }): Promise<Status>
  /** Starts both clocks again, from where they stood. */
  resume(): Promise<Status>
  /**
   * Moves virtual time: `ticks` tick intervals with their ticks, or `blocks` seal intervals, each with a tick and a seal.
   *
   * @throws {DevnetError} for anything but one integer from 1 to 1,000,000
   */
  advance(by: { ticks: number } | { blocks: number }): Promise<Status>
  /** Seals the pending block as it is, without a tick before. */
  seal(): Promise<Status>
  status(): Promise<Status>
}

/**
 * A local chain with a pre-confirmed pending state.
 *
 * A running devnet does not keep its process alive, unless the option `keepAlive` is set. Until they are answered,
 * requests of `provider` and commands of `clock` and `wallet` do.
 */
export interface Devnet {
  /** Address of the JSON-RPC endpoint, e.g. `http://127.0.0.1:8545`. @throws {Error} before {@link start} has resolved */
  readonly url: string
  readonly options: Options
  readonly provider: Provider
  readonly clock: ClockControl
  /** The mock wallet, as the person in front of it. @throws {Error} when the options say that there is none */
  readonly wallet: WalletControl
  /** The unlocked accounts. */
  readonly accounts: readonly DevAccount[]
  /** Chain id: of the options, or of the genesis file. @throws {Error} before {@link start} has resolved */
  readonly chainId: number
  /**
   * Imports a chain where there is one to import, listens, and starts the clocks.
   *
   * @throws {ListenError} when the port is taken
   * @throws {ChainFileError} when a genesis file, a file of blocks or a state file is missing, damaged, or does not
   * verify, or when the state could not be saved
   */
  start(): Promise<void>
  /**
   * Stops the clocks, closes every connection, and saves the state where that is asked for; idempotent.
   *
   * @throws {ChainFileError} when the state cannot be saved; all else is done then
   */
  stop(): Promise<void>
  /** {@link stop}, for `await using devnet = createDevnet()`. */
  [Symbol.asyncDispose](): Promise<void>
  /** Calls `listener` for each event; answers the function that ends it. */
  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void
}
