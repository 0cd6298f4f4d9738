import { MAX_TIMER_DELAY } from '../primitives/timers.ts'

/** What every kind of option says about itself. */
interface Described {
  readonly group: OptionGroup
  /** One sentence: what it does, its unit, and for a limit its reason. */
  readonly description: string
  /** How the default comes about, where it is not the plain `default`. */
  readonly defaultText?: string
  /** Stands in the genesis file where there is one, so that both together are refused. */
  readonly inGenesis?: true
  /** Only the task `pending-node` reads it; `createDevnet` takes no notice. */
  readonly taskOnly?: true
}

/** Headings of the options in the README, in this order. */
export type OptionGroup =
  | 'clocks'
  | 'chain'
  | 'state'
  | 'accounts'
  | 'server'
  | 'wallet'
  | 'limits'
  | 'output'

/** A number without fraction, from `min` to `max` (default: the largest safe integer). */
export interface IntegerOption extends Described {
  readonly type: 'integer'
  readonly default: number | undefined
  readonly min: number
  readonly max?: number
}

/** An amount in wei, from 0 to `max`. */
export interface WeiOption extends Described {
  readonly type: 'wei'
  readonly default: bigint
  readonly max: bigint
}

/** A text, or a list of texts, each of which matches `pattern`; `expected` names what that is. */
export interface TextOption extends Described {
  readonly type: 'text'
  readonly default: string
  readonly pattern: RegExp
  readonly expected: string
  /** Never shown in a message. */
  readonly secret?: true
}

/** A path of a file, absolute or from the working directory; none by default. */
export interface PathOption extends Described {
  readonly type: 'path'
  readonly default: undefined
}

export interface ListOption extends Described {
  readonly type: 'list'
  readonly default: readonly string[]
  readonly pattern: RegExp
  readonly expected: string
}

export interface FlagOption extends Described {
  readonly type: 'flag'
  readonly default: boolean
}

export interface ChoiceOption extends Described {
  readonly type: 'choice'
  readonly default: string
  readonly choices: readonly string[]
}

export type OptionDefinition =
  | IntegerOption
  | WeiOption
  | TextOption
  | PathOption
  | ListOption
  | FlagOption
  | ChoiceOption

/**
 * Every option of `createDevnet` and of `npx hardhat pending-node`; the types, the checks, the command line and
 * the table in the README come from here. Each start of Hardhat reads it, so it imports nothing.
 */
export const optionTable = {
  tickInterval: {
    type: 'integer',
    group: 'clocks',
    default: 200,
    min: 0,
    max: 3_600_000,
    description: 'Time in ms between two ticks; 0 pre-confirms each transaction when it arrives.',
  },
  sealInterval: {
    type: 'integer',
    group: 'clocks',
    default: 2000,
    min: 1,
    max: 86_400_000,
    description: 'Time in ms between two seals.',
  },
  frozen: {
    type: 'flag',
    group: 'clocks',
    default: false,
    description:
      'Start with the sealing clock frozen: transactions are pre-confirmed and stay unsealed.',
  },
  frozenTicks: {
    type: 'flag',
    group: 'clocks',
    default: false,
    description: 'Start with both clocks frozen: nothing happens until a command moves them.',
  },
  instant: {
    type: 'flag',
    group: 'clocks',
    default: false,
    description:
      'Instant mode, as hardhat node: each transaction is pre-confirmed and sealed at once, in a block of its own, and the sealing clock does not beat.',
  },
  tickBudget: {
    type: 'integer',
    group: 'clocks',
    default: 180,
    defaultText: '180, at most 90 % of the tick interval',
    min: 1,
    max: 3_600_000,
    description:
      'Time in ms that a tick may work before it leaves the rest to the next one, so that ticks stay on time; reads are answered meanwhile. Never more than the tick interval.',
  },
  order: {
    type: 'choice',
    group: 'clocks',
    default: 'fifo',
    choices: ['fifo', 'fees'],
    description:
      'Order of transactions inside a tick: fifo is by arrival, fees is by the tip they pay.',
  },
  genesis: {
    type: 'path',
    group: 'chain',
    default: undefined,
    description:
      'Genesis file of geth to start from; chain id, hardforks, accounts and fees are those of the file.',
  },
  import: {
    type: 'path',
    group: 'chain',
    default: undefined,
    description:
      'File of RLP blocks, as geth exports them, to execute, verify and go on from; needs the genesis file.',
  },
  chainId: {
    type: 'integer',
    group: 'chain',
    inGenesis: true,
    default: 31337,
    min: 1,
    description: 'Chain id.',
  },
  hardfork: {
    type: 'choice',
    group: 'chain',
    inGenesis: true,
    default: 'bpo2',
    choices: ['london', 'paris', 'shanghai', 'cancun', 'prague', 'osaka', 'bpo1', 'bpo2'],
    description:
      'Hardfork whose rules hold from the genesis block on: london, paris, shanghai, cancun, prague, osaka, bpo1 or bpo2.',
  },
  gasLimit: {
    type: 'integer',
    group: 'chain',
    inGenesis: true,
    default: 60_000_000,
    min: 21_000,
    description: 'Gas limit of a block.',
  },
  baseFee: {
    type: 'wei',
    group: 'chain',
    inGenesis: true,
    default: 1_000_000_000n,
    max: 2n ** 64n - 1n,
    description: 'Base fee of the genesis block, in wei per gas; later ones follow EIP-1559.',
  },
  timestamp: {
    type: 'integer',
    group: 'chain',
    default: undefined,
    defaultText: 'now',
    min: 0,
    // The latest time that a JavaScript Date can hold.
    max: 8_640_000_000_000,
    description:
      'Time of the genesis block, in s since the epoch; with a genesis file, the time at which the node goes on.',
  },
  allowBlocksWithSameTimestamp: {
    type: 'flag',
    group: 'chain',
    default: false,
    description:
      'Let a block have the timestamp of its parent, as the option of that name in Hardhat; otherwise only seal intervals under one second do.',
  },
  safeDepth: {
    type: 'integer',
    group: 'chain',
    default: 0,
    min: 0,
    description: 'How many blocks "safe" is behind "latest".',
  },
  finalizedDepth: {
    type: 'integer',
    group: 'chain',
    default: 0,
    defaultText: 'the safe depth',
    min: 0,
    description: 'How many blocks "finalized" is behind "latest"; at least the safe depth.',
  },
  keepBlocks: {
    type: 'integer',
    group: 'chain',
    default: 0,
    min: 0,
    description: 'How many of the latest blocks are kept with their state; 0 keeps all.',
  },
  mempoolSize: {
    type: 'integer',
    group: 'chain',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    description:
      'Transactions that may wait in the mempool; more are refused, which bounds its memory.',
  },
  revealMempool: {
    type: 'flag',
    group: 'chain',
    default: false,
    description:
      'Answer eth_getTransactionByHash and eth_getTransactionReceipt at once for a transaction that waits for its tick, instead of after that tick.',
  },
  anvil: {
    type: 'flag',
    group: 'chain',
    default: false,
    description:
      'Answer as anvil where its clients count on that: anvil_nodeInfo answers, evm_* commands give its results, and evm_setIntervalMining takes seconds.',
  },
  simulateErrors: {
    type: 'choice',
    group: 'chain',
    default: 'string',
    choices: ['string', 'object'],
    description:
      'Form of a failed call in eth_simulateV1: string is the reason, object is {code, message, data} as in execution-apis.',
  },
  state: {
    type: 'path',
    group: 'state',
    default: undefined,
    description:
      'File that the chain is loaded from at the start, if it is there, and saved to at the end and meanwhile; compressed where its name ends in .gz.',
  },
  loadState: {
    type: 'path',
    group: 'state',
    default: undefined,
    description: 'File of this node or of anvil that the chain is loaded from at the start.',
  },
  dumpState: {
    type: 'path',
    group: 'state',
    default: undefined,
    description:
      'File that the chain is saved to at the end and meanwhile; compressed where its name ends in .gz.',
  },
  stateInterval: {
    type: 'integer',
    group: 'state',
    default: 60_000,
    min: 1000,
    // setTimeout takes no longer delay.
    max: MAX_TIMER_DELAY,
    description:
      'Time in ms between two saves while the node runs; in ms, where anvil counts seconds.',
  },
  accounts: {
    type: 'integer',
    group: 'accounts',
    default: 20,
    min: 0,
    max: 1000,
    description: 'How many unlocked accounts there are.',
  },
  mnemonic: {
    type: 'text',
    group: 'accounts',
    default: 'test test test test test test test test test test test junk',
    pattern: /^[a-z]+(?: [a-z]+){11}(?:(?: [a-z]+){3}){0,4}$/,
    expected: '12, 15, 18, 21 or 24 lower-case words with one space between them',
    secret: true,
    description: "BIP-39 phrase that the accounts' keys are derived from, at m/44'/60'/0'/0.",
  },
  balance: {
    type: 'integer',
    group: 'accounts',
    inGenesis: true,
    default: 10_000,
    min: 0,
    description: 'Balance of each account at genesis, in ether.',
  },
  port: {
    type: 'integer',
    group: 'server',
    default: 8545,
    min: 0,
    max: 65_535,
    description: 'Port to listen on; 0 takes any free one.',
  },
  hostname: {
    type: 'text',
    group: 'server',
    default: '127.0.0.1',
    // A name or IPv4 address, or an IPv6 address, perhaps with its zone.
    pattern: /^(?:[A-Za-z0-9._-]+|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?)$/,
    expected: 'a host name or address without port, such as 127.0.0.1',
    description:
      'Address to listen on, also in a container; 0.0.0.0 lets everyone who reaches this machine use the unlocked accounts.',
  },
  allowOrigin: {
    type: 'list',
    group: 'server',
    default: [],
    pattern: /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]_-]+\/?)$/i,
    expected: 'origins without a path, such as https://app.example, or null, or * for all',
    description:
      'More origins of web pages that may call the node, or * for all, separated by commas on the command line; loopback pages and browser extensions always may.',
  },
  allowHost: {
    type: 'list',
    group: 'server',
    default: [],
    pattern: /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i,
    expected: 'host names without port, such as devnet',
    description:
      'More names by which the node may be called in the Host header, such as that of a compose service, separated by commas on the command line.',
  },
  walletPolicy: {
    type: 'choice',
    group: 'wallet',
    default: 'approve',
    choices: ['approve', 'reject', 'hold'],
    description:
      'What happens to requests to the mock wallet: approve, reject, or hold until somebody decides on the approval page or by the control API.',
  },
  walletProfile: {
    type: 'choice',
    group: 'wallet',
    default: 'devnet',
    choices: ['devnet', 'eip3085', 'metamask'],
    description:
      'How strict wallet_addEthereumChain is: devnet takes http URLs of this machine, eip3085 follows the letter of the EIP, metamask takes what MetaMask takes.',
  },
  walletPort: {
    type: 'integer',
    group: 'wallet',
    default: undefined,
    defaultText: 'the port of the node',
    min: 0,
    max: 65_535,
    description: 'Port of its own for the mock wallet; 0 takes any free one.',
  },
  noWallet: {
    type: 'flag',
    group: 'wallet',
    default: false,
    description: 'Do without the mock wallet at /wallet.',
  },
  maxBodySize: {
    type: 'integer',
    group: 'limits',
    default: 5_242_880,
    min: 1024,
    // V8 cannot hold a longer text.
    max: 536_870_888,
    description:
      'Bytes in one request body or WebSocket message: a batch of large deployments fits, and no client can fill the memory.',
  },
  maxBatch: {
    type: 'integer',
    group: 'limits',
    default: 1000,
    min: 1,
    description: 'Requests in one batch, because a batch is answered as a whole.',
  },
  callGasLimit: {
    type: 'integer',
    group: 'limits',
    default: 50_000_000,
    min: 21_000,
    description: 'Gas of one eth_call, estimate or simulation, so that an endless loop ends.',
  },
  simulateBlocks: {
    type: 'integer',
    group: 'limits',
    default: 256,
    min: 1,
    description: 'Blocks in one simulation, gaps in their numbers included, as in geth.',
  },
  simulateCallsPerBlock: {
    type: 'integer',
    group: 'limits',
    default: 5000,
    min: 1,
    description: 'Calls in one simulated block, which bounds the size of that block.',
  },
  simulateCalls: {
    type: 'integer',
    group: 'limits',
    default: 10_000,
    min: 1,
    description: 'Calls in one simulation, which bounds the size of the answer.',
  },
  simulateTimeout: {
    type: 'integer',
    group: 'limits',
    default: 5000,
    min: 1,
    max: 3_600_000,
    description: 'Time in ms that one simulation, eth_call or estimate may take, as in geth.',
  },
  syncTimeout: {
    type: 'integer',
    group: 'limits',
    default: 6000,
    min: 1,
    // setTimeout takes no longer delay.
    max: MAX_TIMER_DELAY,
    description:
      'Time in ms that eth_sendRawTransactionSync and eth_sendTransactionSync wait for the receipt where the request does not say, as on Base.',
  },
  maxSyncTimeout: {
    type: 'integer',
    group: 'limits',
    default: 60_000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description:
      'Longest such time in ms; a request for more gets this, as in geth, so that none waits for ever.',
  },
  maxLogs: {
    type: 'integer',
    group: 'limits',
    default: 20_000,
    min: 1,
    description: 'Logs in one answer of eth_getLogs, which bounds the size of the answer.',
  },
  maxTraceSize: {
    type: 'integer',
    group: 'limits',
    default: 134_217_728,
    min: 1024,
    // With what surrounds it, a text that V8 can hold.
    max: 536_000_000,
    description:
      'Bytes in one answer of debug_trace methods, because the steps of one transaction can fill the memory.',
  },
  filterTimeout: {
    type: 'integer',
    group: 'limits',
    default: 300_000,
    min: 1,
    // setTimeout takes no longer delay.
    max: MAX_TIMER_DELAY,
    description: 'Time in ms after which a filter that nobody reads is removed, as in geth.',
  },
  maxFilters: {
    type: 'integer',
    group: 'limits',
    default: 1000,
    min: 1,
    description:
      'Filters at a time, so that clients that forget to uninstall theirs cannot fill the memory.',
  },
  maxSubscriptions: {
    type: 'integer',
    group: 'limits',
    default: 1024,
    min: 1,
    description:
      'Subscriptions of one WebSocket connection, because each costs work at every tick.',
  },
  quiet: {
    type: 'flag',
    group: 'output',
    taskOnly: true,
    default: false,
    description: 'Print nothing but errors and the line that says that the node is ready.',
  },
  verbose: {
    type: 'flag',
    group: 'output',
    taskOnly: true,
    default: false,
    description:
      'Print every JSON-RPC request with its parameters and the time it took, not only those that fail.',
  },
  json: {
    type: 'flag',
    group: 'output',
    taskOnly: true,
    default: false,
    description: 'Print each line as one JSON object, for scripts.',
  },
} as const satisfies Record<string, OptionDefinition>

export type OptionName = keyof typeof optionTable

/** An option's default as text: how it comes about, or the value as it can be typed. */
export function shownDefault({ type, default: value, defaultText }: OptionDefinition): string {
  if (defaultText !== undefined) return defaultText
  return type === 'list' || value === undefined ? 'none' : String(value)
}
