import type { PendingNode, PendingNodeConfig, PendingNodeUserConfig } from './types.ts'

declare module 'hardhat/types/config' {
  interface HttpNetworkUserConfig {
    /** Gives each connection a node of its own in this process; `url` is not used. */
    pendingNode?: PendingNodeUserConfig
    /**
     * Adds Solidity stack traces to the errors of calls, estimates and sends that revert: each is
     * executed again on a network of Hardhat's own. Default: true if the node runs on this machine
     */
    stackTraces?: boolean
  }

  interface HttpNetworkConfig {
    pendingNode?: PendingNodeConfig
    stackTraces?: boolean
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
