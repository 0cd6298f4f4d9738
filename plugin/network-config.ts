import type { HttpNetworkUserConfig } from 'hardhat/types/config'
import type { PendingNodeUserConfig } from './types.ts'

/** Stands where Hardhat asks for an address; each connection puts that of its own node there. */
export const placeholderUrl = 'http://127.0.0.1:0'

/**
 * A network of which each connection gets a node of its own, in this process, for `networks` in `hardhat.config.ts`.
 * More fields of an `http` network go beside it: `{ ...pendingNode(), gasMultiplier: 1.2 }`.
 *
 * @param options - of the node; Hardhat names each wrong one when it loads the configuration
 *
 * @example
 * export default defineConfig({
 *   plugins: [hardhatPendingNode],
 *   networks: { pending: pendingNode({ tickInterval: 50, frozen: true }) },
 * })
 */
export function pendingNode(
  options: PendingNodeUserConfig = {},
): HttpNetworkUserConfig & { pendingNode: PendingNodeUserConfig } {
  return { type: 'http', url: placeholderUrl, pendingNode: options }
}
