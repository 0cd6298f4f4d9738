import { withoutLeadingZeros } from '../../primitives/bytes.ts'
import { shorten } from '../../primitives/errors.ts'
import { fromHex, type Hex, isBytes, isHex, quantityFrom } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { fail, objectOf, type Reader, readWith, refuse } from '../../primitives/reader.ts'
import type { RemoteAccount } from '../../state/remote/remoteSource.ts'

/** Reads a result; its error names the wrong answer and the wanted one. */
function answer<T>(read: Reader<T>): (result: unknown) => T {
  return (result) =>
    readWith(read, result, ({ message, expected, value }) => {
      if (expected === undefined) return new Error(`answered ${message}`)
      // The rest of a long text is not looked at.
      const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)
      return new Error(`answered ${shorten(text ?? 'nothing', 80)} in the place of ${expected}`)
    })
}

const NUMBER: Reader<bigint> = (result, context) =>
  quantityFrom(result) ?? refuse(context, result, 'a number')

const NONCE: Reader<bigint> = (result, context) => {
  const nonce = NUMBER(result, context)
  return nonce < 1n << 64n ? nonce : refuse(context, result, 'a nonce')
}

/** Bytes of the longest code: forty times what Ethereum allows. Some chains allow more than it. */
const LARGEST_CODE = 1 << 20

const CODE: Reader<Uint8Array> = (result, context) => {
  if (typeof result === 'string' && result.length > 2 * LARGEST_CODE + 2) {
    return fail(context, `a code of more than ${LARGEST_CODE} bytes`)
  }
  return isBytes(result) ? fromHex(result) : refuse(context, result, 'code')
}

/** A number of up to 32 bytes. `null` is an error: a missing value must not become zero. */
export const numberAnswer = answer(NUMBER)

export const nonceAnswer = answer(NONCE)

export const codeAnswer = answer(CODE)

/** The value of a slot, without leading zeros. */
export const slotAnswer = answer<Uint8Array>((result, context) =>
  isHex(result) && result.length > 2 && result.length <= 66
    ? withoutLeadingZeros(fromHex(`0x${result.slice(2).padStart(64, '0')}`))
    : refuse(context, result, 'the value of a slot'),
)

/** The answer to `eth_getAccountInfo`. */
export const accountAnswer: (result: unknown) => RemoteAccount = answer(
  objectOf({ fields: { balance: NUMBER, nonce: NONCE, code: CODE }, what: 'an account' }),
)

export const blockHashAnswer = answer<Hex>((result, context) =>
  isObject(result) && isBytes(result.hash, 32) ? result.hash : refuse(context, result, 'a block'),
)
