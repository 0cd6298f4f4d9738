import type { ProfileName } from './optionTable.ts'
import { FLASHBLOCK_KINDS, type Profile, STANDARD_KINDS } from './profile.ts'
import type { ProfileSource } from './profileSources.ts'

/** Value of a profile in a row of the table, and its source. */
type Cell<Value> = readonly [value: Value, source: ProfileSource]

type Cells = { readonly [Row in keyof Profile]: Cell<Profile[Row]> }

interface Column {
  /** The profile that decides the rows for which this one has no cell. */
  readonly parent: ProfileName
  readonly cells: Partial<Cells>
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
  ...BASE_METHODS.filter((name) => name !== 'eth_simulateV1'),
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockReceipts',
  'eth_getHeaderByNumber',
  'eth_getHeaderByHash',
  'eth_getRawTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_getCode',
  'eth_getStorageAt',
] as const

/** A transaction by its hash has no block until the seal, although its receipt has. */
const RISE_METHODS = BASE_METHODS.filter((name) => name !== 'eth_getTransactionByHash')

const MEGAETH_METHODS = [
  ...BASE_METHODS,
  'eth_getCode',
  'eth_getStorageAt',
  'eth_createAccessList',
] as const

const BASE_KINDS = [...STANDARD_KINDS, ...FLASHBLOCK_KINDS] as const

/** This node's own profile. */
const plain: Cells = {
  tickInterval: [200, 'own'],
  sealInterval: [2000, 'own'],
  slices: [1, 'own'],
  order: ['fifo', 'own'],
  receipts: ['preconfirmed', 'own'],
  latest: ['sealed', 'own'],
  opStack: [false, 'own'],
  preconfirms: [true, 'own'],
  emptyPending: ['the next block', 'own'],
  pendingHash: ['zero', 'own'],
  pendingZeros: [['stateRoot'], 'own'],
  pendingNumber: ['state, logs', 'own'],
  pendingAccessList: ['the list so far', 'own'],
  callBlock: ['pending', 'own'],
  estimateBlock: ['pending', 'own'],
  poolNonces: [false, 'own'],
  mempool: ['after its tick', 'own'],
  kinds: [[...BASE_KINDS, 'transactionReceipts'], 'own'],
  silentKinds: [[], 'own'],
  logs: ['the seal', 'own'],
  preconfirmedEvents: ['ticks that took something', 'own'],
  metadata: ['whole', 'own'],
  streamHash: ['zero', 'own'],
  streamWithdrawalsRoot: ['of an empty list', 'own'],
  errors: ['geth', 'own'],
  realtimeSend: [false, 'own'],
  longSync: ['cut', 'own'],
  baseTime: [false, 'own'],
  milliseconds: [false, 'own'],
  aware: ['all', 'own'],
}

/**
 * The same ticks, as networks show them: a profile has the cells in which it differs from its
 * parent. If public sources disagree, code and its tests are taken before documentation, and the
 * source of the cell says which.
 */
const columns: Readonly<Record<Exclude<ProfileName, 'plain'>, Column>> = {
  base: {
    parent: 'base-flashblocks',
    cells: {
      sealInterval: [200, 'denim'],
      slices: [1, 'denim'],
      receipts: ['sealed', 'denim'],
      preconfirms: [false, 'denim'],
      pendingZeros: [[], 'denim'],
      kinds: [[...BASE_KINDS, 'transactionReceipts'], 'denim'],
      silentKinds: [['newPendingTransactions', ...FLASHBLOCK_KINDS], 'denimProvider'],
      preconfirmedEvents: ['none', 'denim'],
      metadata: ['none', 'denim'],
      streamHash: ['zero', 'denim'],
      baseTime: [true, 'denim'],
      milliseconds: [true, 'denim'],
      aware: [[], 'denim'],
    },
  },
  'base-flashblocks': {
    parent: 'plain',
    cells: {
      tickInterval: [200, 'baseBuilder'],
      sealInterval: [2000, 'baseBuilder'],
      slices: [10, 'baseBuilder'],
      order: ['fees', 'baseBuilder'],
      receipts: ['preconfirmed', 'baseRpc'],
      latest: ['sealed', 'baseRpc'],
      opStack: [true, 'baseNode'],
      preconfirms: [true, 'baseRpc'],
      emptyPending: ['`latest`', 'baseRpc'],
      pendingHash: ['zero', 'baseRpc'],
      pendingZeros: [['stateRoot'], 'baseRpc'],
      pendingNumber: ['nothing', 'baseRpc'],
      pendingAccessList: ['null', 'accessLists'],
      callBlock: ['latest', 'baseRpc'],
      estimateBlock: ['latest', 'baseRpc'],
      poolNonces: [false, 'baseRpc'],
      mempool: ['without a block', 'pool'],
      kinds: [BASE_KINDS, 'baseRpc'],
      silentKinds: [['newPendingTransactions'], 'baseRpc'],
      logs: ['the seal', 'baseRpc'],
      preconfirmedEvents: ['slices', 'baseRpc'],
      metadata: ['number', 'baseMetadata'],
      streamHash: ['of its header', 'baseBuilder'],
      streamWithdrawalsRoot: ['of an empty list', 'baseBuilder'],
      errors: ['reth', 'reth'],
      longSync: ['refused', 'baseRpc'],
      milliseconds: [false, 'baseRpc'],
      aware: [BASE_METHODS, 'baseRpc'],
    },
  },
  optimism: {
    parent: 'op-subblocks',
    cells: {
      tickInterval: [250, 'opMainnet'],
      slices: [8, 'opMainnet'],
    },
  },
  'op-subblocks': {
    parent: 'base-flashblocks',
    cells: {
      pendingZeros: [['stateRoot', 'withdrawalsRoot'], 'subblocks'],
      callBlock: ['pending', 'subblocks'],
      mempool: ['null', 'opMainnet'],
      kinds: [STANDARD_KINDS, 'opMainnet'],
      preconfirmedEvents: ['none', 'opMainnet'],
      metadata: ['receipts', 'subblocks'],
      streamHash: ['zero', 'subblocks'],
      streamWithdrawalsRoot: ['zero', 'subblocks'],
      longSync: ['cut', 'reth'],
      aware: [SUBBLOCK_METHODS, 'subblocks'],
    },
  },
  unichain: {
    parent: 'base-flashblocks',
    cells: {
      sealInterval: [1000, 'unichain'],
      slices: [5, 'opBuilder'],
      metadata: ['tagged receipts', 'opBuilder'],
    },
  },
  xlayer: {
    parent: 'base-flashblocks',
    cells: {
      sealInterval: [1000, 'xlayer'],
      slices: [5, 'xlayer'],
      opStack: [false, 'own'],
      pendingHash: ['of its header', 'xlayer'],
      pendingNumber: ['all', 'xlayer'],
      callBlock: ['pending', 'xlayer'],
      poolNonces: [true, 'xlayer'],
      kinds: [[...STANDARD_KINDS, 'flashblocks'], 'xlayer'],
      silentKinds: [[], 'xlayer'],
      metadata: ['receipts', 'xlayer'],
      longSync: ['cut', 'xlayer'],
      aware: [XLAYER_METHODS, 'xlayer'],
    },
  },
  giwa: {
    parent: 'unichain',
    cells: {
      kinds: [STANDARD_KINDS, 'giwa'],
      preconfirmedEvents: ['none', 'giwa'],
    },
  },
  rise: {
    parent: 'base-flashblocks',
    cells: {
      tickInterval: [0, 'riseShreds'],
      sealInterval: [1000, 'riseLive'],
      slices: [1, 'riseLive'],
      order: ['fifo', 'own'],
      opStack: [false, 'riseReceipts'],
      kinds: [[...STANDARD_KINDS, 'shreds'], 'riseDocs'],
      logs: ['pre-confirmation, `null`', 'riseLive'],
      preconfirmedEvents: ['ticks that took something', 'riseLive'],
      metadata: ['none', 'riseDocs'],
      streamHash: ['zero', 'own'],
      aware: [RISE_METHODS, 'riseLive'],
    },
  },
  megaeth: {
    parent: 'base-flashblocks',
    cells: {
      tickInterval: [10, 'megaMiniBlocks'],
      sealInterval: [1000, 'megaMiniBlocks'],
      slices: [1, 'own'],
      order: ['fifo', 'own'],
      latest: ['ticks', 'megaRealtime'],
      pendingHash: ['ones', 'megaSend'],
      kinds: [[...STANDARD_KINDS, 'miniBlocks', 'stateChanges'], 'megaSubscribe'],
      logs: ['pre-confirmation, from and to `pending` only', 'megaSubscribe'],
      metadata: ['none', 'megaRealtime'],
      streamHash: ['zero', 'own'],
      realtimeSend: [true, 'megaSend'],
      aware: [MEGAETH_METHODS, 'megaRealtime'],
    },
  },
}

/** The profile that a profile is like, but for its own cells; `undefined` for `plain`. */
export function parentOf(name: ProfileName): ProfileName | undefined {
  return name === 'plain' ? undefined : columns[name].parent
}

/** A profile's cell in a row; `owner` is the profile that says it, itself or one it is like. */
export function cellOf<Row extends keyof Profile>(
  name: ProfileName,
  row: Row,
): { readonly value: Profile[Row]; readonly source: ProfileSource; readonly owner: ProfileName } {
  const cell: Cell<Profile[Row]> | undefined =
    name === 'plain' ? plain[row] : columns[name].cells[row]
  const parent = parentOf(name)
  if (cell === undefined && parent !== undefined) return cellOf(parent, row)
  // `plain` has all cells.
  const [value, source] = cell ?? plain[row]
  return { value, source, owner: name }
}

const profiles = new Map<ProfileName, Profile>()

/** The column of a profile: always the same object for the same name. */
export function profileOf(name: ProfileName): Profile {
  let profile = profiles.get(name)
  if (profile === undefined) {
    // The keys are those of a whole column.
    const rows = Object.keys(plain) as (keyof Profile)[]
    // Each row's value has the type of that row.
    profile = Object.fromEntries(rows.map((row) => [row, cellOf(name, row).value])) as never
    profiles.set(name, profile)
  }
  return profile
}

/** The profiles of the OP Stack, in words: `base, optimism, or unichain`. */
export function opStackProfiles(): string {
  // The keys are those of the table.
  const names = Object.keys(columns) as (keyof typeof columns)[]
  const list = new Intl.ListFormat('en', { type: 'disjunction' })
  return list.format(names.filter((name) => profileOf(name).opStack))
}
