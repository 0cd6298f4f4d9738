import type { OptionDefinition } from '../optionDefinition.ts'

export const chainOptions = {
  profile: {
    type: 'choice',
    default: 'plain',
    choices: [
      'plain',
      'base',
      'base-flashblocks',
      'optimism',
      'op-subblocks',
      'unichain',
      'xlayer',
      'giwa',
      'rise',
      'megaeth',
    ],
    description:
      "The network whose pre-confirmations the node shows: plain, this node's own, or that of a network: base, base-flashblocks, optimism, op-subblocks, unichain, xlayer, giwa, rise, or megaeth. It decides the defaults of the clocks and the order, and what answers look like.",
  },
  genesis: {
    type: 'path',
    description:
      'Genesis file in the format of geth to start from; it decides chain id, hardforks, accounts and fees.',
  },
  import: {
    type: 'path',
    description:
      'File of RLP blocks, as exported by geth, to execute, verify and continue from; needs the genesis file.',
  },
  follow: {
    type: 'text',
    default: undefined,
    defaultText: 'none',
    pattern: /^wss?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/,
    expected: 'the URL of a stream, such as ws://127.0.0.1:8545/flashblocks',
    description:
      'URL of the flashblock stream of another node, such as ws://127.0.0.1:8545/flashblocks, to repeat its blocks and answer reads like it.',
  },
  chainId: {
    type: 'integer',
    inGenesis: true,
    default: 31337,
    min: 1,
    description: 'Chain id; on a fork, by default that of the chain it stands on.',
  },
  hardfork: {
    type: 'choice',
    inGenesis: true,
    default: 'bpo2',
    choices: [
      'london',
      'paris',
      'shanghai',
      'cancun',
      'prague',
      'osaka',
      'bpo1',
      'bpo2',
      'amsterdam',
    ],
    description:
      'Hardfork that applies from the genesis block on, or from the fork block on, which by default decides it: london, paris, shanghai, cancun, prague, osaka, bpo1, bpo2 or amsterdam, the next one.',
  },
  engine: {
    type: 'choice',
    default: 'fast',
    choices: ['fast', 'library'],
    description:
      "What executes transactions and calls: fast, this node's own engine in WebAssembly, which leaves traces and hardforks before Berlin to @ethereumjs/vm, or library, @ethereumjs/vm for everything.",
  },
  gasLimit: {
    type: 'integer',
    inGenesis: true,
    default: 60_000_000,
    min: 21_000,
    description: 'Gas limit of a block; on a fork, by default that of the fork block.',
  },
  transactionGasCap: {
    type: 'integer',
    default: undefined,
    defaultText: 'that of the hardfork',
    min: 0,
    description:
      'Highest gas limit of a transaction; 0 for none. From Osaka on the hardfork has one, 16777216 (EIP-7825), which from Amsterdam on caps execution gas alone (EIP-8037).',
  },
  codeSizeLimit: {
    type: 'integer',
    shorthand: {
      flag: 'disableCodeSizeLimit',
      value: '0',
      description: "No limit of deployed code: anvil's flag for --code-size-limit 0.",
    },
    default: undefined,
    defaultText: '24576',
    min: 0,
    description:
      'Most bytes of deployed code (EIP-170); 0, or the flag --disable-code-size-limit, for no limit. Init code may have twice as many (EIP-3860).',
  },
  coinbase: {
    type: 'text',
    default: '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e',
    pattern: /^0x[0-9a-fA-F]{40}$/,
    expected: 'an address, 0x and 40 hexadecimal digits',
    description:
      'Address that gets the fees of new blocks; after the load of a state, the one that it names.',
  },
  baseFee: {
    type: 'wei',
    alias: 'blockBaseFeePerGas',
    inGenesis: true,
    default: 1_000_000_000n,
    max: 2n ** 64n - 1n,
    description:
      'Base fee of the genesis block, or of the first block of a fork if it is given, in wei per gas; later ones follow EIP-1559.',
  },
  timestamp: {
    type: 'integer',
    default: undefined,
    defaultText: 'now',
    min: 0,
    // The latest time that a JavaScript Date can hold, in s.
    max: 8_640_000_000_000,
    description:
      'Time of the genesis block, in s since the epoch; with a genesis file, a state file or a fork, the time at which the node continues.',
  },
  allowBlocksWithSameTimestamp: {
    type: 'flag',
    description:
      'Allow a block to have the timestamp of its parent, like the Hardhat option of the same name; otherwise only seal intervals below one second allow it.',
  },
  safeDepth: {
    type: 'integer',
    default: 0,
    min: 0,
    description: 'How many blocks "safe" is behind "latest".',
  },
  finalizedDepth: {
    type: 'integer',
    default: 0,
    defaultText: 'the safe depth',
    min: 0,
    description: 'How many blocks "finalized" is behind "latest"; at least the safe depth.',
  },
  keepBlocks: {
    type: 'integer',
    default: 0,
    min: 0,
    description: 'How many of the latest blocks are kept with their state; 0 keeps all.',
  },
  mempoolSize: {
    type: 'integer',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    description:
      'How many transactions may wait in the mempool; further ones are refused, which bounds memory.',
  },
  revealMempool: {
    type: 'flag',
    description:
      'Answer eth_getTransactionByHash and eth_getTransactionReceipt immediately for a transaction that waits for its tick, instead of after that tick.',
  },
  receipts: {
    type: 'choice',
    default: 'preconfirmed',
    defaultText: 'preconfirmed, or that of the profile',
    choices: ['preconfirmed', 'sealed'],
    description:
      'From when on a look-up by hash finds the receipt and the block of a transaction: preconfirmed, from its tick on, or sealed, from the seal on, for programs that read latest once they have a receipt.',
  },
  latest: {
    type: 'choice',
    default: 'sealed',
    defaultText: 'sealed, or that of the profile',
    choices: ['sealed', 'ticks'],
    description:
      'What latest, or no block, means where state is read or code run: sealed, the newest block, or ticks, what is pre-confirmed, for programs that cannot read pending. Blocks, logs and proofs stay sealed.',
  },
  anvil: {
    type: 'flag',
    description:
      'Answer like anvil if its clients depend on it: evm_* commands return its results, quantities may be decimal, and evm_setIntervalMining takes seconds.',
  },
  simulateErrors: {
    type: 'choice',
    default: 'string',
    choices: ['string', 'object'],
    description:
      'Form of a failed call in eth_simulateV1: string is the reason, object is {code, message, data} as in execution-apis; with object, logIndex counts logs that a revert took back, as in geth.',
  },
} as const satisfies Record<string, OptionDefinition>
