import type { Execution } from '../engine/types.ts'
import { decodeParameters } from '../primitives/abi.ts'
import { bytesToBigInt, WORD } from '../primitives/bytes.ts'
import { quantity } from '../primitives/hex.ts'
import { HALTS } from '../protocol/halt.ts'
import { opcodeName } from '../protocol/opcodes.ts'

/** The part of an execution that tells why it failed. */
export type Failure = Pick<Execution, 'failure' | 'invalidOpcode' | 'returnData'>

/** Reason why a call failed, in geth's words. */
export function failureMessage({ failure, invalidOpcode, returnData }: Failure): string {
  if (failure === undefined) return 'unknown'
  if (failure === 'revert') return revertMessage(returnData)
  if (failure !== 'invalidOpcode' || invalidOpcode === undefined) return HALTS[failure]
  return `${HALTS.invalidOpcode}: ${opcodeName(invalidOpcode)}`
}

/** geth's message for a revert with these bytes. */
export function revertMessage(data: Uint8Array): string {
  const reason = revertReason(data)
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}

/** Selector of `Error(string)`: a `require` or `revert` with a message. */
const ERROR_SELECTOR = 0x08c379a0

/** Selector of `Panic(uint256)`: a failed check that Solidity inserted. */
const PANIC_SELECTOR = 0x4e487b71

/** The panic codes in geth's words. */
const PANICS: Readonly<Record<string, string>> = {
  '0x0': 'generic panic',
  '0x1': 'assert(false)',
  '0x11': 'arithmetic underflow or overflow',
  '0x12': 'division or modulo by zero',
  '0x21': 'enum overflow',
  '0x22': 'invalid encoded storage byte array accessed',
  '0x31': 'out-of-bounds array access; popping on an empty array',
  '0x32': 'out-of-bounds access of an array or bytesN',
  '0x41': 'out of memory',
  '0x51': 'uninitialized function',
}

const STRING = [{ type: 'string', name: '', components: [] }]
const NO_LISTS = { elements: 0, values: 0 }

/** Message of `Error(string)` or meaning of `Panic(uint256)`; `undefined` for other data. */
export function revertReason(data: Uint8Array): string | undefined {
  if (data.length < 4) return undefined
  const selector = new DataView(data.buffer, data.byteOffset, data.length).getUint32(0)
  const body = data.subarray(4)
  if (selector === ERROR_SELECTOR) {
    const [reason] = decodeParameters(STRING, body, { ...NO_LISTS, bytes: body.length }) ?? []
    return typeof reason?.value === 'string' ? reason.value : undefined
  }
  if (selector !== PANIC_SELECTOR || body.length < WORD) return undefined
  const code = quantity(bytesToBigInt(body.subarray(0, WORD)))
  return PANICS[code] ?? `unknown panic code: ${code}`
}
