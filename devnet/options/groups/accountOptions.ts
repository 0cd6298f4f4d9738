import type { OptionDefinition } from '../optionDefinition.ts'

export const accountOptions = {
  accounts: {
    type: 'integer',
    default: 20,
    min: 0,
    max: 1000,
    description: 'Number of unlocked accounts.',
  },
  mnemonic: {
    type: 'text',
    default: 'test test test test test test test test test test test junk',
    pattern: /^[a-z]+(?: [a-z]+){11}(?:(?: [a-z]+){3}){0,4}$/,
    expected: '12, 15, 18, 21 or 24 lower-case words with one space between them',
    secret: true,
    description:
      "BIP-39 phrase from which the keys of the accounts are derived, at m/44'/60'/0'/0; PENDING_NODE_MNEMONIC in the environment keeps it out of the list of processes.",
  },
  balance: {
    type: 'integer',
    inGenesis: true,
    default: 10_000,
    min: 0,
    description: 'Balance of each account at genesis, or at the fork block, in ether.',
  },
} as const satisfies Record<string, OptionDefinition>
