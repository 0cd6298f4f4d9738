import type {
  EdrNetworkUserConfig,
  HttpNetworkConfig,
  HttpNetworkUserConfig,
} from 'hardhat/types/config'
import type { PendingNodeConfig, PendingNodeUserConfig } from './types.ts'

/** A network with a node for each connection, resolved except for its address. */
export type PendingNodeNetwork = HttpNetworkConfig & { readonly pendingNode: PendingNodeConfig }

/** Hardhat requires a `url`; each connection replaces this one with the address of its own node. */
export const PLACEHOLDER_URL = 'http://127.0.0.1:0'

/**
 * A network that gives each connection a node of its own in this process, for `networks` in
 * `hardhat.config.ts`. To set other fields of an `http` network, spread it:
 * `{ ...pendingNode(), gasMultiplier: 1.2 }`.
 *
 * @param options - options of the node; Hardhat reports wrong ones when it loads the configuration
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
  return { type: 'http', url: PLACEHOLDER_URL, pendingNode: options }
}

const REPLAY_SUFFIX = ':replay'

/** The network of Hardhat's own on which failed calls of this network are executed again. */
export const replayNetworkName = (name: string): string => name + REPLAY_SUFFIX

/** True if users need not know of the network. */
export const isReplayNetwork = (name: string): boolean => name.endsWith(REPLAY_SUFFIX)

/**
 * A network of its own, because users change Hardhat's `default`, also to a fork. What depends on
 * the call is overridden for each replay.
 */
export const REPLAY_NETWORK: EdrNetworkUserConfig = {
  type: 'edr-simulated',
  chainType: 'generic',
  accounts: [],
  allowBlocksWithSameTimestamp: true,
  throwOnCallFailures: true,
  transactionGasCap: false,
}
