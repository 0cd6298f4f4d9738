import { concatBytes, fromHex, toHex } from '../../chain/bytes.ts'
import { bigIntToBytes } from '../../state/words.ts'
import type { Hex } from '../../types.ts'
import { clientVersion } from '../clientVersion.ts'
import type { RpcContext } from '../context.ts'
import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'

/** By this answer hardhat-viem, hardhat-ethers and ignition know a development node. */
export default defineMethod({
  handle(context) {
    const { head, engine, snapshots } = context.chain
    const metadata = {
      clientVersion,
      chainId: engine.chainId,
      instanceId: instanceId(context),
      latestBlockNumber: head.number,
      latestBlockHash: head.hash,
    }
    if (!context.options.anvil) return metadata
    const heads = [...snapshots].map(([id, { number, hash }]) => [quantity(id), [number, hash]])
    return { ...metadata, forkedNetwork: null, snapshots: Object.fromEntries(heads) }
  },
})

/** Another one after each reset, so that ignition forgets what it deployed before. */
function instanceId({ chain, instanceId }: Pick<RpcContext, 'chain' | 'instanceId'>): Hex {
  if (chain.resets === 0) return instanceId
  const { keccak256 } = chain.engine.crypto
  return toHex(keccak256(concatBytes(fromHex(instanceId), bigIntToBytes(BigInt(chain.resets)))))
}
