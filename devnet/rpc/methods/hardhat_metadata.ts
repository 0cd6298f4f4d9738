import { currentInstanceId } from '../../json/instanceId.ts'
import { quantity, toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { clientVersion } from '../nodeInfo.ts'

/** hardhat-viem, hardhat-ethers and ignition recognize a development node by this method. */
export default defineMethod({
  async handle(context) {
    const { head: latest, engine, origin, snapshots } = context.chain
    const forkedNetwork = origin && {
      chainId: origin.chainId,
      forkBlockNumber: origin.number,
      forkBlockHash: toHex(origin.hash),
    }
    const metadata = {
      clientVersion: await clientVersion(context.chain),
      chainId: engine.chainId,
      instanceId: currentInstanceId(context),
      latestBlockNumber: latest.number,
      latestBlockHash: latest.hash,
      // On other chains, Hardhat leaves it out, and anvil answers null.
      ...(forkedNetwork && { forkedNetwork }),
    }
    if (!context.options.anvil) return metadata
    const heads = [...snapshots].map(([id, { head }]) => [quantity(id), [head.number, head.hash]])
    return { forkedNetwork: null, ...metadata, snapshots: Object.fromEntries(heads) }
  },
})
