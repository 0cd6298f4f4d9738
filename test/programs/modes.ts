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

export type Mode = keyof typeof modes
