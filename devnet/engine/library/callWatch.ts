import type { Block } from '@ethereumjs/block'
import type { EVMResult, Message, PrecompileFunc } from '@ethereumjs/evm'
import type { BlockContext } from '../../protocol/blockContext.ts'
import type { RawLog } from '../../protocol/receipt.ts'
import { addressKey } from '../../state/keys.ts'
import { ACCESSES } from '../accessWatch.ts'
import type { Machine } from '../machine.ts'
import { TransferTrace } from '../transferTrace.ts'
import type { CallOptions, LogEmission } from '../types.ts'
import { type Log, stackItem } from './evmInternals.ts'
import { overrideRunLoop } from './runLoop.ts'
import { runTraced, type Step, type StepListener } from './tracingLoop.ts'

/**
 * Applies {@link CallOptions} to one execution. The library checks fees and warms addresses before
 * the first message call; changes that must not affect these steps are made only at that call.
 */
export class CallWatch implements StepListener {
  readonly #machine: Machine
  readonly #options: CallOptions
  readonly #transfers: TransferTrace | undefined
  /** `undefined` if they are not counted. */
  readonly lostLogs: LostLogs | undefined
  readonly #onEntry: () => void
  #precompiles: Map<string, PrecompileFunc> | undefined
  #depth = 0

  /** @param onEntry - called after the library's checks, before any code runs */
  constructor(machine: Machine, options: CallOptions, onEntry: () => void) {
    this.#machine = machine
    this.#options = options
    this.#onEntry = onEntry
    this.#transfers = options.traceTransfers === true ? new TransferTrace() : undefined
    this.lostLogs = options.countLostLogs === true ? new LostLogs() : undefined
    const { evm } = machine.vm
    evm.events?.on('beforeMessage', this.#before)
    evm.events?.on('afterMessage', this.#after)
    if (options.onAccess === undefined) return
    overrideRunLoop(evm, (interpreter, code) =>
      runTraced(interpreter, code, this, machine.scheduler),
    )
  }

  /** Stops listening and restores the precompiles. */
  end(): void {
    const { evm } = this.#machine.vm
    const { events, precompiles } = evm
    events?.off('beforeMessage', this.#before)
    events?.off('afterMessage', this.#after)
    if (this.#options.onAccess !== undefined) overrideRunLoop(evm, undefined)
    if (this.#precompiles === undefined) return
    precompiles.clear()
    for (const [address, precompile] of this.#precompiles) precompiles.set(address, precompile)
  }

  onStep(step: Step): void {
    const { opcode, state, failure } = step
    if (!ACCESSES.has(opcode) || failure === 'stackUnderflow') return
    this.#options.onAccess?.({
      opcode,
      self: addressKey(state.env.address.bytes),
      operand: (index) => stackItem(step, index),
    })
  }

  onStepEnd(): void {}

  readonly #before = (message: Message): void => {
    if (this.#depth++ === 0) {
      this.#onEntry()
      this.#changePrecompiles()
    }
    this.#transfers?.enter(message)
  }

  readonly #after = (result: EVMResult): void => {
    this.#depth--
    const takenBack = this.#transfers?.leave(result) ?? 0
    this.lostLogs?.leave(result, takenBack)
  }

  #changePrecompiles(): void {
    const { precompiles: changes } = this.#options
    if (changes === undefined) return
    const { precompiles } = this.#machine.vm.evm
    this.#precompiles = new Map(precompiles)
    for (const address of changes.removed) precompiles.delete(address)
    for (const [address, source] of changes.moved) {
      const precompile = this.#precompiles.get(source)
      if (precompile !== undefined) precompiles.set(address, precompile)
    }
  }
}

/** Lets code see the true fees, those of `block`. */
export function revealFees({ header }: Block, block: BlockContext): void {
  Object.assign(header, {
    baseFeePerGas: block.baseFeePerGas,
    getBlobGasPrice: () => block.blobBaseFee,
  })
}

/**
 * Counts the logs of an execution as geth's simulation does: those too that a failed frame takes
 * back. A failed frame leaves a mark in their place among the logs of its caller.
 */
class LostLogs {
  /** Number of logs that each mark stands for. Marks are told from logs by identity. */
  readonly #marks = new Map<RawLog, number>()

  /**
   * Called before the logs of a frame are added to its caller's.
   *
   * @param transfers - how many logs for transfers the frame takes back besides
   */
  leave({ execResult }: EVMResult, transfers: number): void {
    if (execResult.exceptionError === undefined) return
    // The result of a failed frame has no logs; its interpreter still does.
    const lost: readonly RawLog[] = execResult.runState?.interpreter._result.logs ?? []
    const count = lost.reduce((sum, log) => sum + (this.#marks.get(log) ?? 1), transfers)
    if (count === 0) return
    const mark: Log = [new Uint8Array(20), [], new Uint8Array()]
    this.#marks.set(mark, count)
    execResult.logs = [mark]
  }

  kept(logs: readonly RawLog[]): readonly RawLog[] {
    return this.#marks.size === 0 ? logs : logs.filter((log) => !this.#marks.has(log))
  }

  emission(logs: readonly RawLog[]): LogEmission {
    const positions: number[] = []
    let total = 0
    for (const log of logs) {
      const lost = this.#marks.get(log)
      if (lost === undefined) positions.push(total)
      total += lost ?? 1
    }
    return { positions, total }
  }
}
