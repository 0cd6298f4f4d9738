/** What an option of a command looks like on the command line. */
export interface ControlOption {
  readonly type: 'flag' | 'text'
  /** One sentence. */
  readonly description: string
}

/** Where `npx hardhat pending-node` listens unless it is told otherwise. */
export const defaultUrl = 'http://127.0.0.1:8545'

/** Options that every command to a running node takes. */
export const commonControlOptions = {
  url: { type: 'text', description: 'Address of the node.' },
  json: { type: 'flag', description: 'Print the status as JSON, for scripts.' },
} as const satisfies Readonly<Record<string, ControlOption>>

/**
 * The commands to a running node, with what each takes beside {@link commonControlOptions}: the tasks under
 * `npx hardhat pending-node`, and the same words of the `pending-node` binary. Each start of Hardhat reads it, so it
 * imports nothing.
 */
export const controlCommands = {
  freeze: {
    description: 'Stop sealing: transactions are pre-confirmed and stay unsealed',
    options: { ticks: { type: 'flag', description: 'Stop the ticks too.' } },
  },
  resume: { description: 'Start both clocks again, from where they stood', options: {} },
  advance: {
    description: 'Move time on by ticks or by blocks',
    options: {
      ticks: { type: 'text', description: 'Ticks to run, each after one tick interval.' },
      blocks: {
        type: 'text',
        description: 'Blocks to seal, each after one seal interval and a tick.',
      },
    },
  },
  seal: { description: 'Seal the pending block now', options: {} },
  status: { description: 'Show both clocks, the pending block and the mempool', options: {} },
} as const satisfies Readonly<
  Record<
    string,
    { readonly description: string; readonly options: Readonly<Record<string, ControlOption>> }
  >
>

export type ControlCommand = keyof typeof controlCommands
