import type { Crypto } from '../../engine/crypto.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import { concatBytes } from '../../primitives/bytes.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'

/**
 * The sender of a request without `from`: the first account, as on hardhat node.
 *
 * @throws {RefusedError} if the node has no accounts
 */
export function defaultAccount({ accounts }: Pick<RpcContext, 'accounts'>): Hex {
  const [first] = accounts.keys()
  if (first === undefined) {
    throw new RefusedError('no sender given, and the node has no accounts: name one in "from"')
  }
  return first
}

/**
 * A call in the name of the first account if it names no sender and the node behaves as `hardhat
 * node`: in instant mode, but not with the option `anvil`.
 */
export function withSender(
  { accounts, clocks, options }: Pick<RpcContext, 'accounts' | 'clocks' | 'options'>,
  request: CallRequest,
): CallRequest {
  if (request.from !== undefined || options.anvil) return request
  const [first] = accounts.keys()
  return clocks.instant || clocks.collecting ? { ...request, from: first } : request
}

/** Private key of an unlocked account, 32 bytes. @throws {RefusedError} if it is not unlocked */
export function privateKeyOf({ accounts }: Pick<RpcContext, 'accounts'>, address: Hex): Uint8Array {
  const account = accounts.get(address)
  // Same message as hardhat node.
  if (account === undefined) throw new RefusedError(`Unknown account ${address}`)
  return fromHex(account.privateKey)
}

/** Signs a message with the prefix of EIP-191 (version 0x45), which no transaction can have. */
export function signMessage(message: Uint8Array, privateKey: Uint8Array, crypto: Crypto): Hex {
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1')
  const hash = crypto.keccak256(concatBytes(prefix, message))
  const { signature, recoveryId } = crypto.sign(hash, privateKey)
  return toHex(concatBytes(signature, Uint8Array.of(27 + recoveryId)))
}
