import type { PendingNode, PendingNodeConfig, PendingNodeUserConfig } from './types.ts'

declare module 'hardhat/types/config' {
  interface HttpNetworkUserConfig {
    /** Gives each connection a node of its own in this process; `url` is not used. */
    pendingNode?: PendingNodeUserConfig
  }

  interface HttpNetworkConfig {
    pendingNode?: PendingNodeConfig
  }
}

declare module 'hardhat/types/network' {
  interface NetworkConnection<ChainTypeT extends ChainType | string = DefaultChainType> {
    /** Controls the two clocks of the node behind this connection. */
    pendingNode: PendingNode
    /** `close()`, for `await using connection = await network.create('pending')`. */
    [Symbol.asyncDispose](): Promise<void>
  }
}
