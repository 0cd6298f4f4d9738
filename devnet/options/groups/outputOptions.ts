import type { OptionDefinition } from '../optionDefinition.ts'

export const outputOptions = {
  quiet: {
    type: 'flag',
    taskOnly: true,
    description: 'Print nothing but errors and the line that says that the node is ready.',
  },
  verbose: {
    type: 'flag',
    taskOnly: true,
    description:
      'Print every JSON-RPC request with its parameters and duration, not only those that fail.',
  },
  open: {
    type: 'flag',
    taskOnly: true,
    description: 'Open the dashboard in the browser once the node is ready.',
  },
  json: {
    type: 'flag',
    taskOnly: true,
    description: 'Print each line as one JSON object, for scripts.',
  },
} as const satisfies Record<string, OptionDefinition>
