import type { NetworkUserConfig } from 'hardhat/types/config'
import type { HardhatUserConfigValidationError } from 'hardhat/types/hooks'
import { type OptionDefinition, optionTable } from '../../devnet/options/optionTable.ts'
import { isObject, loadOptions, nearestName, OptionError } from '../../devnet/pluginApi.ts'
import { foreignAccounts, foreignKey } from './foreign-keys.ts'

/** The options that are not the node's, and what each may be. */
const OWN_OPTIONS = {
  transport: ['in-process', 'http'],
  defaultBlock: ['pending', 'latest'],
} satisfies Record<string, string[]>

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
  for (const [option, value] of Object.entries(options)) {
    const message = misplacement(option) ?? problemOf(() => checkOption(option, value))
    if (message !== undefined) errors.push({ path: [...path, option], message })
  }
  if (errors.length > 0) return errors
  const together = problemOf(() => resolveOptions(options))
  if (together !== undefined) errors.push({ path, message: together })
  if (chainId !== undefined && options.chainId !== undefined && chainId !== options.chainId) {
    const message = `chainId must be that of the network (${String(chainId)}); leave one of them out.`
    errors.push({ path: [...path, 'chainId'], message })
  }
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

/** Why an option does not belong in the configuration of a network; `undefined` if it does. */
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
  if (definition !== undefined) return undefined
  const own = nearestName(name, Object.keys(OWN_OPTIONS))
  return own === undefined ? foreignKey(name) : `${name} is not an option; did you mean ${own}?`
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof OptionError) return error.message
    throw error
  }
}
