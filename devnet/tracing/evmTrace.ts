import type { EVMError, EVMResult, Message } from '@ethereumjs/evm'
import { ACCESSES } from '../engine/accessWatch.ts'
import { type Interpreter, type RunResult, stackItem } from '../engine/library/evmInternals.ts'
import { toHalt, toPrecompileHalt } from '../engine/library/libraryWords.ts'
import { overrideRunLoop } from '../engine/library/runLoop.ts'
import { runTraced, type Step, type StepListener } from '../engine/library/tracingLoop.ts'
import type { Machine } from '../engine/machine.ts'
import type { FrameKind } from '../engine/types.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import { HALTS, type Halt } from '../protocol/halt.ts'
import { Op } from '../protocol/opcodes.ts'
import { addressKey } from '../state/keys.ts'
import { failedOpening } from './failedOpening.ts'
import { checkStep, type FrameHalt, frameHalt, stepHalt } from './gethErrors.ts'
import {
  accessOf,
  type Frame,
  readMemory,
  stackAddress,
  type TraceContext,
  type Tracer,
} from './tracer.ts'

const FRAME_TYPES: ReadonlyMap<number, FrameKind> = new Map<number, FrameKind>([
  [Op.create, 'CREATE'],
  [Op.call, 'CALL'],
  [Op.callCode, 'CALLCODE'],
  [Op.delegateCall, 'DELEGATECALL'],
  [Op.create2, 'CREATE2'],
  [Op.staticCall, 'STATICCALL'],
])

interface OpenFrame {
  readonly message: Message
  readonly isCreation: boolean
  /** Number of logs in the block when the frame opened; restored if the frame fails. */
  readonly logCount: number
  /** Reason why its code failed; `undefined` if it has not. */
  halt: FrameHalt | undefined
  /** Output of its code; the library drops it if deploying the code fails afterwards. */
  returned: Uint8Array | undefined
  /** A call that failed to open, or a SELFDESTRUCT: reported once its opcode has run. */
  codeless: { readonly frame: Frame; readonly halt: Halt | undefined } | undefined
}

/**
 * Listens to one transaction on a machine, from {@link begin} to {@link end}, and reports to a
 * tracer what geth would report, including frames for calls that fail to open one, for precompiles,
 * and for SELFDESTRUCT.
 */
export class EvmTrace implements StepListener {
  readonly #machine: Machine
  readonly #tracer: Tracer
  readonly #context: TraceContext
  readonly #authorizationRefund: () => bigint
  readonly #frames: OpenFrame[] = []
  #logCount: number
  /** The opcode that runs in the innermost frame; while a frame opens, the opcode that opens it. */
  #opcode = 0
  #refundBefore = 0n

  constructor(machine: Machine, tracer: Tracer, context: TraceContext) {
    this.#machine = machine
    this.#tracer = tracer
    this.#context = context
    this.#logCount = context.logCount
    this.#authorizationRefund = authorizationRefund(context)
  }

  begin(): void {
    const { evm } = this.#machine.vm
    this.#tracer.start?.(this.#context)
    this.#machine.isTraced = true
    overrideRunLoop(evm, this.#run)
    evm.events?.on('beforeMessage', this.#enter)
    evm.events?.on('afterMessage', this.#exit)
  }

  end(): void {
    const { evm } = this.#machine.vm
    overrideRunLoop(evm, undefined)
    this.#machine.isTraced = false
    evm.events?.off('beforeMessage', this.#enter)
    evm.events?.off('afterMessage', this.#exit)
  }

  readonly #run = async (interpreter: Interpreter, code: Uint8Array): Promise<RunResult> => {
    const result = await runTraced(interpreter, code, this, this.#machine.scheduler)
    this.#innermost().returned = interpreter._result.returnValue
    return result
  }

  readonly #enter = (message: Message): void => {
    if (this.#frames.length === 0) this.#refundBefore = this.#authorizationRefund()
    this.#frames.push({
      message,
      isCreation: message.to === undefined,
      logCount: this.#logCount,
      halt: undefined,
      returned: undefined,
      codeless: undefined,
    })
    this.#tracer.enter?.(this.#frameOf(message))
  }

  #frameOf(message: Message): Frame {
    const { caller, to, depth, data, gasLimit, value } = message
    const outermost: FrameKind = to === undefined ? 'CREATE' : 'CALL'
    const type = depth === 0 ? outermost : (FRAME_TYPES.get(this.#opcode) ?? outermost)
    return {
      type,
      depth,
      // In a DELEGATECALL's message `to` is the calling frame's address, `caller` is its caller.
      from: type === 'DELEGATECALL' && to !== undefined ? to.bytes : caller.bytes,
      // A creation has no `codeAddress` either, and reading it would throw.
      to: to === undefined ? undefined : message.codeAddress.bytes,
      input: data,
      gas: gasLimit,
      value: type === 'STATICCALL' ? undefined : value,
    }
  }

  readonly #exit = (result: EVMResult): void => {
    const frame = this.#frames.pop()
    if (frame === undefined) throw new Error('A frame ended without having begun')
    const { execResult, createdAddress } = result
    const failed = haltOf(frame, execResult.exceptionError)
    if (failed !== undefined) this.#logCount = frame.logCount
    this.#tracer.exit?.({
      depth: frame.message.depth,
      output: (failed === undefined ? frame.returned : undefined) ?? execResult.returnValue,
      gasUsed: execResult.executionGasUsed,
      error: failed?.error,
      halt: failed?.halt,
      created: createdAddress?.bytes,
    })
  }

  onStep(step: Step): void {
    const { state, opcode } = step
    const frame = this.#innermost()
    this.#opcode = opcode
    this.#tracer.visit?.(step)
    if (step.failure === undefined && step.isDefined) {
      const type = FRAME_TYPES.get(opcode)
      if (type !== undefined) frame.codeless = failedOpening(step, type, this.#context)
      else if (opcode === Op.selfDestruct) frame.codeless = this.#selfDestruct(step)
    }
    if (opcode === Op.keccak256 && step.failure === undefined) this.#hash(step)
    const isAccess = this.#tracer.access !== undefined && ACCESSES.has(opcode)
    if (this.#tracer.step === undefined && !isAccess) return
    const { cost, error } = checkStep(step, this.#context.rules)
    if (isAccess && error === undefined && step.isDefined) this.#tracer.access?.(accessOf(step))
    if (this.#tracer.step === undefined) return
    const forwarded = isCall(opcode) && error === undefined ? (state.messageGasLimit ?? 0n) : 0n
    this.#tracer.step({
      ...step,
      cost: cost + forwarded,
      depth: state.env.depth + 1,
      refund: state.gasRefund + this.#refundBefore,
      error,
    })
  }

  onStepEnd(step: Step, halt: Halt | undefined): void {
    const { opcode, state } = step
    const frame = this.#innermost()
    if (halt !== undefined) {
      frame.halt = stepHalt(step, halt, this.#context.rules)
      return
    }
    if (opcode >= Op.log0 && opcode <= Op.log4) {
      const [address, topics, data] = state.interpreter._result.logs.at(-1) ?? NO_LOG
      const { depth } = state.env
      this.#tracer.log?.({ depth, address, topics, data, index: this.#logCount++ })
    } else if (frame.codeless !== undefined) {
      const { frame: opened, halt } = frame.codeless
      frame.codeless = undefined
      this.#tracer.enter?.(opened)
      const nothing = { output: EMPTY_BYTES, gasUsed: 0n, created: undefined }
      const error = halt && HALTS[halt]
      this.#tracer.exit?.({ ...nothing, depth: opened.depth, halt, error })
    }
  }

  #hash(step: Step): void {
    if (this.#tracer.hash === undefined) return
    const { state } = step
    const length = stackItem(step, 1)
    const bytes = () => readMemory(state, stackItem(step, 0), length)
    this.#tracer.hash(state.env.address.bytes, bytes, length)
  }

  #innermost(): OpenFrame {
    const frame = this.#frames.at(-1)
    if (frame === undefined) throw new Error('A step ran while no frame was open')
    return frame
  }

  #selfDestruct(step: Step): OpenFrame['codeless'] {
    const { depth, address } = step.state.env
    const from = address.bytes
    const beneficiary = stackAddress(stackItem(step, 0))
    const value = this.#context.state.account(addressKey(from))?.balance ?? 0n
    const call = { from, to: beneficiary, input: EMPTY_BYTES, gas: 0n, value }
    return { frame: { type: 'SELFDESTRUCT', depth: depth + 1, ...call }, halt: undefined }
  }
}

const NO_LOG = [EMPTY_BYTES, [], EMPTY_BYTES] as const

function isCall(opcode: number): boolean {
  return FRAME_TYPES.has(opcode) && opcode !== Op.create && opcode !== Op.create2
}

function haltOf(
  { message, isCreation, halt }: OpenFrame,
  error: EVMError | undefined,
): FrameHalt | undefined {
  if (error === undefined) return undefined
  const cause = message.isCompiled
    ? toPrecompileHalt(error, {
        address: Number(toHex(message.codeAddress.bytes)),
        data: message.data,
      })
    : toHalt(error)
  // In Frontier a creation that cannot pay for storing its code succeeds without code.
  if (cause === undefined || cause === 'codeStoreOutOfGas') return undefined
  if (halt !== undefined) return halt
  // The init code ended normally, so it was storing the code that ran out of gas.
  return frameHalt(isCreation && cause === 'outOfGas' ? 'codeStoreOutOfGas' : cause)
}

/** Gas refunded for an authorization if its account already exists (EIP-7702). */
const EXISTING_REFUND = 12_500n

/**
 * Begins to compute the refund for authorizations, which the library reports only after the
 * transaction: to be called before it runs.
 *
 * @returns the refund in gas, once the authorizations, each raising a nonce, are applied
 */
function authorizationRefund({ signers, state, tx }: TraceContext): () => bigint {
  const sender = addressKey(tx.from)
  const before = new Map(signers.map((signer) => [signer, state.account(signer)?.nonce]))
  return () => {
    let count = 0n
    for (const [signer, nonce] of before) {
      const after = state.account(signer)?.nonce ?? 0n
      const applied = after - (nonce ?? 0n) - (signer === sender ? 1n : 0n)
      // The first authorization created the account, so there is no refund for it.
      count += nonce === undefined && applied > 0n ? applied - 1n : applied
    }
    return count * EXISTING_REFUND
  }
}
