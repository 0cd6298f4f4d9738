import type { Hex, RequestEvent } from '../../devnet/index.ts'
import { isBytes, isHex, isObject } from '../../devnet/pluginApi.ts'
import type { NamedCall } from '../artifacts/contract-names.ts'

/**
 * Number of characters of a method's name, an error's message and a `console.log` that are shown.
 */
export const MAX_LENGTH = { method: 100, message: 1000, print: 16_384 }

/** The call in the parameters of `eth_call` and similar methods; `undefined` if there is none. */
export function callOf({ params }: Pick<RequestEvent, 'params'>): NamedCall | undefined {
  const [call]: unknown[] = Array.isArray(params) ? params : []
  if (!isObject(call)) return undefined
  const { to, data, input } = call
  const bytes = isHex(input) ? input : isHex(data) ? data : undefined
  if (isBytes(to, 20)) return { to, data: bytes ?? '0x' }
  const creates = (to === undefined || to === null) && bytes !== undefined
  return creates ? { to: null, data: bytes } : undefined
}

/** The bytes that a contract reverted with; `undefined` if the error has none. */
export function errorData({ error }: Pick<RequestEvent, 'error'>): Hex | undefined {
  return isHex(error?.data) ? error.data : undefined
}
