import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import type { OptionDefinition } from '../optionDefinition.ts'

/** The chain that this one stands on, and how it is read. */
export const forkOptions = {
  fork: {
    type: 'text',
    alias: 'forkUrl',
    default: undefined,
    defaultText: 'none',
    pattern: /^https?:\/\/[^\s/?#]+[^\s]*$/i,
    expected: 'an http or https URL',
    secret: true,
    description:
      'URL of a node to start from the state of: accounts, code and storage are read from it when they are first needed; only its origin is ever shown; PENDING_NODE_FORK in the environment keeps it out of the list of processes.',
  },
  forkBlockNumber: {
    type: 'block',
    alias: 'forkBlock',
    default: 'latest',
    tags: ['latest', 'safe', 'finalized', 'pending'],
    description:
      'Block of that node to stand on: its number, a negative number that counts back from latest, its hash, latest, safe, finalized, or pending, which is latest with the pre-confirmed transactions on top of it.',
  },
  forkAtTransaction: {
    type: 'text',
    alias: 'forkTransactionHash',
    default: undefined,
    defaultText: 'none',
    pattern: /^0x[0-9a-f]{64}$/i,
    expected: 'the hash of a transaction',
    description:
      'Hash of a transaction of that node to stand right after, in place of a block: it and those before it in its block are executed again on the parent of that block, and are pre-confirmed.',
  },
  forkHeader: {
    type: 'list',
    default: [],
    pattern: /^[\w!#$%&'*+.^`|~-]+:[^\r\n\0]*$/,
    expected: 'HTTP headers, such as "Authorization: Bearer key"',
    secret: true,
    separator: '\n',
    description:
      'HTTP header to send with each request, as Name: value; several are given one a line, and npx pending-node takes the option repeatedly; never shown; PENDING_NODE_FORK_HEADER in the environment keeps them out of the list of processes.',
  },
  forkTimeout: {
    type: 'integer',
    default: 45_000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description:
      'Time in ms that one read of that node may wait, with all attempts; ten times as much while others are answered, as under a rate limit.',
  },
  forkCache: {
    type: 'path',
    defaultText: "a folder of the user's cache folder",
    description:
      'Folder in which values that were read are kept for the next start, by the URL that they came from (as a hash; user, password and headers do not count), chain id and block hash: what one upstream says is never taken for what another says.',
  },
  noForkCache: {
    type: 'flag',
    description: 'Keep what was read in the memory of this network only.',
  },
  forkOffline: {
    type: 'flag',
    description:
      'Send no requests: only the cache of the same URL and a state file answer; needs the number or the hash of the block.',
  },
  forkRecording: {
    type: 'path',
    description:
      'File that takes the place of the cache: if there is none, all that is read is written to it; if there is one, it answers, no requests are sent, and the URL may be left out.',
  },
  forkPrefetch: {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'access-list', 'off'],
    description:
      'Request that tells what an execution is going to read, so that it is read at once: access-list is eth_createAccessList, auto the same unless what is read is recorded, and off asks for each value when it is needed.',
  },
  forkBatch: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 1000,
    description: 'Most JSON-RPC requests in one HTTP request; 1 sends no batches.',
  },
  forkConcurrency: {
    type: 'integer',
    default: 8,
    min: 1,
    max: 64,
    description: 'Most HTTP requests at any one time; rate limits make it less.',
  },
} as const satisfies Record<string, OptionDefinition>
