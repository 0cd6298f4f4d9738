import type { OptionDefinition } from '../optionDefinition.ts'

export const clockOptions = {
  tickInterval: {
    type: 'integer',
    default: 200,
    defaultText: '200, or that of the profile',
    min: 0,
    max: 3_600_000,
    description:
      'Time in ms between two ticks; 0 pre-confirms each transaction as soon as it arrives.',
  },
  sealInterval: {
    type: 'integer',
    alias: 'blockTime',
    default: 2000,
    defaultText: '2000, or that of the profile',
    min: 1,
    max: 86_400_000,
    description: 'Time in ms between two seals; --block-time counts seconds, as in anvil.',
  },
  frozen: {
    type: 'flag',
    description:
      'Start with the sealing clock frozen: transactions are pre-confirmed but not sealed.',
  },
  frozenTicks: {
    type: 'flag',
    description: 'Start with both clocks frozen: nothing happens until a command moves them.',
  },
  instant: {
    type: 'flag',
    description:
      'Instant mode, as in hardhat node: each transaction is pre-confirmed and sealed at once, in its own block, and the sealing clock does not run.',
  },
  tickBudget: {
    type: 'integer',
    default: 180,
    defaultText: '180, at most 90 % of the tick interval',
    min: 1,
    max: 3_600_000,
    description:
      'Time in ms that one tick may take before it leaves the rest to the next one, so that ticks stay on time; reads are answered meanwhile. Never more than the tick interval.',
  },
  faults: {
    type: 'path',
    description:
      'JSON file with rules by which the node misbehaves on purpose: it drops, delays, reorders, stalls or refuses, repeatably.',
  },
  slices: {
    type: 'integer',
    default: 1,
    defaultText: '1, or that of the profile',
    min: 1,
    max: 1000,
    description:
      'Into how many slices the gas of a block is divided: with 10, the first tick of a block leaves nine tenths of its gas limit, the second eight, and a transaction whose gas limit is too high for a tick waits for a later one. Ticks by command take all that fits, but those of preconf_advance by ticks.',
  },
  order: {
    type: 'choice',
    default: 'fifo',
    defaultText: 'fifo, or that of the profile',
    choices: ['fifo', 'fees'],
    description:
      'Order of transactions within a tick: fifo is by arrival, fees is by the tip they pay.',
  },
} as const satisfies Record<string, OptionDefinition>
