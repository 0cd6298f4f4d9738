import { OptionError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import type { ChainProbe, KnownChain, PolicyDecision, WalletOptions } from '../wallet/types.ts'

/** {@link WalletOptions}, checked and complete. */
export interface WalletSettings {
  readonly policy: PolicyDecision
  /** `undefined`: the port of the node. */
  readonly port: number | undefined
  readonly profile: 'devnet' | 'eip3085' | 'metamask'
  /** `undefined`: the chain of the node. */
  readonly knownChains: readonly KnownChain[] | undefined
  /** `undefined`: all. */
  readonly addableChains: readonly Hex[] | undefined
  /** `undefined`: the wallet's own. */
  readonly probe: ChainProbe | false | undefined
  /** `undefined`: as the client is. */
  readonly switchAfterAdd: 'stay' | 'switch' | 'decline' | undefined
  readonly autoConnect: boolean
  readonly unsupportedMethodCode: 4100 | 4200 | -32601
  readonly deadline: number
  readonly deadlineCode: 4001 | -32002
  readonly maxPending: number
  readonly maxHistory: number
}

const DECISIONS = ['approve', 'reject', 'hold'] as const
const PROFILES = ['devnet', 'eip3085', 'metamask'] as const
const AFTER_ADD = ['stay', 'switch', 'decline'] as const
const UNSUPPORTED_CODES = [4100, 4200, -32601] as const
const DEADLINE_CODES = [4001, -32002] as const
const CHAIN_ID = /^0x[1-9a-f][0-9a-f]{0,12}$/i

const NAMES = [
  'policy',
  'port',
  'profile',
  'knownChains',
  'addableChains',
  'probe',
  'switchAfterAdd',
  'autoConnect',
  'unsupportedMethodCode',
  'deadline',
  'deadlineCode',
  'maxPending',
  'maxHistory',
] as const satisfies readonly (keyof WalletOptions)[]

/**
 * Checks the options given and adds the defaults. By hand: each start of a node does it, and a schema library would cost
 * more than all the rest of it.
 *
 * @param defaults - for what is left out
 * @throws {OptionError} when one is unknown, malformed or out of range
 */
export function resolveWalletOptions(
  given: unknown = {},
  defaults: Pick<WalletOptions, 'policy' | 'port' | 'profile'> = {},
): WalletSettings {
  if (!isObject(given)) {
    throw new OptionError('wallet must be an object of options, or false for no wallet.')
  }
  for (const name of Object.keys(given)) {
    if (NAMES.some((known) => known === name)) continue
    throw new OptionError(`wallet.${name} is not an option; there are ${NAMES.join(', ')}.`)
  }
  // Whatever it holds is checked below.
  const input = given as { readonly [Name in keyof WalletOptions]: unknown }
  return Object.freeze({
    policy: oneOf('policy', input.policy ?? defaults.policy ?? 'approve', DECISIONS),
    port: port(input.port ?? defaults.port),
    profile: oneOf('profile', input.profile ?? defaults.profile ?? 'devnet', PROFILES),
    knownChains: input.knownChains === undefined ? undefined : knownChains(input.knownChains),
    addableChains: input.addableChains === undefined ? undefined : chainIds(input.addableChains),
    probe: probe(input.probe),
    switchAfterAdd:
      input.switchAfterAdd === undefined
        ? undefined
        : oneOf('switchAfterAdd', input.switchAfterAdd, AFTER_ADD),
    autoConnect: flag('autoConnect', input.autoConnect ?? false),
    unsupportedMethodCode: oneOf(
      'unsupportedMethodCode',
      input.unsupportedMethodCode ?? 4100,
      UNSUPPORTED_CODES,
    ),
    deadline: integer('deadline', input.deadline ?? 120_000, 0, MAX_TIMER_DELAY),
    deadlineCode: oneOf('deadlineCode', input.deadlineCode ?? 4001, DEADLINE_CODES),
    maxPending: integer('maxPending', input.maxPending ?? 100, 1, 10_000),
    maxHistory: integer('maxHistory', input.maxHistory ?? 1000, 0, 1_000_000),
  })
}

function port(value: unknown): number | undefined {
  return value === undefined ? undefined : integer('port', value, 0, 65_535)
}

function knownChains(value: unknown): readonly KnownChain[] {
  const list = listOf('knownChains', value)
  if (list.length === 0) throw refused('knownChains', 'a list with the active chain first')
  const seen = new Set<Hex>()
  return list.map((entry, index) => {
    const name = `knownChains[${index}]`
    if (typeof entry !== 'object' || entry === null) throw refused(name, 'a chain')
    const { chainId, symbol, chainName, rpcUrls }: { [Name in keyof KnownChain]?: unknown } = entry
    const id = chainIdOf(`${name}.chainId`, chainId)
    if (seen.has(id)) throw refused(`${name}.chainId`, `listed once, not twice (${id})`)
    seen.add(id)
    const urls = rpcUrls === undefined ? [] : listOf(`${name}.rpcUrls`, rpcUrls)
    return Object.freeze({
      chainId: id,
      symbol: text(`${name}.symbol`, symbol),
      chainName: chainName === undefined ? undefined : text(`${name}.chainName`, chainName),
      rpcUrls: urls.map((url, at) => httpUrl(`${name}.rpcUrls[${at}]`, url)),
    })
  })
}

function chainIds(value: unknown): readonly Hex[] {
  const list = listOf('addableChains', value)
  return list.map((id, index) => chainIdOf(`addableChains[${index}]`, id))
}

function chainIdOf(name: string, value: unknown): Hex {
  // The pattern holds the form.
  if (typeof value === 'string' && CHAIN_ID.test(value)) return value.toLowerCase() as Hex
  throw refused(name, 'a chain id in hexadecimal without leading zeros, such as 0x7a69')
}

function probe(value: unknown): ChainProbe | false | undefined {
  // A function is asked for its answer, which is checked when it comes.
  if (typeof value === 'function') return value as ChainProbe
  if (value === undefined || value === false) return value
  throw refused('probe', 'a function of the URL, or false for none')
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw refused(name, 'a list')
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw refused(name, 'a text')
}

function httpUrl(name: string, value: unknown): string {
  if (typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)) return value
  throw refused(name, 'an http or https URL')
}

function flag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw refused(name, 'true or false')
}

function integer(name: string, value: unknown, min: number, max: number): number {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) {
    return Number(value)
  }
  throw refused(name, `an integer from ${min} to ${max}`)
}

function oneOf<Choice>(name: string, value: unknown, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === value)
  if (choice === undefined) throw refused(name, `one of ${choices.join(', ')}`)
  return choice
}

function refused(name: string, expected: string): OptionError {
  return new OptionError(`wallet.${name} must be ${expected}.`)
}
