import { concatBytes, toHex } from '../chain/bytes.ts'
import type { Crypto } from '../engine/crypto.ts'
import type { Hex } from '../types.ts'

/** Signs a message as wallets do, so that it can be no transaction (EIP-191, version 0x45). */
export function signMessage(message: Uint8Array, privateKey: Uint8Array, crypto: Crypto): Hex {
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1')
  const hash = crypto.keccak256(concatBytes(prefix, message))
  const { signature, recoveryId } = crypto.sign(hash, privateKey)
  return toHex(concatBytes(signature, Uint8Array.of(27 + recoveryId)))
}
