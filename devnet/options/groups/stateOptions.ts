import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import type { OptionDefinition } from '../optionDefinition.ts'

export const stateOptions = {
  state: {
    type: 'path',
    description:
      'File to load the chain from at startup, if it exists, and to save it to on shutdown and at intervals; compressed if its name ends in .gz.',
  },
  loadState: {
    type: 'path',
    description: 'State file of this node or of anvil to load the chain from at startup.',
  },
  dumpState: {
    type: 'path',
    description:
      'File to save the chain to on shutdown and at intervals; compressed if its name ends in .gz.',
  },
  stateInterval: {
    type: 'integer',
    default: 60_000,
    min: 1000,
    max: MAX_TIMER_DELAY,
    description: 'Time in ms between two saves while the node runs; anvil counts seconds.',
  },
} as const satisfies Record<string, OptionDefinition>
