import type { OptionDefinition } from '../optionDefinition.ts'

/** Addresses of the node and its mock wallet, and the clients that they answer. */
export const serverOptions = {
  port: {
    type: 'integer',
    default: 8545,
    min: 0,
    max: 65_535,
    description: 'Port to listen on; 0 picks any free one.',
  },
  hostname: {
    type: 'text',
    alias: 'host',
    default: '127.0.0.1',
    // A name or IPv4 address, or an IPv6 address with an optional zone.
    pattern: /^(?:[A-Za-z0-9._-]+|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?)$/,
    expected: 'a host name or address without port, such as 127.0.0.1',
    description:
      'Address to listen on, also in a container; 0.0.0.0 lets everyone who can reach this machine use the unlocked accounts.',
  },
  allowOrigin: {
    type: 'list',
    default: [],
    pattern: /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]_-]+\/?)$/i,
    expected: 'origins without a path, such as https://app.example, or null, or * for all',
    description:
      'Further origins of web pages that may call the node, or * for all, separated by commas on the command line; loopback pages and browser extensions always may.',
  },
  allowHost: {
    type: 'list',
    default: [],
    pattern: /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i,
    expected: 'host names without port, such as devnet',
    description:
      'Further names that the Host header may have, such as that of a compose service, separated by commas on the command line.',
  },
  flashblocksPort: {
    type: 'integer',
    default: undefined,
    defaultText: 'the port of the node',
    min: 0,
    max: 65_535,
    description: 'Separate port for the flashblock stream at /flashblocks; 0 picks any free one.',
  },
  noDashboard: {
    type: 'flag',
    description: 'Disable the dashboard at /dashboard.',
  },
} as const satisfies Record<string, OptionDefinition>

/** The mock wallet, which has more options in `createDevnet`. */
export const walletOptions = {
  walletPolicy: {
    type: 'choice',
    default: 'approve',
    choices: ['approve', 'reject', 'hold'],
    description:
      'What happens to requests to the mock wallet: approve, reject, or hold until they are decided on the approval page or through the control API.',
  },
  walletProfile: {
    type: 'choice',
    default: 'devnet',
    choices: ['devnet', 'eip3085', 'metamask'],
    description:
      'How strict wallet_addEthereumChain is: devnet accepts http URLs of this machine, eip3085 accepts none, asks about known chains too and refuses superfluous parameters of all methods, metamask wants 18 decimals and no unknown fields, with one prompt at a time.',
  },
  walletAtomic: {
    type: 'choice',
    default: 'unsupported',
    choices: ['unsupported', 'ready', 'supported'],
    description:
      'Whether the mock wallet executes batches of calls atomically (EIP-5792): not at all, once the user has let it upgrade the account, or at once.',
  },
  walletPort: {
    type: 'integer',
    default: undefined,
    defaultText: 'the port of the node',
    min: 0,
    max: 65_535,
    description: 'Separate port for the mock wallet; 0 picks any free one.',
  },
  noWallet: {
    type: 'flag',
    description: 'Disable the mock wallet at /wallet.',
  },
} as const satisfies Record<string, OptionDefinition>
