import { concatBytes, fromHex, toHex } from '../chain/bytes.ts'
import { bigIntToBytes } from '../state/words.ts'
import type { Hex } from '../types.ts'
import type { RpcContext } from './context.ts'

/** Another one after each reset, so that ignition forgets what it deployed before. */
export function currentInstanceId({
  chain,
  instanceId,
}: Pick<RpcContext, 'chain' | 'instanceId'>): Hex {
  if (chain.resets === 0) return instanceId
  const { keccak256 } = chain.engine.crypto
  return toHex(keccak256(concatBytes(fromHex(instanceId), bigIntToBytes(BigInt(chain.resets)))))
}
