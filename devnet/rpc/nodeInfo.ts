import { createRequire } from 'node:module'
import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import type { RpcContext } from './context.ts'

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

/** Another one after each reset, so that ignition forgets what it deployed before. */
export function currentInstanceId({
  chain,
  instanceId,
}: Pick<RpcContext, 'chain' | 'instanceId'>): Hex {
  if (chain.resets === 0) return instanceId
  const { keccak256 } = chain.engine.crypto
  return toHex(keccak256(concatBytes(fromHex(instanceId), bigIntToBytes(BigInt(chain.resets)))))
}
