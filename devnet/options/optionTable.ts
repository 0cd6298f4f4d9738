import { MAX_TIMER_DELAY } from '../primitives/timers.ts'

/** The groups of options, in the order of their headings in the README. */
export type OptionGroup =
  | 'clocks'
  | 'chain'
  | 'state'
  | 'accounts'
  | 'server'
  | 'wallet'
  | 'limits'
  | 'output'

/** How a value is checked, and what the documentation says about it. */
export type ValueDefinition = {
  /** One sentence: what the option does, its unit, and, for a limit, the reason for it. */
  readonly description: string
  /** What the documentation shows as the default, if that is not `default` itself. */
  readonly defaultText?: string
} & (
  | {
      readonly type: 'integer'
      readonly default: number | undefined
      readonly min: number
      /** Default: the largest safe integer. */
      readonly max?: number
    }
  /** An amount in wei, from 0 to `max`. */
  | { readonly type: 'wei'; readonly default: bigint; readonly max: bigint }
  | {
      readonly type: 'text'
      readonly default: string
      readonly pattern: RegExp
      /** What `pattern` matches, in words. */
      readonly expected: string
      /** The value is never shown in a message. */
      readonly secret?: true
    }
  /** A list of strings, each of which matches `pattern`. */
  | {
      readonly type: 'list'
      readonly default: readonly string[] | undefined
      readonly pattern: RegExp
      readonly expected: string
    }
  /** Path of a file, absolute or relative to the working directory; none by default. */
  | { readonly type: 'path'; readonly default?: undefined }
  /** Off by default. */
  | { readonly type: 'flag'; readonly default?: false }
  | {
      readonly type: 'choice'
      readonly default: string | number | undefined
      readonly choices: readonly (string | number)[]
    }
  /** Checked by its own function, which throws an OptionError that begins with `label`. */
  | {
      readonly type: 'custom'
      readonly default?: undefined
      readonly read: (value: unknown, label: string) => unknown
    }
)

/** An option of `createDevnet` and of the command line. */
export type OptionDefinition = ValueDefinition & {
  readonly group: OptionGroup
  /** Decided by the genesis file if there is one: giving both is an error. */
  readonly inGenesis?: true
  /** Only the Hardhat task `pending-node` reads it; `createDevnet` ignores it. */
  readonly taskOnly?: true
}

/**
 * Every option of `createDevnet` and of `npx hardhat pending-node`. The types, the checks, the
 * command line and the tables in the documentation come from here. Hardhat loads this module at
 * every start, so it imports almost nothing.
 */
export const optionTable = {
  tickInterval: {
    type: 'integer',
    group: 'clocks',
    default: 200,
    min: 0,
    max: 3_600_000,
    description:
      'Time in ms between two ticks; 0 pre-confirms each transaction as soon as it arrives.',
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
    description:
      'Start with the sealing clock frozen: transactions are pre-confirmed but not sealed.',
  },
  frozenTicks: {
    type: 'flag',
    group: 'clocks',
    description: 'Start with both clocks frozen: nothing happens until a command moves them.',
  },
  instant: {
    type: 'flag',
    group: 'clocks',
    description:
      'Instant mode, as in hardhat node: each transaction is pre-confirmed and sealed at once, in its own block, and the sealing clock does not run.',
  },
  tickBudget: {
    type: 'integer',
    group: 'clocks',
    default: 180,
    defaultText: '180, at most 90 % of the tick interval',
    min: 1,
    max: 3_600_000,
    description:
      'Time in ms that one tick may take before it leaves the rest to the next one, so that ticks stay on time; reads are answered meanwhile. Never more than the tick interval.',
  },
  order: {
    type: 'choice',
    group: 'clocks',
    default: 'fifo',
    choices: ['fifo', 'fees'],
    description:
      'Order of transactions within a tick: fifo is by arrival, fees is by the tip they pay.',
  },
  genesis: {
    type: 'path',
    group: 'chain',
    description:
      'Genesis file in the format of geth to start from; it decides chain id, hardforks, accounts and fees.',
  },
  import: {
    type: 'path',
    group: 'chain',
    description:
      'File of RLP blocks, as exported by geth, to execute, verify and continue from; needs the genesis file.',
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
      'Hardfork that applies from the genesis block on: london, paris, shanghai, cancun, prague, osaka, bpo1 or bpo2.',
  },
  engine: {
    type: 'choice',
    group: 'chain',
    default: 'fast',
    choices: ['fast', 'library'],
    description:
      "What executes transactions and calls: fast, this node's own engine in WebAssembly, which leaves traces and hardforks before Berlin to @ethereumjs/vm, or library, @ethereumjs/vm for everything.",
  },
  gasLimit: {
    type: 'integer',
    group: 'chain',
    inGenesis: true,
    default: 60_000_000,
    min: 21_000,
    description: 'Gas limit of a block.',
  },
  transactionGasCap: {
    type: 'integer',
    group: 'chain',
    default: undefined,
    defaultText: 'that of the hardfork',
    min: 0,
    description:
      'Highest gas limit of a transaction; 0 for none. From Osaka on the hardfork has one, 16,777,216 (EIP-7825).',
  },
  codeSizeLimit: {
    type: 'integer',
    group: 'chain',
    default: undefined,
    defaultText: '24_576',
    min: 0,
    description:
      'Most bytes of deployed code (EIP-170); 0 for no limit. Init code may have twice as many (EIP-3860).',
  },
  coinbase: {
    type: 'text',
    group: 'chain',
    default: '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e',
    pattern: /^0x[0-9a-fA-F]{40}$/,
    expected: 'an address, 0x and 40 hexadecimal digits',
    description:
      'Address that gets the fees of new blocks; after the load of a state, the one that it names.',
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
    // The latest time that a JavaScript Date can hold, in s.
    max: 8_640_000_000_000,
    description:
      'Time of the genesis block, in s since the epoch; with a genesis file or a state file, the time at which the node continues.',
  },
  allowBlocksWithSameTimestamp: {
    type: 'flag',
    group: 'chain',
    description:
      'Allow a block to have the timestamp of its parent, like the Hardhat option of the same name; otherwise only seal intervals below one second allow it.',
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
      'How many transactions may wait in the mempool; further ones are refused, which bounds memory.',
  },
  revealMempool: {
    type: 'flag',
    group: 'chain',
    description:
      'Answer eth_getTransactionByHash and eth_getTransactionReceipt immediately for a transaction that waits for its tick, instead of after that tick.',
  },
  anvil: {
    type: 'flag',
    group: 'chain',
    description:
      'Answer like anvil if its clients depend on it: anvil_nodeInfo is available, evm_* commands return its results, and evm_setIntervalMining takes seconds.',
  },
  simulateErrors: {
    type: 'choice',
    group: 'chain',
    default: 'string',
    choices: ['string', 'object'],
    description:
      'Form of a failed call in eth_simulateV1: string is the reason, object is {code, message, data} as in execution-apis; with object, logIndex counts logs that a revert took back, as in geth.',
  },
  state: {
    type: 'path',
    group: 'state',
    description:
      'File to load the chain from at startup, if it exists, and to save it to on shutdown and at intervals; compressed if its name ends in .gz.',
  },
  loadState: {
    type: 'path',
    group: 'state',
    description: 'State file of this node or of anvil to load the chain from at startup.',
  },
  dumpState: {
    type: 'path',
    group: 'state',
    description:
      'File to save the chain to on shutdown and at intervals; compressed if its name ends in .gz.',
  },
  stateInterval: {
    type: 'integer',
    group: 'state',
    default: 60_000,
    min: 1000,
    max: MAX_TIMER_DELAY,
    description: 'Time in ms between two saves while the node runs; anvil counts seconds.',
  },
  accounts: {
    type: 'integer',
    group: 'accounts',
    default: 20,
    min: 0,
    max: 1000,
    description: 'Number of unlocked accounts.',
  },
  mnemonic: {
    type: 'text',
    group: 'accounts',
    default: 'test test test test test test test test test test test junk',
    pattern: /^[a-z]+(?: [a-z]+){11}(?:(?: [a-z]+){3}){0,4}$/,
    expected: '12, 15, 18, 21 or 24 lower-case words with one space between them',
    secret: true,
    description:
      "BIP-39 phrase from which the keys of the accounts are derived, at m/44'/60'/0'/0.",
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
    description: 'Port to listen on; 0 picks any free one.',
  },
  hostname: {
    type: 'text',
    group: 'server',
    default: '127.0.0.1',
    // A name or IPv4 address, or an IPv6 address with an optional zone.
    pattern: /^(?:[A-Za-z0-9._-]+|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?)$/,
    expected: 'a host name or address without port, such as 127.0.0.1',
    description:
      'Address to listen on, also in a container; 0.0.0.0 lets everyone who can reach this machine use the unlocked accounts.',
  },
  allowOrigin: {
    type: 'list',
    group: 'server',
    default: [],
    pattern: /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]_-]+\/?)$/i,
    expected: 'origins without a path, such as https://app.example, or null, or * for all',
    description:
      'Further origins of web pages that may call the node, or * for all, separated by commas on the command line; loopback pages and browser extensions always may.',
  },
  allowHost: {
    type: 'list',
    group: 'server',
    default: [],
    pattern: /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i,
    expected: 'host names without port, such as devnet',
    description:
      'Further names that the Host header may have, such as that of a compose service, separated by commas on the command line.',
  },
  walletPolicy: {
    type: 'choice',
    group: 'wallet',
    default: 'approve',
    choices: ['approve', 'reject', 'hold'],
    description:
      'What happens to requests to the mock wallet: approve, reject, or hold until they are decided on the approval page or through the control API.',
  },
  walletProfile: {
    type: 'choice',
    group: 'wallet',
    default: 'devnet',
    choices: ['devnet', 'eip3085', 'metamask'],
    description:
      'How strict wallet_addEthereumChain is: devnet accepts http URLs of this machine, eip3085 accepts none and asks about known chains too, metamask wants 18 decimals and no unknown fields, with one prompt at a time.',
  },
  walletPort: {
    type: 'integer',
    group: 'wallet',
    default: undefined,
    defaultText: 'the port of the node',
    min: 0,
    max: 65_535,
    description: 'Separate port for the mock wallet; 0 picks any free one.',
  },
  noWallet: {
    type: 'flag',
    group: 'wallet',
    description: 'Disable the mock wallet at /wallet.',
  },
  maxBodySize: {
    type: 'integer',
    group: 'limits',
    default: 5_242_880,
    min: 1024,
    // V8's maximum string length.
    max: 536_870_888,
    description:
      'Bytes in one request body or WebSocket message: enough for a batch of large deployments, but no client can exhaust the memory.',
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
  workers: {
    type: 'integer',
    group: 'limits',
    default: undefined,
    defaultText: 'one less than there are cores, 1 to 4',
    min: 0,
    max: 64,
    description:
      'Threads for calls, estimates and simulations that take long, so that ticks and other requests do not wait for them; each starts when it is needed, and 0 runs everything on the main thread.',
  },
  simulateBlocks: {
    type: 'integer',
    group: 'limits',
    default: 256,
    min: 1,
    description: 'Blocks in one simulation, including gaps in their numbers, as in geth.',
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
    max: MAX_TIMER_DELAY,
    description:
      'Time in ms that a request waits for a late tick, and that eth_sendRawTransactionSync and eth_sendTransactionSync wait for the receipt if the request does not say, as on Base.',
  },
  maxSyncTimeout: {
    type: 'integer',
    group: 'limits',
    default: 60_000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description:
      'Longest such time in ms; a request for more gets this, as in geth, so that none waits forever.',
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
    // Just under V8's maximum string length, leaving room for the JSON-RPC envelope.
    max: 536_000_000,
    description:
      'Bytes in one answer of the debug_trace methods, because the steps of one transaction can exhaust the memory.',
  },
  filterTimeout: {
    type: 'integer',
    group: 'limits',
    default: 300_000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description: 'Time in ms after which an unread filter is removed, as in geth.',
  },
  maxFilters: {
    type: 'integer',
    group: 'limits',
    default: 1000,
    min: 1,
    description:
      'Filters at any one time, so that clients that forget to uninstall theirs cannot exhaust the memory.',
  },
  maxSubscriptions: {
    type: 'integer',
    group: 'limits',
    default: 1024,
    min: 1,
    description:
      'Subscriptions of one WebSocket connection, because each one costs work in every tick.',
  },
  maxTotalSubscriptions: {
    type: 'integer',
    group: 'limits',
    default: 10_000,
    min: 1,
    description:
      'Subscriptions of all connections together, so that many clients cannot make ticks late.',
  },
  quiet: {
    type: 'flag',
    group: 'output',
    taskOnly: true,
    description: 'Print nothing but errors and the line that says that the node is ready.',
  },
  verbose: {
    type: 'flag',
    group: 'output',
    taskOnly: true,
    description:
      'Print every JSON-RPC request with its parameters and duration, not only those that fail.',
  },
  json: {
    type: 'flag',
    group: 'output',
    taskOnly: true,
    description: 'Print each line as one JSON object, for scripts.',
  },
} as const satisfies Record<string, OptionDefinition>

export type OptionName = keyof typeof optionTable

/** The default in the documentation: `defaultText`, or the value as a user would type it. */
export function shownDefault(definition: ValueDefinition): string {
  const { type, default: value = type === 'flag' ? false : undefined, defaultText } = definition
  if (defaultText !== undefined) return defaultText
  return type === 'list' || value === undefined ? 'none' : String(value)
}
