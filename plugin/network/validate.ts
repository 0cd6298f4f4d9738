import type { NetworkUserConfig } from 'hardhat/types/config'
import type { HardhatUserConfigValidationError } from 'hardhat/types/hooks'
import { checkOption, resolveOptions } from '../../devnet/options/options.ts'
import { type OptionDefinition, optionTable } from '../../devnet/options/optionTable.ts'
import { nearestName } from '../../devnet/options/optionText.ts'
import { OptionError } from '../../devnet/primitives/errors.ts'

const transports = ['in-process', 'http']

/** What is wrong with the `pendingNode` of a network, each with the path to it. */
export function networkErrors(
  name: string,
  network: NetworkUserConfig,
): HardhatUserConfigValidationError[] {
  // Users of JavaScript may have written anything.
  const { type, chainId, pendingNode }: { [field: string]: unknown } = { ...network }
  const path = ['networks', name, 'pendingNode']
  if (!isObject(pendingNode)) {
    return [{ path, message: 'Expected an object with the options of the node, e.g. {}' }]
  }
  const errors: HardhatUserConfigValidationError[] = []
  if (type !== 'http') {
    errors.push({ path, message: `It needs type "http"; use pendingNode({ … }) for the network` })
  }
  const { transport, ...options } = pendingNode
  if (transport !== undefined && !transports.some((each) => each === transport)) {
    const message = `transport must be one of ${transports.join(', ')}, not ${JSON.stringify(transport)}.`
    errors.push({ path: [...path, 'transport'], message })
  }
  for (const [option, value] of Object.entries(options)) {
    const message = optionProblem(option, value)
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

function optionProblem(name: string, value: unknown): string | undefined {
  if (definitionOf(name)?.taskOnly === true) {
    return `${name} belongs to the task "pending-node": a node in this process prints nothing.`
  }
  if (name === 'keepAlive') {
    return 'keepAlive is an option of createDevnet: a process does not wait for the nodes of its connections.'
  }
  if (definitionOf(name) === undefined && nearestName(name, ['transport']) !== undefined) {
    return `${name} is not an option; did you mean transport?`
  }
  return problemOf(() => checkOption(name, value))
}

function definitionOf(name: string): OptionDefinition | undefined {
  const table: Readonly<Record<string, OptionDefinition>> = optionTable
  return Object.hasOwn(table, name) ? table[name] : undefined
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
