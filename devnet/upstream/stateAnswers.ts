import { withoutLeadingZeros } from '../primitives/bytes.ts'
import { shorten } from '../primitives/errors.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import type { RemoteAccount } from '../state/remote/remoteSource.ts'
import { isHash } from './upstreamBlock.ts'

function wrong(result: unknown, wanted: string): Error {
  // The rest of a long text is not looked at.
  const text = JSON.stringify(typeof result === 'string' ? result.slice(0, 100) : result)
  return new Error(`answered ${shorten(text ?? 'nothing', 80)} in the place of ${wanted}`)
}

/** A number of up to 32 bytes. `null` is an error: a missing value must not become zero. */
export function readQuantity(result: unknown): bigint {
  if (typeof result === 'string' && /^0x[0-9a-f]{1,64}$/i.test(result)) return BigInt(result)
  throw wrong(result, 'a number')
}

export function readNonce(result: unknown): bigint {
  const nonce = readQuantity(result)
  if (nonce >= 1n << 64n) throw wrong(result, 'a nonce')
  return nonce
}

/** Bytes of the longest code: forty times what Ethereum allows. Some chains allow more than it. */
const LARGEST_CODE = 1 << 20

export function readCode(result: unknown): Uint8Array {
  if (typeof result === 'string' && result.length > 2 * LARGEST_CODE + 2) {
    throw new Error(`answered a code of more than ${LARGEST_CODE} bytes`)
  }
  if (typeof result === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(result)) return fromHex(result)
  throw wrong(result, 'code')
}

export function readSlot(result: unknown): Uint8Array {
  if (typeof result === 'string' && /^0x[0-9a-f]{1,64}$/i.test(result)) {
    return withoutLeadingZeros(fromHex(`0x${result.slice(2).padStart(64, '0')}`))
  }
  throw wrong(result, 'the value of a slot')
}

/** The answer to `eth_getAccountInfo`. */
export function readAccountInfo(result: unknown): RemoteAccount {
  if (!isObject(result)) throw wrong(result, 'an account')
  const { balance, nonce, code } = result
  return { balance: readQuantity(balance), nonce: readNonce(nonce), code: readCode(code) }
}

export function readBlockHash(result: unknown): Hex {
  if (isObject(result) && isHash(result.hash)) return result.hash
  throw wrong(result, 'a block')
}
