import type { NetworkUserConfig } from 'hardhat/types/config'
import type { HardhatUserConfigValidationError } from 'hardhat/types/hooks'
import type { OptionsInput } from '../../devnet/index.ts'
import type { OptionDefinition } from '../../devnet/options/optionDefinition.ts'
import { optionTable } from '../../devnet/options/optionTable.ts'
import { isObject, loadOptions, nearestName, OptionError } from '../../devnet/pluginApi.ts'
import { isForkOption } from './node-options.ts'

/** The options that are not the node's, and what each may be. */
const OWN_OPTIONS = {
  transport: ['in-process', 'http'],
  defaultBlock: ['pending', 'latest'],
} satisfies Record<string, string[]>

/** Options of the node that `forking` has under Hardhat's names. */
const IN_FORKING: ReadonlySet<string> = new Set([
  ...['fork', 'forkBlockNumber', 'forkAtTransaction', 'forkRecording', 'forkHeader'],
])

/** The fields of `forking`. */
const FORKING = ['enabled', 'url', 'blockNumber', 'transactionHash', 'recording', 'httpHeaders']

/** The mistakes in a network with `pendingNode`, each with its path in the configuration. */
export async function networkErrors(
  name: string,
  network: NetworkUserConfig,
): Promise<HardhatUserConfigValidationError[]> {
  const { checkOption, resolveOptions } = await loadOptions()
  // A JavaScript configuration may have anything here.
  const { type, chainId, pendingNode }: { [field: string]: unknown } = { ...network }
  const path = ['networks', name, 'pendingNode']
  if (!isObject(pendingNode)) {
    return [{ path, message: 'Expected an object with the options of the node, e.g. {}' }]
  }
  const errors: HardhatUserConfigValidationError[] = []
  if (type !== 'http') {
    errors.push({ path, message: `It needs type "http"; use pendingNode({ … }) for the network` })
  } else errors.push(...foreignErrors(name, network))
  const options = { ...pendingNode }
  for (const [option, choices] of Object.entries<readonly unknown[]>(OWN_OPTIONS)) {
    const value = options[option]
    delete options[option]
    if (value === undefined || choices.includes(value)) continue
    const message = `${option} must be one of ${choices.join(', ')}, not ${JSON.stringify(value)}.`
    errors.push({ path: [...path, option], message })
  }
  const { forking } = options
  delete options.forking
  if (forking !== undefined)
    errors.push(...forkingErrors([...path, 'forking'], forking, checkOption))
  for (const [option, value] of Object.entries(options)) {
    const isLonely = forking === undefined && value !== undefined && isForkOption(option)
    const message =
      misplacement(option) ??
      (isLonely ? `${option} needs forking: { url }.` : undefined) ??
      optionProblem(() => checkOption(option, value))
    if (message !== undefined) errors.push({ path: [...path, option], message })
  }
  if (errors.length > 0) return errors
  // The URL of a configuration variable is not known yet.
  const fork = isObject(forking) ? { fork: 'http://fork', ...forkOf(forking) } : {}
  const together = optionProblem(() => resolveOptions({ ...options, ...fork }))
  if (together !== undefined) errors.push({ path, message: together })
  const isOther = options.chainId !== undefined && chainId !== options.chainId
  if (typeof chainId === 'number' && isOther) {
    const message = `chainId must be that of the network (${chainId}); leave one of them out.`
    errors.push({ path: [...path, 'chainId'], message })
  }
  return errors
}

/** Its options, which have been checked. */
function forkOf({ blockNumber, transactionHash, recording }: Readonly<Record<string, unknown>>) {
  const options = { forkBlockNumber: blockNumber, forkAtTransaction: transactionHash }
  return { ...options, forkRecording: recording } as OptionsInput
}

/** A check of one option, as `checkOption`. */
type Check = (name: string, value: unknown) => void

/** The mistakes in `forking`, which has the fields of Hardhat's own. */
function forkingErrors(
  path: readonly string[],
  forking: unknown,
  check: Check,
): HardhatUserConfigValidationError[] {
  if (!isObject(forking)) {
    return [{ path: [...path], message: 'Expected an object, e.g. { url: "https://…" }' }]
  }
  const { enabled, url, blockNumber, transactionHash, recording, httpHeaders, ...others } = forking
  const errors = Object.keys(others).map((name) => {
    const nearest = nearestName(name, FORKING)
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    return { path: [...path, name], message: `${name} is not an option of forking${hint}` }
  })
  const expect = (name: string, isRight: boolean, expected: string) => {
    // No value is shown, because it may be a secret.
    if (!isRight) errors.push({ path: [...path, name], message: `Expected ${expected}` })
  }
  const passes = (name: string, value: unknown) =>
    value === undefined || optionProblem(() => check(name, value)) === undefined
  expect('enabled', enabled === undefined || typeof enabled === 'boolean', 'true or false')
  const isVariable = isObject(url) && url._type === 'ConfigurationVariable'
  expect(
    'url',
    isVariable || (url !== undefined && passes('fork', url)),
    'an http or https URL, or a configuration variable',
  )
  expect(
    'blockNumber',
    passes('forkBlockNumber', blockNumber),
    'a block number, a block hash or one of latest, safe, finalized, pending',
  )
  expect(
    'transactionHash',
    passes('forkAtTransaction', transactionHash),
    'the hash of a transaction',
  )
  expect('recording', passes('forkRecording', recording), 'the path of a file')
  const headers = isObject(httpHeaders) ? Object.entries(httpHeaders) : []
  expect(
    'httpHeaders',
    (httpHeaders === undefined || isObject(httpHeaders)) &&
      headers.every(
        ([name, value]) => typeof value === 'string' && passes('forkHeader', [`${name}: ${value}`]),
      ),
    'an object with the values of HTTP headers by name',
  )
  return errors
}

/** The fields of the network that only Hardhat's own networks have, and would be ignored. */
function foreignErrors(
  name: string,
  network: NetworkUserConfig,
): HardhatUserConfigValidationError[] {
  const given = Object.entries(network).filter(([, value]) => value !== undefined)
  return given.flatMap(([key, value]) => {
    const message = key === 'accounts' ? foreignAccounts(value) : foreignKey(key)
    return message === undefined ? [] : [{ path: ['networks', name, key], message }]
  })
}

/** Keys of Hardhat's own networks (`edr-simulated`) → their names on networks of ours. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  allowBlocksWithSameTimestamp: 'use pendingNode: { allowBlocksWithSameTimestamp: true }.',
  allowUnlimitedContractSize: 'use pendingNode: { codeSizeLimit: 0 }.',
  blockGasLimit: 'use pendingNode: { gasLimit }.',
  coinbase: 'use pendingNode: { coinbase }.',
  forking: 'use pendingNode: { forking }, which has the same fields.',
  gasEstimationMode: 'it has no counterpart: leave it out.',
  hardfork: 'use pendingNode: { hardfork }.',
  initialBaseFeePerGas: 'use pendingNode: { baseFee }, in wei.',
  initialDate: 'use pendingNode: { timestamp }, in seconds since the epoch.',
  loggingEnabled:
    'it has no counterpart: leave it out. "npx hardhat pending-node" prints the log of a node.',
  minGasPrice: 'it has no counterpart: leave it out, or call hardhat_setMinGasPrice.',
  mining:
    'use pendingNode: { instant } for auto, { sealInterval } for interval, { order } for mempool.order.',
  networkId: 'it has no counterpart: leave it out. The network id is the chain id.',
  throwOnCallFailures: 'it has no counterpart: leave it out. A call that fails always throws.',
  throwOnTransactionFailures:
    'use pendingNode: { instant: true }; otherwise a transaction runs after its send has returned.',
  transactionGasCap: 'use pendingNode: { transactionGasCap }, 0 for none.',
}

/**
 * Reason why a key does not belong on a network of this plugin; `undefined` if it is not Hardhat's.
 */
export function foreignKey(key: string): string | undefined {
  const counterpart = Object.hasOwn(COUNTERPARTS, key) ? COUNTERPARTS[key] : undefined
  return counterpart === undefined
    ? undefined
    : `${key} is for networks of type "edr-simulated": ${counterpart}`
}

/**
 * Reason why `accounts` of a network are those of an `edr-simulated` one; `undefined` if they are
 * not.
 */
function foreignAccounts(accounts: unknown): string | undefined {
  const isForeign = Array.isArray(accounts)
    ? accounts.some((account) => isObject(account) && 'balance' in account)
    : isObject(accounts) && 'accountsBalance' in accounts
  return isForeign
    ? 'accounts with balances are for networks of type "edr-simulated": use pendingNode: { mnemonic, accounts, balance }, where accounts is their number.'
    : undefined
}

/**
 * Reason why an option does not belong in the configuration of a network; `undefined` if it does.
 */
function misplacement(name: string): string | undefined {
  const table: Readonly<Record<string, OptionDefinition>> = optionTable
  const definition = Object.hasOwn(table, name) ? table[name] : undefined
  if (definition?.taskOnly === true) {
    return `${name} belongs to the task "pending-node": a node in this process has no log.`
  }
  if (name === 'stackTraces') {
    return 'stackTraces stands beside pendingNode: { ...pendingNode(), stackTraces: false }.'
  }
  if (name === 'keepAlive') {
    return 'keepAlive is an option of createDevnet: a process does not wait for the nodes of its connections.'
  }
  if (name === 'coverage') {
    return 'coverage is an option of createDevnet: networks record it if Hardhat runs with --coverage.'
  }
  if (IN_FORKING.has(name)) {
    return `${name} belongs into forking: { ${FORKING.slice(1).join(', ')} }.`
  }
  if (definition !== undefined) return undefined
  const own = nearestName(name, Object.keys(OWN_OPTIONS))
  return own === undefined ? foreignKey(name) : `${name} is not an option; did you mean ${own}?`
}

function optionProblem(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof OptionError) return error.message
    throw error
  }
}
