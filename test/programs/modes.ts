interface ModeDefinition {
  /** For the documents. */
  readonly title: string
  /**
   * How the node is started. The clocks are quick where programs wait for them, and slow where they
   * do not, so that no seal hides by chance that a program reads `latest` too early.
   */
  readonly flags: readonly string[]
}

/** The columns of the table. */
export const modes = {
  default: { title: 'default', flags: ['--seal-interval', '6000'] },
  'receipts sealed': {
    title: '`--receipts sealed`',
    flags: ['--receipts', 'sealed', '--seal-interval', '1000'],
  },
  'latest ticks': {
    title: '`--latest ticks`',
    flags: ['--latest', 'ticks', '--seal-interval', '6000'],
  },
  instant: { title: '`--instant`', flags: ['--instant'] },
} as const satisfies Readonly<Record<string, ModeDefinition>>

export type Mode = keyof typeof modes
