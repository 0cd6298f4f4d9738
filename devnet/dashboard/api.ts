/*
 * The dashboard's API: what its page asks over `/dashboard/api`, and what the node answers. Types
 * only, which node and page share. JSON-RPC 2.0 over POST with `Authorization: Bearer <token>`, or
 * over a WebSocket whose first message is `{"token":"…"}`. The params are one object, or a list of
 * one.
 *
 * Hex is lower case. Amounts in wei are decimal text, gas and times are numbers. What contracts and
 * artifacts say is untrusted text of bounded length.
 */
import type { ClockStatus, ForkStatus } from '../statusTypes.ts'
import type { DecodedArgument, DecodedCall } from '../wallet/types.ts'

// Not imported: the page uses these types too, and hex.ts needs Node.js.
type Hex = `0x${string}`

/** wei, in decimal. */
export type Wei = string

/** Names of the addresses in an answer that have one, e.g. `Account #0` or `Counter`. */
export type Names = Readonly<Record<Hex, string>>

/** The methods, each with its parameters and its answer. */
export interface DashboardApi {
  state: { params: Nothing; answer: StateAnswer }
  strip: { params: StripParams; answer: StripAnswer }
  transactions: { params: TransactionsParams; answer: TransactionsAnswer }
  transaction: { params: { readonly hash: Hex }; answer: TransactionAnswer }
  raw: { params: { readonly hash: Hex }; answer: RawAnswer }
  trace: { params: { readonly hash: Hex }; answer: TraceAnswer }
  block: { params: { readonly id: number | Hex | 'latest' | 'pending' }; answer: BlockAnswer }
  mempool: { params: MempoolParams; answer: MempoolAnswer }
  accounts: { params: Nothing; answer: AccountsAnswer }
  address: { params: AddressParams; answer: AddressAnswer }
  contracts: { params: Nothing; answer: ContractsAnswer }
  read: { params: ReadParams; answer: ReadAnswer }
  log: { params: LogParams; answer: LogAnswer }
  resolve: { params: { readonly text: string }; answer: ResolveAnswer }
  command: { params: Command; answer: CommandAnswer }
}

type Nothing = Readonly<Record<string, never>>

/** What `preconf_status` answers, without lists, so that its size does not grow. */
export interface DashboardStatus {
  /** Virtual time, ms since the epoch. */
  readonly time: number
  readonly ticks: ClockStatus
  readonly sealing: ClockStatus
  /** Whether each transaction is pre-confirmed and sealed at once. */
  readonly instant: boolean
  readonly latest: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
  readonly pending: {
    readonly number: number
    /** s since the epoch. */
    readonly timestamp: number
    /** How many ticks the block has had. */
    readonly ticks: number
    readonly gasUsed: number
    readonly gasLimit: number
    readonly transactions: number
  }
  /** `runnable`: ready for the next tick; `waiting`: behind a nonce gap. */
  readonly mempool: { readonly runnable: number; readonly waiting: number }
  readonly fork?: ForkStatus
}

export interface StateAnswer {
  /** {@link Changed.sequence} of the newest push; the next one has a number higher by one. */
  readonly sequence: number
  readonly status: DashboardStatus
  readonly chainId: number
  /** Of this package. */
  readonly version: string
  /** Changes with every start of the node, unless it keeps its state. */
  readonly instance: Hex
  /** Oldest block that is kept. */
  readonly oldest: number
  readonly artifacts: {
    /** `null` if the node was given no contracts. */
    readonly folder: string | null
    /** How many contracts it has. */
    readonly contracts: number
  }
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[]
  readonly counts: Counts
  /** URL of the node that this one follows, which refuses commands then; otherwise `null`. */
  readonly follows: string | null
  /** Of the unlocked accounts, and of contracts that were found so far. */
  readonly names: Names
}

export interface Snapshot {
  /** As of `evm_snapshot`. */
  readonly id: Hex
  /** Newest sealed block. */
  readonly block: number
  /** Pre-confirmed transactions. */
  readonly pending: number
  /** Transactions in the mempool. */
  readonly waiting: number
  /** Virtual time, ms since the epoch. */
  readonly time: number
}

export interface Counts {
  /** Position of the oldest executed transaction that is kept; 0 unless blocks were dropped. */
  readonly first: number
  /** Position after that of the newest one, which is the last pre-confirmed one. */
  readonly end: number
  /** Transactions in the mempool. */
  readonly waiting: number
  readonly dropped: number
}

export interface StripParams {
  /** Only groups before this block. Default: up to the pending block */
  readonly before?: number
  /** 1 to 200. Default: 200 */
  readonly limit?: number
}

export interface StripAnswer {
  /** Oldest first. */
  readonly groups: readonly StripGroup[]
  /** `before` of the next older groups; `null` if there are none. */
  readonly next: number | null
}

/** One column of the strip. */
export type StripGroup = BlockGroup | EmptyGroup

/** A sealed block with transactions, or the pending block. */
export interface BlockGroup {
  readonly kind: 'block'
  readonly number: number
  /** `null` while it is pending. */
  readonly hash: Hex | null
  /** s since the epoch. */
  readonly timestamp: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly transactions: number
  /** How many of them reverted. */
  readonly reverted: number
  /** Ticks that took transactions, oldest first: the last 24 of them. */
  readonly ticks: readonly StripTick[]
  /** How many older ticks took transactions, too. */
  readonly earlierTicks: number
}

export interface StripTick {
  /** Counted from 0 in each block. */
  readonly tick: number
  readonly transactions: number
  readonly reverted: number
  readonly gasUsed: number
  /** Gas of the transactions that reverted. */
  readonly revertedGas: number
  /** What only a node with an open dashboard sees; `null` if there was none. */
  readonly seen: {
    /** ms that the tick took. */
    readonly elapsed: number
    /** How many transactions waited after it. */
    readonly waiting: number
    /** Whether it came more than a fifth of its interval late, or used up its budget. */
    readonly isLate: boolean
  } | null
}

/** Consecutive sealed blocks without transactions. */
export interface EmptyGroup {
  readonly kind: 'empty'
  readonly from: number
  readonly to: number
}

export interface TransactionsParams {
  /**
   * Position of the newest transaction wanted: 0 is the oldest of the chain. Default: the newest
   * one
   */
  readonly from?: number
  /** 1 to 200. Default: 200 */
  readonly limit?: number
  /** How many that wait are listed, 0 to 200. Default: 200 */
  readonly waiting?: number
  readonly filter?: TransactionFilter
}

/** All that are given must fit. */
export interface TransactionFilter {
  readonly state?: TransactionState | undefined
  readonly reverted?: boolean | undefined
  /** Sender, recipient or created contract. */
  readonly address?: Hex | undefined
  /** Name of the contract that is called or created. */
  readonly contract?: string | undefined
  /** Name of the function, without its parameters. */
  readonly function?: string | undefined
}

export type TransactionState = 'queued' | 'preconfirmed' | 'sealed' | 'dropped'

export interface TransactionsAnswer extends Pick<Counts, 'first' | 'end'> {
  /** Newest first. Without a filter, positions have no gaps. */
  readonly rows: readonly ExecutedRow[]
  /** `from` of the next page; `null` if there is nothing older. */
  readonly next: number | null
  /** Block down to which a filter has looked so far; `null` if it has looked at all. */
  readonly searchedTo: number | null
  /** Newest first; only on the first page: without `from`. */
  readonly waiting: readonly WaitingRow[]
  /** How many more wait. */
  readonly omittedWaiting: number
  /** Newest first; only on the first page. */
  readonly dropped: readonly DroppedRow[]
  readonly names: Names
}

interface RowFields {
  readonly hash: Hex
  readonly from: Hex
  /** `null` for a creation. */
  readonly to: Hex | null
  readonly nonce: number
  /** What is called, e.g. `Token.transfer(to: 0x7099…79c8, amount: 5)`; `null` if unknown. */
  readonly call: string | null
  readonly value: Wei
  readonly gasLimit: number
}

/** A pre-confirmed or sealed transaction. */
export interface ExecutedRow extends RowFields {
  readonly state: 'preconfirmed' | 'sealed'
  /** Among all executed transactions of the chain, from 0. */
  readonly position: number
  readonly block: number
  /** Of the block, s since the epoch. */
  readonly timestamp: number
  readonly tick: number
  /** In the block. */
  readonly index: number
  /** The contract that it creates, even if it failed. */
  readonly created: Hex | null
  readonly gasUsed: number
  readonly reverted: boolean
}

/** A transaction in the mempool. */
export interface WaitingRow extends RowFields {
  readonly state: 'queued'
  /** Whether the next tick can take it; if not, it is behind a nonce gap. */
  readonly runnable: boolean
}

/** A transaction that can no longer be executed. */
export interface DroppedRow {
  readonly state: 'dropped'
  readonly hash: Hex
  readonly reason: string
}

export type TransactionAnswer = TransactionDetails | NotFound

/** Where the node has looked for a transaction or block in vain. */
export interface NotFound {
  readonly found: false
  readonly waiting: number
  /** Number of the pending block. */
  readonly pending: number
  /** Sealed blocks: oldest and newest. */
  readonly oldest: number
  readonly latest: number
  /** Why it was dropped, if it was. */
  readonly dropped: string | null
}

export interface TransactionDetails {
  readonly found: true
  readonly state: Exclude<TransactionState, 'dropped'>
  readonly hash: Hex
  readonly type: number
  readonly from: Hex
  readonly to: Hex | null
  readonly nonce: number
  readonly value: Wei
  readonly gasLimit: number
  /** wei; the gas price of types 0 and 1. */
  readonly maxFeePerGas: Wei
  readonly maxPriorityFeePerGas: Wei
  /** Whether the sender did not sign it. */
  readonly impersonated: boolean
  readonly call: CallText
  readonly input: Bytes
  /** `null` while it waits. */
  readonly place: TransactionPlace | null
  /** `null` once it is executed. */
  readonly waiting: Waiting | null
  /** `null` while it waits. */
  readonly outcome: Outcome | null
  /** In the block, of an executed one. `null` if there is none. */
  readonly inBlock: Neighbours
  /** By the sender's nonce, as far as they are known. */
  readonly ofSender: Neighbours
  readonly names: Names
}

/**
 * What `eth_getTransactionByHash` and `eth_getTransactionReceipt` answer, `null` if they do. The
 * input and the data of events are cut after 1,024 bytes, lists after 100 items.
 */
export interface RawAnswer {
  readonly transaction: unknown
  readonly receipt: unknown
  /** How many events are left out. */
  readonly omittedEvents: number
}

export interface TransactionPlace {
  readonly position: number
  readonly block: number
  /** `null` while the block is pending. */
  readonly blockHash: Hex | null
  /** s since the epoch. */
  readonly timestamp: number
  readonly tick: number
  readonly index: number
}

/** Why a transaction is not executed yet. */
export interface Waiting {
  /** Whether the next tick can take it. */
  readonly runnable: boolean
  /** The nonces that are missing before it, first and last; `null` if none is. */
  readonly missing: { readonly from: number; readonly to: number } | null
}

export interface Outcome {
  readonly success: boolean
  readonly gasUsed: number
  readonly effectiveGasPrice: Wei
  /** All gas at that price. */
  readonly fee: Wei
  readonly baseFeePerGas: Wei
  readonly created: Hex | null
  readonly events: readonly Event[]
  /** How many further events there are. */
  readonly omittedEvents: number
}

export interface Neighbours {
  readonly previous: Hex | null
  readonly next: Hex | null
}

/** A call or a creation in words. */
export interface CallText {
  /** In one line; `null` if neither contract nor function is known. */
  readonly text: string | null
  readonly decoded: DecodedCall | null
}

/** Bytes, of which at most 1,024 are shown. */
export interface Bytes {
  readonly shown: Hex
  /** Of all, in bytes. */
  readonly size: number
}

export interface Event {
  /** In the block. */
  readonly index: number
  readonly address: Hex
  /** Of the contract; `null` if it is unknown. */
  readonly contract: string | null
  /** Canonical signature; `null` if it is unknown. */
  readonly event: string | null
  /** `null` if unknown, or if the data does not fit: {@link problem} says why. */
  readonly arguments: readonly DecodedArgument[] | null
  readonly problem: string | null
  readonly topics: readonly Hex[]
  readonly data: Bytes
}

/**
 * What an executed transaction did, found out by executing it again. Refused with -32000 for one
 * that waits, or if the state before its block is not kept; -32005 if it is too large.
 */
export interface TraceAnswer {
  /** Callers before callees: the depth makes it a tree. */
  readonly frames: readonly Frame[]
  readonly omittedFrames: number
  /** Why it failed; `null` on success. */
  readonly failure: Failure | null
  /** Output of `console.log`, in order. */
  readonly console: readonly string[]
  readonly omittedConsole: number
  /** Accounts whose state changed. */
  readonly changes: readonly AccountChange[]
  readonly omittedChanges: number
  readonly names: Names
}

export interface Frame {
  /** 0 for the transaction itself. */
  readonly depth: number
  /** As the opcode: CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2, SELFDESTRUCT. */
  readonly type: string
  readonly from: Hex
  /** `null` for a creation that failed. */
  readonly to: Hex | null
  /** `null` if the opcode carries none. */
  readonly value: Wei | null
  readonly gas: number
  readonly gasUsed: number
  readonly call: CallText
  readonly input: Bytes
  readonly output: Bytes
  /** The decoded output; `null` if it is unknown, empty, or that of a failure. */
  readonly returns: readonly DecodedArgument[] | null
  readonly failure: Failure | null
}

/** Why a call failed. */
export interface Failure {
  /** In the node's words, e.g. `execution reverted: not enough` or `out of gas`. */
  readonly message: string
  /** Custom error with its arguments, e.g. `TooMuch(wanted: 5, left: 0)`; `null` if unknown. */
  readonly error: string | null
  readonly arguments: readonly DecodedArgument[] | null
  readonly data: Bytes
}

export interface AccountChange {
  readonly address: Hex
  /** `null` where it did not change. */
  readonly balance: { readonly before: Wei; readonly after: Wei } | null
  readonly nonce: { readonly before: number; readonly after: number } | null
  /** Sizes in bytes. */
  readonly code: { readonly before: number; readonly after: number } | null
  /** Words of 32 bytes. */
  readonly storage: readonly { readonly slot: Hex; readonly before: Hex; readonly after: Hex }[]
  readonly omittedSlots: number
}

export type BlockAnswer = BlockDetails | NotFound

export interface BlockDetails {
  readonly found: true
  readonly number: number
  /** `null` while it is pending. */
  readonly hash: Hex | null
  readonly parentHash: Hex
  /** s since the epoch. */
  readonly timestamp: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly baseFeePerGas: Wei
  readonly coinbase: Hex
  /** Whether a command for many empty blocks reserved it: its hash is not that of its header. */
  readonly isReserved: boolean
  /** How many states were changed by command between its transactions. */
  readonly commands: number
  /** Its transactions are those from `first` to `end - 1` in `transactions`. */
  readonly positions: Pick<Counts, 'first' | 'end'>
  readonly reverted: number
  /** Ticks that took transactions, oldest first, at most 1,000. */
  readonly ticks: readonly StripTick[]
  readonly omittedTicks: number
  /** Numbers of the blocks beside it; `null` if there is none. */
  readonly previous: number | null
  readonly next: number | null
  /** As `eth_getHeaderByNumber` answers. */
  readonly header: unknown
  readonly names: Names
}

export interface MempoolParams {
  /** How many transactions are listed, 0 to 1,000. Default: 1,000 */
  readonly limit?: number
}

export interface MempoolAnswer {
  readonly runnable: number
  readonly waiting: number
  /** At most 200; those with runnable transactions first. */
  readonly senders: readonly MempoolSender[]
  /** How many transactions are not listed. */
  readonly omitted: number
  /** Newest first, at most 100. */
  readonly dropped: readonly DroppedRow[]
  readonly names: Names
}

export interface MempoolSender {
  readonly address: Hex
  /** Nonce of the next transaction to execute, after those that are pre-confirmed. */
  readonly next: number
  /** How many transactions of it wait. */
  readonly count: number
  /** In order of nonce, as far as the limit of the answer goes. */
  readonly transactions: readonly WaitingRow[]
  /** Nonces that are missing, first and last of each gap: the first 100 gaps. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[]
}

export interface AccountsAnswer {
  /** Dev accounts in their order, impersonated ones, contracts newest first: at most 500. */
  readonly accounts: readonly AccountRow[]
  /** How many are not listed; a contract that was created twice counts twice. */
  readonly omitted: number
  readonly names: Names
}

export interface AccountRow {
  readonly address: Hex
  readonly kind: 'dev' | 'impersonated' | 'contract'
  readonly sealed: AccountState
  readonly pending: AccountState
}

export interface AccountState {
  readonly balance: Wei
  readonly nonce: number
}

export interface AddressParams {
  readonly address: Hex
  /** Only transactions before this position. Default: the newest */
  readonly before?: number
}

export interface AddressAnswer {
  readonly address: Hex
  readonly kind: 'dev' | 'impersonated' | 'contract' | 'precompile' | 'other'
  readonly sealed: AccountState & { readonly codeSize: number }
  readonly pending: AccountState & { readonly codeSize: number }
  /** Full name of the contract in `contracts`; `null` if it is unknown or none. */
  readonly contract: string | null
  /** Where the code is that it runs: delegate (EIP-7702), clone or proxy; `null` if its own. */
  readonly implementation: Hex | null
  /** Who created it directly, and in which transaction; `null` if unknown. */
  readonly creation: { readonly hash: Hex; readonly creator: Hex } | null
  /** Newest first, at most 50, calls inside of transactions included. */
  readonly rows: readonly ExecutedRow[]
  /** `before` of the next page; `null` if there is nothing older. */
  readonly next: number | null
  /**
   * Newest block that was looked at for `rows` and `creation`, from the oldest on; `null` once all
   * were. The next answer has looked further. Blocks of another node are executed again for it.
   */
  readonly searchedTo: number | null
  /** Waiting transactions from or to it, at most 20; only without `before`. */
  readonly waiting: readonly WaitingRow[]
  /** How many more wait. */
  readonly omittedWaiting: number
  readonly names: Names
}

export interface ContractsAnswer {
  /** `null` if the node was given no contracts. */
  readonly folder: string | null
  /** Those with addresses first. */
  readonly contracts: readonly ContractRow[]
  readonly omitted: number
}

export interface ContractRow {
  readonly name: string
  /** With its source, e.g. `contracts/Token.sol:Token`. */
  readonly fullName: string
  /** Newest first, at most 100. */
  readonly addresses: readonly { readonly address: Hex; readonly block: number | null }[]
  readonly functions: readonly ContractFunction[]
  /** Canonical signatures with names, e.g. `Transfer(address from, address to, uint256 value)`. */
  readonly events: readonly string[]
  readonly errors: readonly string[]
}

export interface ContractFunction {
  /** Canonical, e.g. `balanceOf(address)`. */
  readonly signature: string
  readonly selector: Hex
  readonly inputs: readonly { readonly name: string; readonly type: string }[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
  /** Whether it only reads, so that `read` takes it. */
  readonly isRead: boolean
  readonly isPayable: boolean
}

export interface ReadParams {
  readonly address: Hex
  /** Canonical signature of a function that only reads. */
  readonly function: string
  /**
   * In the order of its parameters: text for elementary types (`0x…`, decimal, `true`), lists for
   * arrays and tuples.
   */
  readonly args: readonly ReadArgument[]
}

export type ReadArgument = string | readonly ReadArgument[]

export interface ReadAnswer {
  readonly sealed: ReadResult
  readonly pending: ReadResult
  readonly names: Names
}

export type ReadResult =
  | { readonly values: readonly DecodedArgument[] }
  | { readonly failure: Failure }

export interface LogParams {
  /**
   * Only lines after the one with this id. Default: all that are kept, at most 1,000 of requests
   * that succeeded, and 1,000 others
   */
  readonly after?: number
}

export interface LogAnswer {
  /** Oldest first. */
  readonly lines: readonly LogLine[]
  /** How many lines after `after` are not kept any more. */
  readonly omitted: number
  readonly names: Names
}

/** What happened while a dashboard was open. */
export interface LogLine {
  /** Rises by one. */
  readonly id: number
  /** Wall time, ms since the epoch. */
  readonly time: number
  readonly kind: 'console' | 'failed' | 'request' | 'late' | 'save' | 'undo' | 'fault'
  /** One or more lines. */
  readonly text: string
  /** The transaction, if the line is of one. */
  readonly transaction: Hex | null
  /** The contract, if there is one. */
  readonly address: Hex | null
}

export interface ResolveAnswer {
  /** Best first, at most 20; empty if the text means nothing here. */
  readonly matches: readonly Match[]
}

export interface Match {
  readonly kind: 'block' | 'transaction' | 'address' | 'contract' | 'function' | 'event'
  readonly text: string
  /** Below `/dashboard`, e.g. `/tx/0x…`. */
  readonly path: string
}

/** What the page may command; nothing else changes the node. */
export type Command =
  /** Freezes sealing, with `ticks` both clocks. */
  | { readonly name: 'freeze'; readonly ticks?: boolean }
  | { readonly name: 'resume' }
  | { readonly name: 'tick' }
  | { readonly name: 'advance'; readonly ticks: number }
  | { readonly name: 'advance'; readonly blocks: number }
  | { readonly name: 'seal' }
  /** Enters or leaves instant mode. */
  | { readonly name: 'instant'; readonly enabled: boolean }
  | { readonly name: 'snapshot' }
  | { readonly name: 'revert'; readonly id: Hex }
  | { readonly name: 'reset' }
  /** Drops a waiting or pre-confirmed transaction. */
  | { readonly name: 'drop'; readonly hash: Hex }

export interface CommandAnswer {
  readonly status: DashboardStatus
  readonly snapshots: readonly Snapshot[]
}

/**
 * Params of the notification `changed`, which the WebSocket pushes: at most 5 a second, and one at
 * once after a command. After a gap in the numbers the page asks for `state` and `strip` anew.
 */
export interface Changed {
  /** Rises by one. */
  readonly sequence: number
  readonly status: DashboardStatus
  /** New and changed groups, oldest first; they replace what overlaps with them. */
  readonly groups: readonly StripGroup[]
  /** Set if blocks or transactions were taken back since the last push. */
  readonly undo: {
    readonly command: 'drop' | 'rearrange' | 'revert' | 'rollback' | 'reorg' | 'reset' | 'load'
    /** Newest sealed block afterwards: what is newer is gone. */
    readonly latest: number
  } | null
  readonly counts: Counts
  readonly snapshots: readonly Snapshot[]
  /** New lines of the log, oldest first: at most 50 of requests that succeeded, and 50 others. */
  readonly lines: readonly LogLine[]
  /** How many lines came besides, which `log` answers. */
  readonly omittedLines: number
  /** Of contracts found since the last push. */
  readonly names: Names
}
