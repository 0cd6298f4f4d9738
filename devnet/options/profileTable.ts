import type { Options } from './options.ts'
import type { ProfileName } from './optionTable.ts'

/** Where a cell is known from; a commit stands for a repository as it was then. */
export const sources = {
  own: 'this node',
  baseBuilder: 'base/base 98a8db8, crates/builder/core',
  baseChain: 'base/base 98a8db8, crates/alloy/chains',
  denimDocs: 'docs.base.org, Denim upgrade: 200 ms blocks',
  subblocks: 'ethereum-optimism/specs, protocol/subblocks.md',
  opBuilder: 'flashbots/op-rbuilder, crates/op-rbuilder',
  unichainDocs: 'docs.unichain.org, Flashblocks',
  xlayer: 'okx/xlayer-reth b85080e',
} as const

type Source = keyof typeof sources

/** What a profile has in a row of the table, and where that is known from. */
type Cell<Value> = readonly [value: Value, source: Source]

/** A row of the table. */
interface Row<Value> {
  /** Heading in the documentation. */
  readonly title: string
  readonly cells: Readonly<Record<ProfileName, Cell<Value>>>
}

/** Makes a row; its values are of the type of the first argument's. */
function row<Value>(title: string, cells: Row<Value>['cells']): Row<Value> {
  return { title, cells }
}

/**
 * How networks show the same ticks. Where public sources disagree, code and its tests are taken
 * before documentation, and the source of the cell says which.
 */
export const profileTable = {
  /** ms; the default of the option. */
  tickInterval: row<number>('`--tick-interval`', {
    plain: [200, 'own'],
    base: [200, 'baseBuilder'],
    'op-subblocks': [200, 'subblocks'],
    unichain: [200, 'unichainDocs'],
    xlayer: [200, 'xlayer'],
    denim: [200, 'denimDocs'],
  }),
  /** ms; the default of the option. */
  sealInterval: row<number>('`--seal-interval`', {
    plain: [2000, 'own'],
    base: [2000, 'baseBuilder'],
    'op-subblocks': [2000, 'subblocks'],
    unichain: [1000, 'opBuilder'],
    xlayer: [1000, 'xlayer'],
    denim: [200, 'denimDocs'],
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
  /** Whether the chain has the predeploys, deposits and L1 fees of the OP Stack. */
  opStack: row<boolean>('OP Stack predeploys, deposits and L1 fees', {
    plain: [false, 'own'],
    base: [true, 'baseChain'],
    'op-subblocks': [true, 'subblocks'],
    unichain: [true, 'opBuilder'],
    xlayer: [false, 'own'],
    denim: [false, 'own'],
  }),
} as const

type Table = typeof profileTable

/** What a profile says, without the sources. */
export type Profile = {
  readonly [Name in keyof Table]: Table[Name] extends Row<infer Value> ? Value : never
}

/** The column of a profile. */
export function profileOf(name: ProfileName): Profile {
  const values = Object.entries(profileTable).map(([row, { cells }]) => [row, cells[name][0]])
  // Each row's cells have the type of that row.
  return Object.fromEntries(values) as Profile
}
