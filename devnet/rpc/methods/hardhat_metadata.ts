import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { clientVersion, currentInstanceId } from '../nodeInfo.ts'

/** hardhat-viem, hardhat-ethers and ignition recognize a development node by this method. */
export default defineMethod({
  handle(context) {
    const { head, engine, snapshots } = context.chain
    const metadata = {
      clientVersion,
      chainId: engine.chainId,
      instanceId: currentInstanceId(context),
      latestBlockNumber: head.number,
      latestBlockHash: head.hash,
    }
    if (!context.options.anvil) return metadata
    const heads = [...snapshots].map(([id, { number, hash }]) => [quantity(id), [number, hash]])
    return { ...metadata, forkedNetwork: null, snapshots: Object.fromEntries(heads) }
  },
})
