import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import type { OptionDefinition } from '../optionDefinition.ts'

/** Limits of one client. */
export const limitOptions = {
  maxBodySize: {
    type: 'integer',
    default: 5_242_880,
    min: 1024,
    // V8's maximum string length.
    max: 536_870_888,
    description:
      'Bytes in one request body or WebSocket message: enough for a batch of large deployments, but no client can exhaust the memory.',
  },
  maxHeldSize: {
    type: 'integer',
    default: 268_435_456,
    min: 1_048_576,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Bytes held for clients on all chains and in all sessions of the wallet together: waiting transactions, snapshots, filters, subscriptions, waiting requests and histories. Each branch and session has a small part of its own; above it, the oldest history is forgotten, and what may not be forgotten is refused.',
  },
  maxBatch: {
    type: 'integer',
    default: 1000,
    min: 1,
    description: 'Requests in one batch, because a batch is answered as a whole.',
  },
  callGasLimit: {
    type: 'integer',
    default: 50_000_000,
    min: 21_000,
    description: 'Gas of one eth_call, estimate or simulation, so that an endless loop ends.',
  },
  workers: {
    type: 'integer',
    default: undefined,
    defaultText: 'one less than there are cores, 1 to 4',
    min: 0,
    max: 64,
    description:
      'Threads for calls, estimates and simulations that take long, so that ticks and other requests do not wait for them; each starts when it is needed, and 0 runs everything on the main thread.',
  },
  maxBranches: {
    type: 'integer',
    default: 1000,
    min: 0,
    description:
      'Branches of the chain at a time, those of branches included, because each has clocks and a pending block of its own.',
  },
  simulateBlocks: {
    type: 'integer',
    default: 256,
    min: 1,
    description: 'Blocks in one simulation, including gaps in their numbers, as in geth.',
  },
  simulateCallsPerBlock: {
    type: 'integer',
    default: 5000,
    min: 1,
    description: 'Calls in one simulated block, which bounds the size of that block.',
  },
  simulateCalls: {
    type: 'integer',
    default: 10_000,
    min: 1,
    description: 'Calls in one simulation, which bounds the size of the answer.',
  },
  simulateTimeout: {
    type: 'integer',
    default: 5000,
    min: 1,
    max: 3_600_000,
    description: 'Time in ms that one simulation, eth_call or estimate may take, as in geth.',
  },
  syncTimeout: {
    type: 'integer',
    default: 6000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description:
      'Time in ms that a request waits for a late tick, and that eth_sendRawTransactionSync and eth_sendTransactionSync wait for the receipt if the request does not say, as on Base.',
  },
  maxSyncTimeout: {
    type: 'integer',
    default: 60_000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description:
      'Longest such time in ms; a request for more gets this, as in geth, so that none waits forever.',
  },
  maxLogs: {
    type: 'integer',
    default: 20_000,
    min: 1,
    description: 'Logs in one answer of eth_getLogs, which bounds the size of the answer.',
  },
  maxTraceSize: {
    type: 'integer',
    default: 134_217_728,
    min: 1024,
    // Just under V8's maximum string length, leaving room for the JSON-RPC envelope.
    max: 536_000_000,
    description:
      'Bytes in one answer of the debug_trace methods, because the steps of one transaction can exhaust the memory.',
  },
  filterTimeout: {
    type: 'integer',
    default: 300_000,
    min: 1,
    max: MAX_TIMER_DELAY,
    description: 'Time in ms after which an unread filter is removed, as in geth.',
  },
  maxFilters: {
    type: 'integer',
    default: 1000,
    min: 1,
    description:
      'Filters at any one time, so that clients that forget to uninstall theirs cannot exhaust the memory.',
  },
  maxSubscriptions: {
    type: 'integer',
    default: 1024,
    min: 1,
    description:
      'Subscriptions of one WebSocket connection, because each one costs work in every tick.',
  },
  maxTotalSubscriptions: {
    type: 'integer',
    default: 10_000,
    min: 1,
    description:
      'Subscriptions of all connections together, so that many clients cannot make ticks late.',
  },
  maxFlashblockClients: {
    type: 'integer',
    default: 100,
    min: 1,
    description:
      "Clients of the flashblock stream, as at Base's proxy; further ones are refused with HTTP status 429.",
  },
} as const satisfies Record<string, OptionDefinition>
