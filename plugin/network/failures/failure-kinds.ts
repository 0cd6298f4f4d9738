import type { HookContext } from 'hardhat/types/hooks'
import type { Hex } from '../../../devnet/index.ts'
import { ErrorCode } from '../../../devnet/pluginApi.ts'
import type { NamedCall } from '../../artifacts/contract-names.ts'
import type { Ask } from '../../rpc-client.ts'

/** Methods that send a transaction and answer its hash. */
export const SEND_METHODS: ReadonlySet<string> = new Set([
  'eth_sendTransaction',
  'eth_sendRawTransaction',
])

export const EXPLAINED_METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  ...SEND_METHODS,
])

/** True if Hardhat prints the trees of calls that fail: from `-vvv` on. */
export function printsFailures({ globalOptions }: Pick<HookContext, 'globalOptions'>): boolean {
  return globalOptions.verbosity >= 3
}

/** Failures that take all gas, however little was used before, in geth's words. */
const HALT =
  /^(?:invalid opcode|max code size exceeded|write protection|contract address collision|invalid code: must not begin|stack limit reached|stack underflow|invalid jump destination|return data out of bounds)/

/** Failures for which there was too little gas, in geth's words. */
const OUT_OF_GAS =
  /^(?:out of gas|gas uint64 overflow|contract creation code storage out of gas|gas required exceeds)/

/**
 * True if code reverted or halted: Hardhat's own network tells where. It does not for a lack of
 * gas.
 */
export function hasPlace({ code, message }: { code?: number; message: string }): boolean {
  return (
    code === ErrorCode.executionReverted ||
    message.startsWith('execution reverted') ||
    takesAllGas(message)
  )
}

/** True if a frame that failed so has taken all of its gas, however little it needed. */
export function takesAllGas(message: string): boolean {
  return HALT.test(message)
}

/** True if code ran and failed without a revert. */
export function isHalt({ message }: { message: string }): boolean {
  return takesAllGas(message) || OUT_OF_GAS.test(message)
}

/** A frame of the call tracer, as geth defines it. */
export interface CallFrame {
  readonly type: string
  readonly to?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly CallFrame[]
}

/**
 * Reason why a transaction that a tick has executed failed, in the words of a call that fails so;
 * traces it. The data is `0x` unless it reverted.
 */
export async function transactionFailure(ask: Ask, hash: Hex) {
  const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  // geth defines the form of the answer; a failed call has an `error`.
  const frame = (await ask('debug_traceTransaction', hash, options)) as CallFrame
  const { type, to = null, input, error = '', revertReason, output = '0x' } = frame
  const call: NamedCall = { to: type === 'CREATE' ? null : to, data: input }
  if (error !== 'execution reverted') {
    return { code: ErrorCode.server, message: error, data: '0x' as const, call }
  }
  const message = revertReason === undefined ? error : `${error}: ${revertReason}`
  return { code: ErrorCode.executionReverted, message, data: output, call }
}
