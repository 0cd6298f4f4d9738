/** An option of a command on the command line. */
export interface ControlOption {
  readonly type: 'flag' | 'text'
  /** Name of a text's value in `--help`. Default: number */
  readonly value?: string
  /** One sentence, with its full stop. */
  readonly description: string
}

/** Default address of `npx hardhat pending-node`. */
export const DEFAULT_URL = 'http://127.0.0.1:8545'

/** Options of every command to a running node. */
export const COMMON_OPTIONS = {
  url: { type: 'text', description: 'Address of the node.' },
  json: { type: 'flag', description: 'Print the result as JSON, for scripts.' },
} as const satisfies Readonly<Record<string, ControlOption>>

/**
 * The commands to a running node, and the one that checks any endpoint, each with the word that it
 * takes, if any, and its options besides {@link COMMON_OPTIONS}: the tasks under
 * `npx hardhat pending-node`, and the commands of the `pending-node` binary. Each start of Hardhat
 * loads this file, so it imports nothing.
 */
export const CONTROL_COMMANDS = {
  freeze: {
    description: 'Stop sealing: transactions are pre-confirmed and stay unsealed',
    options: { ticks: { type: 'flag', description: 'Stop the ticks too.' } },
  },
  resume: { description: 'Start both clocks again, from where they stopped', options: {} },
  advance: {
    description: 'Move time forward by ticks or by blocks',
    options: {
      ticks: { type: 'text', description: 'Ticks to run, each after one tick interval.' },
      blocks: {
        type: 'text',
        description: 'Blocks to seal, each after one seal interval and a tick.',
      },
    },
  },
  seal: { description: 'Seal the pending block now', options: {} },
  faults: {
    description: 'Set rules of faults, or show how often each has fired',
    options: {
      file: {
        type: 'text',
        value: 'path',
        description: 'JSON file with the rules, in place of all earlier ones.',
      },
      clear: { type: 'flag', description: 'Take all rules back.' },
    },
  },
  status: { description: 'Show both clocks, the pending block and the mempool', options: {} },
  report: {
    description: 'Execute a transaction again on both engines, and write a report of it',
    argument: { name: 'hash', description: 'Hash of the transaction.' },
    options: {
      out: { type: 'text', value: 'path', description: 'File (default: report-<8 digits>.json).' },
    },
  },
  conformance: {
    description: 'Check if the endpoint at an address is like a network',
    argument: { name: 'endpoint', description: 'As --url.' },
    options: {
      profile: { type: 'text', value: 'name', description: 'Profile of the network.' },
      key: { type: 'text', value: 'hex', description: 'Private key of an account with funds.' },
      mnemonic: {
        type: 'text',
        value: 'words',
        description: 'Its mnemonic, in place of a key (default: test test … junk).',
      },
      ws: {
        type: 'text',
        value: 'address',
        description: 'WebSocket address, or none (default: that of the endpoint, as ws:).',
      },
      only: {
        type: 'text',
        value: 'names',
        description: 'Checks whose names begin so, separated by commas (default: all).',
      },
      list: { type: 'flag', description: 'Print the checks of the profile, and run none.' },
    },
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly description: string
      readonly argument?: { readonly name: string; readonly description: string }
      readonly options: Readonly<Record<string, ControlOption>>
    }
  >
>

/** All commands that take no word are a `preconf_` method of the node. */
export type Command = keyof typeof CONTROL_COMMANDS
export type ControlCommand = Exclude<Command, 'conformance' | 'report'>

export function isCommand(word: string): word is Command {
  return Object.hasOwn(CONTROL_COMMANDS, word)
}

export const commandNames = Object.keys(CONTROL_COMMANDS).filter(isCommand)
