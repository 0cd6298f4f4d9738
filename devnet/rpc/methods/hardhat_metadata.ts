import { clientVersion } from '../clientVersion.ts'
import { defineMethod } from '../method.ts'

/** By this answer hardhat-viem, hardhat-ethers and ignition know a development node. */
export default defineMethod({
  handle: ({ chain, instanceId }) => ({
    clientVersion,
    chainId: chain.engine.chainId,
    instanceId,
    latestBlockNumber: chain.head.number,
    latestBlockHash: chain.head.hash,
  }),
})
