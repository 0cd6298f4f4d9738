import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { HardhatConfig } from 'hardhat/types/config'
import type { NetworkConnection } from 'hardhat/types/network'
import type { Devnet } from '../../../devnet/index.ts'
import { isObject, plainText } from '../../../devnet/pluginApi.ts'
import { pluginError } from '../plugin-error.ts'
import { isMethod, type Method } from '../wrap-method.ts'

/** A plugin of others, and the versions that its adaptation was tried with. */
interface AdaptedPlugin {
  readonly name: string
  readonly oldest: string
  readonly newest: string
}

export interface Adapted {
  readonly connection: Pick<NetworkConnection, 'networkConfig' | 'provider'>
  readonly config: HardhatConfig
  readonly devnet: Devnet
  /** `false` in instant mode. */
  readonly hasTwoClocks: boolean
  /** Reads that name no block are reads of `pending`. */
  readonly readsPending: boolean
}

/** A part of a plugin, and methods that it must have. */
interface Part<Name extends string> {
  readonly value: unknown
  /** As users write it. */
  readonly name: string
  readonly methods: readonly Name[]
}

/**
 * The part of a plugin that is to be changed.
 *
 * @throws {HardhatPluginError} if it lacks a method; says which version is installed
 */
export function expectPart<Name extends string>(
  plugin: AdaptedPlugin,
  { value, name, methods }: Part<Name>,
  { config }: Adapted,
): Readonly<Record<Name, Method>> {
  if (hasMethods(value, methods)) return value
  const lacking = methods.filter((method) => !hasMethods(value, [method]))
  const packageName = `@nomicfoundation/${plugin.name}`
  const found = installedVersion(packageName, config.paths.root)
  throw pluginError(
    `${packageName} cannot be adapted to this network: expected ${name} to have ${lacking.join(', ')}, which version ${found} has not. Install one from ${plugin.oldest} to ${plugin.newest}, with which it was tried, or a hardhat-pending-node that knows yours.`,
  )
}

function hasMethods<Name extends string>(
  value: unknown,
  methods: readonly Name[],
): value is Record<Name, Method> {
  const isPart = isObject(value) || isMethod(value)
  return isPart && methods.every((method) => isMethod(Reflect.get(value, method)))
}

function installedVersion(packageName: string, projectRoot: string): string {
  try {
    const manifest: unknown = createRequire(join(projectRoot, 'package.json'))(
      `${packageName}/package.json`,
    )
    return plainText(isObject(manifest) && manifest.version)
  } catch {
    return 'unknown'
  }
}
