import { OptionError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import {
  fail,
  listOf,
  mapped,
  objectOf,
  optional,
  orElse,
  type ReadContext,
  type Reader,
  refuse,
  text,
} from '../primitives/reader.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import { readOptions, type Value } from './optionCheck.ts'
import type { ValueDefinition } from './optionDefinition.ts'
import { optionTable } from './optionTable.ts'

/** A chain that the wallet knows from the start; by default named by its id, without RPC URLs. */
export interface KnownChain {
  readonly chainId: Hex
  readonly symbol: string
  readonly chainName?: string | undefined
  readonly rpcUrls?: readonly string[] | undefined
}

/**
 * Asks the node at `url`, an RPC URL of a chain that is to be added, for its chain id.
 *
 * @returns the result of `eth_chainId`; rejects if there is none
 */
export type ChainProbe = (url: string) => Promise<string>

/** Every option of the mock wallet; the first four are options of the command line too. */
export const walletOptionTable = {
  policy: optionTable.walletPolicy,
  port: optionTable.walletPort,
  profile: optionTable.walletProfile,
  atomic: optionTable.walletAtomic,
  knownChains: {
    type: 'custom',
    read: readKnownChains,
    defaultText: 'the chain of this node',
    description:
      'Chains known from the start, { chainId, symbol, chainName?, rpcUrls? } each; the first is active.',
  },
  addableChains: {
    type: 'custom',
    read: (value, context) => CHAIN_IDS(value, context),
    defaultText: 'all',
    description: 'Chain ids of the chains that may be added; others are refused with code 4902.',
  },
  probe: {
    type: 'custom',
    read: readProbe,
    defaultText: 'a POST request, which no CI job sends to public hosts',
    description:
      'Async function that asks an RPC URL of an added chain for its chain id; false asks none.',
  },
  switchAfterAdd: {
    type: 'choice',
    default: undefined,
    defaultText: 'switch for pages with the provider script, otherwise stay',
    choices: ['stay', 'switch', 'decline'],
    description:
      'What follows once a chain is added: stay on the active one, switch to it, or decline, like a user who accepts the first prompt and rejects the second.',
  },
  autoConnect: {
    type: 'flag',
    description: 'Whether every page and client is connected from the start.',
  },
  unsupportedMethodCode: {
    type: 'choice',
    default: 4100,
    choices: [4100, 4200, -32601],
    description: 'Error code of methods that the wallet does not support: 4100, 4200 or -32601.',
  },
  deadline: {
    type: 'integer',
    default: 120_000,
    min: 0,
    max: MAX_TIMER_DELAY,
    description: 'Time in ms that a held request waits for its decision; 0 waits forever.',
  },
  deadlineCode: {
    type: 'choice',
    default: 4001,
    choices: [4001, -32002],
    description: 'Error code of a request whose deadline has passed: 4001 or -32002.',
  },
  maxPending: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 10_000,
    description:
      'How many requests of one origin may be open, and ten times as many of all origins.',
  },
  maxHistory: {
    type: 'integer',
    default: 1000,
    min: 0,
    max: 1_000_000,
    description: 'How many requests the history holds; older ones are dropped.',
  },
} as const satisfies Record<string, ValueDefinition>

type Table = typeof walletOptionTable

/** Options of the mock wallet: `createDevnet({ wallet: { policy: 'hold' } })`. */
export type WalletOptions = { readonly [Name in keyof Table]?: Value<Table[Name]> | undefined }

/** {@link WalletOptions}, checked and complete. */
export type WalletSettings = { readonly [Name in keyof Table]: Value<Table[Name]> }

/**
 * Checks the options given and adds the defaults.
 *
 * @param defaults - defaults that replace those of the table
 * @throws {OptionError} if one is unknown, malformed or out of range
 */
export function resolveWalletOptions(
  given: unknown = {},
  defaults: Pick<WalletOptions, 'policy' | 'port' | 'profile' | 'atomic'> = {},
): WalletSettings {
  if (!isObject(given)) {
    throw new OptionError('wallet must be an object of options, or false for no wallet.')
  }
  const own = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
  const input = { ...defaults, ...Object.fromEntries(own) }
  // Each value is either its definition's default or passed the check of its definition.
  return Object.freeze(
    readOptions(walletOptionTable, input, (name) => `wallet.${name}`),
  ) as WalletSettings
}

function readKnownChains(value: unknown, context: ReadContext): readonly KnownChain[] {
  const chains = CHAINS(value, context)
  if (chains.length === 0) return fail(context, 'must be a list that begins with the active chain')
  for (const [index, { chainId }] of chains.entries()) {
    if (chains.findIndex((one) => one.chainId === chainId) === index) continue
    return fail(context, `must be listed only once (${chainId})`, index, 'chainId')
  }
  return chains
}

function readProbe(value: unknown, context: ReadContext): ChainProbe | false {
  // What the function returns is checked when it is called.
  if (typeof value === 'function') return value as ChainProbe
  if (value === false) return value
  return refuse(context, value, 'a function of the URL, or false for none')
}

const CHAIN_ID: Reader<Hex> = (value, context) => {
  if (typeof value === 'string' && /^0x[1-9a-f][0-9a-f]{0,12}$/i.test(value)) {
    // The pattern guarantees the type.
    return value.toLowerCase() as Hex
  }
  return refuse(context, value, 'a chain id in hexadecimal without leading zeros, such as 0x7a69')
}

const CHAIN_IDS = listOf(CHAIN_ID, 'a list')

const NOT_EMPTY = 'a non-empty text'
const NAME = text(NOT_EMPTY, { min: 1, length: NOT_EMPTY })

const HTTP_URL: Reader<string> = (value, context) =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
    ? value
    : refuse(context, value, 'an http or https URL')

const CHAINS = listOf(
  mapped(
    objectOf({
      fields: {
        chainId: CHAIN_ID,
        symbol: NAME,
        chainName: optional(NAME),
        rpcUrls: orElse(listOf(HTTP_URL, 'a list'), []),
      },
      what: 'a chain',
    }),
    (chain) => Object.freeze(chain),
  ),
  'a list',
)
