interface ModeDefinition {
  /** For the documents. */
  readonly title: string
  /** How the node is started. */
  readonly flags: readonly string[]
  /** Time in ms between two seals if the program works; none if there is no sealing clock. */
  readonly sealInterval?: number
}

/** The columns of the table. */
export const modes = {
  default: { title: 'default', flags: [], sealInterval: 6_000 },
  // Whoever waits for a receipt here waits for the seal.
  'receipts sealed': {
    title: '`--receipts sealed`',
    flags: ['--receipts', 'sealed'],
    sealInterval: 1_000,
  },
  'latest ticks': {
    title: '`--latest ticks`',
    flags: ['--latest', 'ticks'],
    sealInterval: 6_000,
  },
  instant: { title: '`--instant`', flags: ['--instant'] },
} as const satisfies Readonly<Record<string, ModeDefinition>>

/** Further columns for programs of Foundry, in the place of anvil. */
export const anvilModes = {
  anvil: { title: '`--anvil`', flags: ['--anvil'], sealInterval: 6_000 },
  'anvil instant': { title: '`--anvil --instant`', flags: ['--anvil', '--instant'] },
} as const satisfies Readonly<Record<string, ModeDefinition>>

/** Chains of the OP Stack as others show them, for the programs that say how they fare on them. */
export const networks = {
  base: { title: 'base', flags: ['--profile', 'base'] },
  'base-flashblocks': { title: 'base-flashblocks', flags: ['--profile', 'base-flashblocks'] },
  optimism: { title: 'optimism', flags: ['--profile', 'optimism'] },
  'op-subblocks': { title: 'op-subblocks', flags: ['--profile', 'op-subblocks'] },
  unichain: { title: 'unichain', flags: ['--profile', 'unichain'] },
  giwa: { title: 'giwa', flags: ['--profile', 'giwa'] },
  megaeth: { title: 'megaeth', flags: ['--profile', 'megaeth'] },
} as const satisfies Readonly<Record<string, ModeDefinition>>

export type Mode = keyof typeof modes
export type AnvilMode = keyof typeof anvilModes
export type Network = keyof typeof networks
