import type { Chain } from '../chain/chain.ts'
import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'

/**
 * The instance id of a chain, 32 bytes. It changes with each reset and each load, so that whoever
 * keeps something of the chain notices that it has begun anew.
 *
 * @param node.instanceId - the id at the start of the node
 */
export function currentInstanceId({
  chain,
  instanceId,
}: {
  readonly chain: Pick<Chain, 'engine' | 'resets'>
  readonly instanceId: Hex
}): Hex {
  if (chain.resets === 0) return instanceId
  const { keccak256 } = chain.engine.crypto
  return toHex(keccak256(concatBytes(fromHex(instanceId), bigIntToBytes(BigInt(chain.resets)))))
}
