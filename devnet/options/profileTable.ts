import type { Options } from './options.ts'
import type { ProfileName } from './optionTable.ts'

/** Source of a cell, for the documents. A commit is a repository as it was then. */
export const sources = {
  own: 'This node.',
  baseBuilder: '[base/base](https://github.com/base/base) 98a8db8, `crates/builder/core`.',
  baseRpc: 'The same, `crates/execution/flashblocks/src/rpc`, over the documentation.',
  baseMetadata: 'The same, `crates/alloy/flashblocks`; receipts and balances are gone since 0.8.',
  baseNode: 'The same, which is an OP Stack chain.',
  denim:
    "[Base's documents](https://docs.base.org/upgrades/denim/overview) of Denim; after it, Flashblocks end.",
  subblocks:
    '[OP Stack specification](https://specs.optimism.io/protocol/subblocks.html), `protocol/subblocks.md`.',
  opMainnet:
    'OP Mainnet, as [Chainstack](https://docs.chainstack.com/docs/flashblocks-on-optimism) describes and has tried it.',
  reth: '[reth](https://github.com/paradigmxyz/reth), on which these nodes are built, `rpc-eth-types/src/error`.',
  opBuilder:
    '[flashbots/op-rbuilder](https://github.com/flashbots/op-rbuilder) and [rollup-boost](https://github.com/flashbots/rollup-boost), `specs/flashblocks.md`.',
  unichain:
    "[Unichain's documents](https://docs.unichain.org/docs/technical-information/flashblocks), and what providers list.",
  xlayer:
    '[okx/xlayer-reth](https://github.com/okx/xlayer-reth) b85080e, `crates/rpc`, `flashblocks`, `builder`.',
  pool: '[base/base](https://github.com/base/base) 98a8db8, `crates/execution/rpc`, as op-geth and op-reth: a node keeps what it passes on to the sequencer in its own pool.',
} as const

type Source = keyof typeof sources

/** Value of a profile in a row of the table, with its source. */
type Cell<Value> = readonly [value: Value, source: Source]

interface Row<Value> {
  /** Heading in the documentation. */
  readonly title: string
  readonly cells: Readonly<Record<ProfileName, Cell<Value>>>
}

function row<Value>(title: string, cells: Row<Value>['cells']): Row<Value> {
  return { title, cells }
}

/** Methods whose `pending` is that of Base's nodes; all others know sealed blocks only. */
const BASE_METHODS = [
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_call',
  'eth_estimateGas',
  'eth_simulateV1',
  'eth_getLogs',
  'eth_sendRawTransactionSync',
] as const

const SUBBLOCK_METHODS = [
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_call',
  'eth_estimateGas',
  'eth_sendRawTransactionSync',
] as const

const XLAYER_METHODS = [
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockReceipts',
  'eth_getHeaderByNumber',
  'eth_getHeaderByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getRawTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_call',
  'eth_estimateGas',
  'eth_getLogs',
  'eth_sendRawTransactionSync',
] as const

/** The kinds of `eth_subscribe` that all networks have. */
const STANDARD_KINDS = ['newHeads', 'logs', 'newPendingTransactions', 'syncing'] as const

const BASE_KINDS = [
  ...STANDARD_KINDS,
  'newFlashblocks',
  'newFlashblockTransactions',
  'pendingLogs',
] as const

/** A kind of `eth_subscribe`. */
export type KindName = (typeof BASE_KINDS)[number] | 'flashblocks'

/**
 * The same ticks, as networks show them. If public sources disagree, code and its tests are taken
 * before documentation, and the source of the cell says which.
 */
export const profileTable = {
  /** ms; the default of the option. */
  tickInterval: row<number>('`--tick-interval`', {
    plain: [200, 'own'],
    base: [200, 'baseBuilder'],
    'op-subblocks': [200, 'subblocks'],
    unichain: [200, 'unichain'],
    xlayer: [200, 'xlayer'],
    denim: [200, 'denim'],
  }),
  /** ms; the default of the option. */
  sealInterval: row<number>('`--seal-interval`', {
    plain: [2000, 'own'],
    base: [2000, 'baseBuilder'],
    'op-subblocks': [2000, 'opMainnet'],
    unichain: [1000, 'unichain'],
    xlayer: [1000, 'xlayer'],
    denim: [200, 'denim'],
  }),
  /** The default of the option. */
  slices: row<number>('`--slices`: messages of a block behind index 0', {
    plain: [1, 'own'],
    base: [10, 'baseBuilder'],
    'op-subblocks': [10, 'subblocks'],
    unichain: [5, 'opBuilder'],
    xlayer: [5, 'xlayer'],
    denim: [1, 'denim'],
  }),
  /** The default of the option. */
  order: row<Options['order']>('`--order`', {
    plain: ['fifo', 'own'],
    base: ['fees', 'baseBuilder'],
    'op-subblocks': ['fees', 'opBuilder'],
    unichain: ['fees', 'opBuilder'],
    xlayer: ['fees', 'xlayer'],
    denim: ['fees', 'baseBuilder'],
  }),
  /** The default of the option, which no other value may contradict but in `plain`. */
  receipts: row<Options['receipts']>('`--receipts`', {
    plain: ['preconfirmed', 'own'],
    base: ['preconfirmed', 'baseRpc'],
    'op-subblocks': ['preconfirmed', 'subblocks'],
    unichain: ['preconfirmed', 'unichain'],
    xlayer: ['preconfirmed', 'xlayer'],
    denim: ['sealed', 'denim'],
  }),
  /** As {@link receipts}. */
  latest: row<Options['latest']>('`--latest`', {
    plain: ['sealed', 'own'],
    base: ['sealed', 'baseRpc'],
    'op-subblocks': ['sealed', 'reth'],
    unichain: ['sealed', 'opBuilder'],
    xlayer: ['sealed', 'own'],
    denim: ['sealed', 'denim'],
  }),
  /** True if the chain has the predeploys, deposits and L1 fees of the OP Stack. */
  opStack: row<boolean>('OP Stack: predeploys, deposits, L1 fees', {
    plain: [false, 'own'],
    base: [true, 'baseNode'],
    'op-subblocks': [true, 'subblocks'],
    unichain: [true, 'opBuilder'],
    xlayer: [false, 'own'],
    denim: [false, 'own'],
  }),
  /** True if anything is shown before it is sealed. */
  preconfirms: row<boolean>('Shows transactions before the seal', {
    plain: [true, 'own'],
    base: [true, 'baseRpc'],
    'op-subblocks': [true, 'subblocks'],
    unichain: [true, 'unichain'],
    xlayer: [true, 'xlayer'],
    denim: [false, 'denim'],
  }),
  /** Meaning of the tag `pending` while nothing is pre-confirmed. */
  emptyPending: row<'the next block' | '`latest`'>('`pending` while nothing is pre-confirmed', {
    plain: ['the next block', 'own'],
    base: ['`latest`', 'baseRpc'],
    'op-subblocks': ['`latest`', 'reth'],
    unichain: ['`latest`', 'opBuilder'],
    xlayer: ['`latest`', 'xlayer'],
    denim: ['`latest`', 'denim'],
  }),
  /** Hash of the pending block, in the block and in what refers to it. */
  pendingHash: row<'zero' | 'of its header'>('`hash` of the pending block', {
    plain: ['zero', 'own'],
    base: ['zero', 'baseRpc'],
    'op-subblocks': ['zero', 'subblocks'],
    unichain: ['zero', 'opBuilder'],
    xlayer: ['of its header', 'xlayer'],
    denim: ['zero', 'denim'],
  }),
  /** Fields that the pending block lacks; its other roots are those of its contents so far. */
  pendingZeros: row<readonly ('stateRoot' | 'withdrawalsRoot')[]>(
    'Roots of the pending block that are zero',
    {
      plain: [['stateRoot'], 'own'],
      base: [['stateRoot'], 'baseRpc'],
      'op-subblocks': [['stateRoot', 'withdrawalsRoot'], 'subblocks'],
      unichain: [['stateRoot'], 'opBuilder'],
      xlayer: [['stateRoot'], 'xlayer'],
      denim: [[], 'denim'],
    },
  ),
  /** Data found by the number of the pending block. */
  pendingNumber: row<'state, logs' | 'nothing' | 'all'>(
    'What the number of the pending block finds',
    {
      plain: ['state, logs', 'own'],
      base: ['nothing', 'baseRpc'],
      'op-subblocks': ['nothing', 'subblocks'],
      unichain: ['nothing', 'opBuilder'],
      xlayer: ['all', 'xlayer'],
      denim: ['nothing', 'denim'],
    },
  ),
  /** The block whose number and time a call on `pending` sees; the state is the pending one. */
  callBlock: row<'pending' | 'latest'>('Block in which calls on `pending` run', {
    plain: ['pending', 'own'],
    base: ['latest', 'baseRpc'],
    'op-subblocks': ['pending', 'subblocks'],
    unichain: ['latest', 'opBuilder'],
    xlayer: ['pending', 'xlayer'],
    denim: ['latest', 'denim'],
  }),
  /** The block on which `eth_estimateGas` runs if the request names none. */
  estimateBlock: row<'pending' | 'latest'>('Default block of `eth_estimateGas`', {
    plain: ['pending', 'own'],
    base: ['latest', 'baseRpc'],
    'op-subblocks': ['latest', 'reth'],
    unichain: ['latest', 'opBuilder'],
    xlayer: ['latest', 'xlayer'],
    denim: ['latest', 'reth'],
  }),
  /** True if nonces at `pending` count what waits in the mempool. */
  poolNonces: row<boolean>('Nonces at `pending` count the mempool', {
    plain: [false, 'own'],
    base: [false, 'baseRpc'],
    'op-subblocks': [false, 'subblocks'],
    unichain: [false, 'opBuilder'],
    xlayer: [true, 'xlayer'],
    denim: [false, 'denim'],
  }),
  /** Answer to a look-up by hash for a transaction in the mempool. */
  mempool: row<'after its tick' | 'null' | 'without a block'>('A waiting transaction by its hash', {
    plain: ['after its tick', 'own'],
    base: ['without a block', 'pool'],
    'op-subblocks': ['null', 'opMainnet'],
    unichain: ['without a block', 'pool'],
    xlayer: ['without a block', 'xlayer'],
    denim: ['without a block', 'pool'],
  }),
  /** The kinds of `eth_subscribe`; all others are refused with -32602. */
  kinds: row<readonly KindName[]>('`eth_subscribe`', {
    plain: [BASE_KINDS, 'own'],
    base: [BASE_KINDS, 'baseRpc'],
    'op-subblocks': [STANDARD_KINDS, 'opMainnet'],
    unichain: [BASE_KINDS, 'unichain'],
    xlayer: [[...STANDARD_KINDS, 'flashblocks'], 'xlayer'],
    denim: [STANDARD_KINDS, 'denim'],
  }),
  /** Those of the kinds that never send anything. */
  silentKinds: row<readonly KindName[]>('of these, never send anything', {
    plain: [[], 'own'],
    base: [['newPendingTransactions'], 'baseRpc'],
    'op-subblocks': [['newPendingTransactions'], 'opMainnet'],
    unichain: [['newPendingTransactions'], 'opBuilder'],
    xlayer: [[], 'xlayer'],
    denim: [['newPendingTransactions'], 'denim'],
  }),
  /** Event at which the kinds for pre-confirmed transactions send. */
  preconfirmedEvents: row<'ticks that took something' | 'slices' | 'none'>(
    'what is pre-confirmed is told at',
    {
      plain: ['ticks that took something', 'own'],
      base: ['slices', 'baseRpc'],
      'op-subblocks': ['none', 'opMainnet'],
      unichain: ['slices', 'opBuilder'],
      xlayer: ['slices', 'xlayer'],
      denim: ['none', 'denim'],
    },
  ),
  /** Form of `metadata` in a message of the raw stream. */
  metadata: row<'whole' | 'number' | 'receipts' | 'tagged receipts' | 'none'>(
    '`metadata` of the flashblock stream',
    {
      plain: ['whole', 'own'],
      base: ['number', 'baseMetadata'],
      'op-subblocks': ['receipts', 'subblocks'],
      unichain: ['tagged receipts', 'opBuilder'],
      xlayer: ['receipts', 'xlayer'],
      denim: ['none', 'denim'],
    },
  ),
  /** `diff.block_hash` of a message of the raw stream. */
  streamHash: row<'zero' | 'of its header'>('`block_hash` of the flashblock stream', {
    plain: ['zero', 'own'],
    base: ['of its header', 'baseBuilder'],
    'op-subblocks': ['zero', 'subblocks'],
    unichain: ['of its header', 'opBuilder'],
    xlayer: ['of its header', 'xlayer'],
    denim: ['zero', 'denim'],
  }),
  /** `diff.withdrawals_root` of a message of the raw stream. */
  streamWithdrawalsRoot: row<'zero' | 'of an empty list'>(
    '`withdrawals_root` of the flashblock stream',
    {
      plain: ['of an empty list', 'own'],
      base: ['of an empty list', 'baseBuilder'],
      'op-subblocks': ['zero', 'subblocks'],
      unichain: ['of an empty list', 'opBuilder'],
      xlayer: ['of an empty list', 'xlayer'],
      denim: ['of an empty list', 'denim'],
    },
  ),
  /** Whose codes and words errors have. */
  errors: row<'geth' | 'reth'>('Errors', {
    plain: ['geth', 'own'],
    base: ['reth', 'reth'],
    'op-subblocks': ['reth', 'reth'],
    unichain: ['reth', 'reth'],
    xlayer: ['reth', 'reth'],
    denim: ['reth', 'reth'],
  }),
  /** Treatment of a time of `eth_sendRawTransactionSync` over the maximum. */
  longSync: row<'cut' | 'refused'>('A time over the maximum in `eth_sendRawTransactionSync`', {
    plain: ['cut', 'own'],
    base: ['refused', 'baseRpc'],
    'op-subblocks': ['cut', 'reth'],
    unichain: ['refused', 'opBuilder'],
    xlayer: ['cut', 'xlayer'],
    denim: ['refused', 'baseRpc'],
  }),
  /** True if blocks, transactions and logs have their time in ms as well. */
  milliseconds: row<boolean>('`timestampMs`, `blockTimestampMs`', {
    plain: [false, 'own'],
    base: [false, 'baseRpc'],
    'op-subblocks': [false, 'subblocks'],
    unichain: [false, 'opBuilder'],
    xlayer: [false, 'xlayer'],
    denim: [true, 'denim'],
  }),
  /** The methods that know what is pre-confirmed, among those that read blocks and state. */
  aware: row<'all' | readonly string[]>('Methods that know what is pre-confirmed', {
    plain: ['all', 'own'],
    base: [BASE_METHODS, 'baseRpc'],
    'op-subblocks': [SUBBLOCK_METHODS, 'subblocks'],
    unichain: [BASE_METHODS, 'unichain'],
    xlayer: [XLAYER_METHODS, 'xlayer'],
    denim: [[], 'denim'],
  }),
} as const

type Table = typeof profileTable

/** Values of a profile, without the sources. */
export type Profile = {
  readonly [Name in keyof Table]: Table[Name] extends Row<infer Value> ? Value : never
}

const profiles = new Map<ProfileName, Profile>()

/** The column of a profile: always the same object for the same name. */
export function profileOf(name: ProfileName): Profile {
  let profile = profiles.get(name)
  if (profile === undefined) {
    const values = Object.entries(profileTable).map(([row, { cells }]) => [row, cells[name][0]])
    // Each row's cells have the type of that row.
    profile = Object.fromEntries(values) as Profile
    profiles.set(name, profile)
  }
  return profile
}

/** The profiles of the OP Stack, in words: `base, op-subblocks, or unichain`. */
export function opStackProfiles(): string {
  const names = Object.entries(profileTable.opStack.cells).filter(([, [has]]) => has)
  const list = new Intl.ListFormat('en', { type: 'disjunction' })
  return list.format(names.map(([name]) => name))
}
