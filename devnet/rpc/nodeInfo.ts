import { createRequire } from 'node:module'
import type { Chain } from '../chain/chain.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'

// Resolved by the package's own name, which works from the sources and from dist/ alike.
export const manifest: {
  readonly version: string
  readonly bugs: string
  readonly homepage: string
  readonly dependencies: { readonly '@ethereumjs/vm': string }
} = createRequire(import.meta.url)('hardhat-pending-node/package.json')

/** Version of this package. */
export const packageVersion = manifest.version

/**
 * Name and version of the node, and the engine that executes transactions. Hardhat's
 * network-helpers work only with nodes whose name starts with "hardhat".
 */
export async function clientVersion({ engine }: Chain): Promise<string> {
  const isFast = await engine.isFast()
  const executor = isFast ? 'fast' : `@ethereumjs/vm/${manifest.dependencies['@ethereumjs/vm']}`
  return `HardhatPendingNode/${manifest.version}/${executor}`
}

/**
 * The instance id of a node with a state file. Derived from the oldest block, not random, so that
 * it survives restarts and equal chains write equal files.
 */
export function derivedInstanceId({ history, engine }: Chain): Hex {
  return toHex(engine.crypto.keccak256(history.hashOf(history.oldest) ?? EMPTY_BYTES))
}
