import type { Options } from './options.ts'

/** Ticks as a network shows them. */
export interface Profile {
  /** ms; the default of the option. */
  readonly tickInterval: number
  /** ms; the default of the option. */
  readonly sealInterval: number
  /** The default of the option. */
  readonly slices: number
  /** The default of the option. */
  readonly order: Options['order']
  /** The default of the option, which no other value may contradict but in `plain`. */
  readonly receipts: Options['receipts']
  /** As {@link receipts}. */
  readonly latest: Options['latest']
  /** True if the chain has the predeploys, deposits and L1 fees of the OP Stack. */
  readonly opStack: boolean
  /** True if anything is shown before it is sealed. */
  readonly preconfirms: boolean
  /** Meaning of the tag `pending` while nothing is pre-confirmed. */
  readonly emptyPending: 'the next block' | '`latest`'
  /** Hash of the pending block, in the block and in what refers to it. */
  readonly pendingHash: 'zero' | 'of its header' | 'ones'
  /** Fields that the pending block lacks; its other roots are those of its contents so far. */
  readonly pendingZeros: readonly ('stateRoot' | 'withdrawalsRoot')[]
  /** Data found by the number of the pending block. */
  readonly pendingNumber: 'state, logs' | 'nothing' | 'all'
  /** Answer of `eth_getBlockAccessList` for the tag `pending`. */
  readonly pendingAccessList: 'the list so far' | 'null'
  /** The block whose number and time a call on `pending` sees; the state is the pending one. */
  readonly callBlock: 'pending' | 'latest'
  /** The block on which `eth_estimateGas` runs if the request names none. */
  readonly estimateBlock: 'pending' | 'latest'
  /** True if nonces at `pending` count what waits in the mempool. */
  readonly poolNonces: boolean
  /** Answer to a look-up by hash for a transaction in the mempool. */
  readonly mempool: 'after its tick' | 'null' | 'without a block'
  /** The kinds of `eth_subscribe`; all others are refused with -32602. */
  readonly kinds: readonly KindName[]
  /** Kinds of subscription that never send anything. */
  readonly silentKinds: readonly KindName[]
  /** Event at which `logs` sends, and the hash of a block that is not sealed yet. */
  readonly logs:
    | 'the seal'
    | 'pre-confirmation, `null`'
    | 'pre-confirmation, from and to `pending` only'
  /** Event at which the kinds for pre-confirmed transactions send. */
  readonly preconfirmedEvents: 'ticks that took something' | 'slices' | 'none'
  /** Form of `metadata` in a message of the raw stream. */
  readonly metadata: 'whole' | 'number' | 'receipts' | 'tagged receipts' | 'none'
  /** `diff.block_hash` of a message of the raw stream. */
  readonly streamHash: 'zero' | 'of its header'
  /** `diff.withdrawals_root` of a message of the raw stream. */
  readonly streamWithdrawalsRoot: 'zero' | 'of an empty list'
  /** The software whose codes and words errors have. */
  readonly errors: 'geth' | 'reth'
  /** True if `realtime_sendRawTransaction` is there (MegaETH). */
  readonly realtimeSend: boolean
  /** Treatment of a time of `eth_sendRawTransactionSync` over the maximum. */
  readonly longSync: 'cut' | 'refused'
  /** True if a deposit in each block tells contracts its time in ms (Base's BaseTime). */
  readonly baseTime: boolean
  /** True if blocks, transactions and logs have their time in ms as well. */
  readonly milliseconds: boolean
  /** The methods that know what is pre-confirmed, among those that read blocks and state. */
  readonly aware: 'all' | readonly string[]
}

/** Headings of the rows in the documentation. */
export const profileTitles: { readonly [Row in keyof Profile]: string } = {
  tickInterval: '`--tick-interval`',
  sealInterval: '`--seal-interval`',
  slices: '`--slices`: messages of a block behind index 0',
  order: '`--order`',
  receipts: '`--receipts`',
  latest: '`--latest`',
  opStack: 'OP Stack: predeploys, deposits, L1 fees',
  preconfirms: 'Shows transactions before the seal',
  emptyPending: '`pending` while nothing is pre-confirmed',
  pendingHash: '`hash` of the pending block',
  pendingZeros: 'Roots of the pending block that are zero',
  pendingNumber: 'What the number of the pending block finds',
  pendingAccessList: '`eth_getBlockAccessList` of `pending`',
  callBlock: 'Block in which calls on `pending` run',
  estimateBlock: 'Default block of `eth_estimateGas`',
  poolNonces: 'Nonces at `pending` count the mempool',
  mempool: 'A waiting transaction by its hash',
  kinds: '`eth_subscribe`',
  silentKinds: 'of these, never send anything',
  logs: '`logs` sends at',
  preconfirmedEvents: 'what is pre-confirmed is told at',
  metadata: '`metadata` of the flashblock stream',
  streamHash: '`block_hash` of the flashblock stream',
  streamWithdrawalsRoot: '`withdrawals_root` of the flashblock stream',
  errors: 'Errors',
  realtimeSend: '`realtime_sendRawTransaction`',
  longSync: 'A time over the maximum in `eth_sendRawTransactionSync`',
  baseTime: 'BaseTime: its predeploy, and a deposit in each block',
  milliseconds: '`timestampMs`, `blockTimestampMs`',
  aware: 'Methods that know what is pre-confirmed',
}

/** The kinds of `eth_subscribe` that all networks have. */
export const STANDARD_KINDS = ['newHeads', 'logs', 'newPendingTransactions', 'syncing'] as const

/** Base's kinds for what is pre-confirmed. */
export const FLASHBLOCK_KINDS = [
  'newFlashblocks',
  'newFlashblockTransactions',
  'pendingLogs',
] as const

/** A kind of `eth_subscribe`. */
export type KindName =
  | (typeof STANDARD_KINDS)[number]
  | (typeof FLASHBLOCK_KINDS)[number]
  | 'transactionReceipts'
  | 'shreds'
  | 'miniBlocks'
  | 'stateChanges'
  | 'flashblocks'
