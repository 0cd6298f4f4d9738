import type { Crypto } from '../../engine/crypto.ts'
import { concatBytes } from '../../primitives/bytes.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'

/** The node holds no key for this account (hardhat node's words). */
export class UnknownAccountError extends RefusedError {
  override name = 'UnknownAccountError'
  constructor(address: Hex) {
    super(`Unknown account ${address}`)
  }
}

/** There is no account to take when a request names none. */
export class NoAccountError extends RefusedError {
  override name = 'NoAccountError'
  constructor() {
    super('no sender given, and the node has no accounts: name one in "from"')
  }
}

/** The sender of a request that names none: the first account, as on hardhat node. @throws {NoAccountError} */
export function defaultAccount({ accounts }: Pick<RpcContext, 'accounts'>): Hex {
  const [first] = accounts.keys()
  if (first === undefined) throw new NoAccountError()
  return first
}

/** Key of an unlocked account, of 32 bytes. @throws {UnknownAccountError} */
export function privateKeyOf({ accounts }: Pick<RpcContext, 'accounts'>, address: Hex): Uint8Array {
  const account = accounts.get(address)
  if (account === undefined) throw new UnknownAccountError(address)
  return fromHex(account.privateKey)
}

/** Signs a message as wallets do, so that it can be no transaction (EIP-191, version 0x45). */
export function signMessage(message: Uint8Array, privateKey: Uint8Array, crypto: Crypto): Hex {
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1')
  const hash = crypto.keccak256(concatBytes(prefix, message))
  const { signature, recoveryId } = crypto.sign(hash, privateKey)
  return toHex(concatBytes(signature, Uint8Array.of(27 + recoveryId)))
}
