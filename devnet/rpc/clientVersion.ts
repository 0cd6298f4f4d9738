import { createRequire } from 'node:module'

// By the package's own name, which finds it from the sources and from dist/ alike.
const manifest: {
  readonly version: string
  readonly dependencies: { readonly '@ethereumjs/vm': string }
} = createRequire(import.meta.url)('hardhat-pending-node/package.json')

/** Version of this package. */
export const packageVersion = manifest.version

/**
 * Name and version of the node and of the EVM in it. Hardhat's network-helpers work only with nodes whose name
 * starts with "hardhat".
 */
export const clientVersion = `HardhatPendingNode/${manifest.version}/@ethereumjs/vm/${manifest.dependencies['@ethereumjs/vm']}`
