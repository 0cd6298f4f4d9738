import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import type { BlockContext } from '../../protocol/blockContext.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { Halt } from '../../protocol/halt.ts'
import type { RawLog } from '../../protocol/receipt.ts'
import { MAX_BALANCE } from '../../state/accounts.ts'
import { DELEGATION, isDelegation } from '../../state/codes.ts'
import { addressKeyAt } from '../../state/keys.ts'
import { ACCESSES, type AccessWatch } from '../accessWatch.ts'
import type { ConsoleRecorder } from '../consoleCalls.ts'
import type { Core } from '../core/core.ts'
import {
  EXIT_HOST,
  EXIT_INVALID_OPCODE,
  EXIT_RETURN,
  EXIT_REVERT,
  EXIT_SLICE_END,
  EXIT_STOP,
  F_ADDRESS,
  F_CALLER,
  F_VALUE,
} from '../core/layout.ts'
import type { CoverageCalls } from '../coverageCalls.ts'
import type { PrecompileOutcome } from '../precompiles/simplePrecompiles.ts'
import type { Scheduler } from '../scheduler.ts'
import { systemTransferLog } from '../transferTrace.ts'
import type { BlockHashes, FrameKind, LogEmission } from '../types.ts'
import { accessOf } from './accesses.ts'
import { deposit, openCreation } from './creations.ts'
import {
  DONE,
  ENTERED,
  FAILURES,
  PRECOMPILE_FAILURE,
  RAN_PRECOMPILE,
  VALUE_OVERFLOW,
} from './exits.ts'
import type { FrameHook, OpenedFrame } from './hooks.ts'
import { type HostGas, hostGas } from './hostGas.ts'
import { runHostOpcode } from './hostOpcodes.ts'
import { type AccountEntry, type Journal, Suspension } from './journal.ts'
import { LogItems } from './logItems.ts'
import type { Precompiles } from './precompileCalls.ts'
import { frameAt, stackTop } from './stack.ts'
import { StateMeter } from './stateMeter.ts'

export interface Call {
  readonly kind: FrameKind
  readonly caller: AccountEntry
  /** The account whose storage and balance the code uses. */
  readonly self: AccountEntry
  /** The account whose code runs, unless it delegates to another one. */
  readonly target: AccountEntry
  /** wei. */
  readonly value: bigint
  readonly code: Uint8Array
  /** Place of the calldata in the core. */
  readonly input: number
  readonly inputLength: number
  /** Beginning of operand stack and memory in the core. */
  readonly stack: number
  readonly memory: number
  readonly gas: number
  readonly isStatic: boolean
  /** Place of the output in the core, and its maximum length. */
  readonly output: number
  readonly outputLength: number
  readonly isCreation: boolean
  /** State gas that the caller has paid for an account that the frame makes (EIP-8037). */
  readonly stateGas: number
}

interface OpenFrame {
  readonly call: Call
  /** The journal, the logs and the refund at its beginning, to which a failure goes back. */
  readonly mark: number
  readonly logCount: number
  readonly refund: number
  readonly reservoir: number
  readonly stateGasUsed: number
  /** Of its caller. */
  readonly spilled: number
}

/** The frame of an opcode, as it sees it. */
export type Frame = Pick<Call, 'self' | 'caller' | 'value' | 'isStatic'>

export interface Outcome {
  /** Reason why it failed; `undefined` on success. */
  readonly failure: Halt | undefined
  readonly gasLeft: number
  readonly output: Uint8Array
  /** The invalid opcode that ended it, or the opcode whose immediate is invalid; if any. */
  readonly opcode: number | undefined
}

/** The surroundings of all frames of an execution. */
export interface Surroundings {
  readonly block: BlockContext
  readonly blockHashes: BlockHashes
  readonly blobHashes: readonly string[]
  readonly hook: FrameHook | undefined
  /** Is told of accesses. Not for states with lazy reads: an opcode that waits is told twice. */
  readonly watch: AccessWatch | undefined
}

const NO_OPCODE = -1

/**
 * The frames of one execution, a machine that runs until it has ended or must wait. The core runs
 * the code; this runs the opcodes that need the state, and opens and closes frames.
 */
export class Frames {
  readonly core: Core
  readonly journal: Journal
  readonly rules: ForkRules
  readonly coverage: CoverageCalls | undefined
  readonly logItems: LogItems
  readonly gas: HostGas
  readonly state = new StateMeter()
  readonly #scheduler: Scheduler
  readonly #console: ConsoleRecorder
  readonly #precompiles: Precompiles
  readonly #open: OpenFrame[] = []
  /** Block hashes that had to be fetched, by number. */
  readonly fetchedHashes = new Map<bigint, Uint8Array>()
  #surroundings: Surroundings | undefined
  #watch: AccessWatch | undefined
  logs: RawLog[] = []
  /** Of each log, how many were emitted before it, those included that a failed frame took back. */
  #logPositions: number[] = []
  #emitted = 0
  /** Gas that the transaction may get back (EIP-2200, EIP-3529). */
  refund = 0
  outcome: Outcome | undefined
  /** The host's opcode that runs; after a suspension it runs again. */
  #opcode = NO_OPCODE
  /** The rest of that opcode, if only this runs again. */
  #rest: (() => number) | undefined
  /** A precompile that is loaded, or works on another thread. */
  #working: Promise<void> | undefined

  constructor(parts: {
    core: Core
    journal: Journal
    rules: ForkRules
    scheduler: Scheduler
    console: ConsoleRecorder
    precompiles: Precompiles
    coverage: CoverageCalls | undefined
  }) {
    this.core = parts.core
    this.journal = parts.journal
    this.rules = parts.rules
    this.coverage = parts.coverage
    this.logItems = new LogItems(parts.core)
    this.gas = hostGas(parts.rules)
    this.#scheduler = parts.scheduler
    this.#console = parts.console
    this.#precompiles = parts.precompiles
  }

  /** Forgets the last execution. */
  begin(surroundings: Surroundings): void {
    this.#surroundings = surroundings
    this.#watch = surroundings.watch
    this.#open.length = 0
    this.core.codes.begin()
    if (this.fetchedHashes.size > 0) this.fetchedHashes.clear()
    this.logs = []
    this.#logPositions = []
    this.#emitted = 0
    this.refund = 0
    this.outcome = undefined
    this.#opcode = NO_OPCODE
    this.#rest = undefined
    this.#working = undefined
  }

  get surroundings(): Surroundings {
    if (this.#surroundings === undefined) throw new Error('No execution has begun')
    return this.#surroundings
  }

  /** Adds a log to those of the innermost frame, which go if it fails. */
  readonly addLog = (log: RawLog): void => {
    this.logs.push(log)
    this.#logPositions.push(this.#emitted++)
  }

  get emission(): LogEmission {
    return { positions: this.#logPositions, total: this.#emitted }
  }

  /** Depth of the innermost frame; 0 for the outermost. */
  get depth(): number {
    return this.#open.length - 1
  }

  /**
   * Runs until the outermost frame has ended, or something must be awaited.
   *
   * @returns a promise to await before the next call; `undefined` once there is an {@link outcome}
   * @throws {ExecutionAbortedError} if a limit is reached
   * @throws {CoreLimitError} if the core has not enough memory for this execution
   */
  advance(): Promise<void> | undefined {
    try {
      while (this.outcome === undefined) {
        const pause = this.#working ?? this.#step()
        if (pause !== undefined) return pause
      }
      return undefined
    } catch (error) {
      if (error instanceof Suspension) return error.ready
      throw error
    }
  }

  /** Runs the core up to the next exit, and what follows from it. */
  #step(): Promise<void> | undefined {
    const { core } = this
    const { call } = this.#innermost()
    const f = frameAt(this.depth)
    if (this.#opcode === NO_OPCODE) {
      const exit = core.run(f, call.code)
      if (exit === EXIT_SLICE_END) return this.#beginSlice(f)
      if (exit < EXIT_HOST) {
        this.#end(exit)
        return undefined
      }
      this.#opcode = exit - EXIT_HOST
    }
    const watch = this.#watch
    const isWatched = watch !== undefined && ACCESSES.has(this.#opcode)
    // An opcode that resumes after a wait was already reported when it began.
    if (isWatched && this.#rest === undefined) {
      watch.access(accessOf(core, f, call, this.#opcode))
    }
    const result =
      this.#rest === undefined ? runHostOpcode(this, f, call, this.#opcode) : this.#rest()
    this.#opcode = NO_OPCODE
    this.#rest = undefined
    if (result === DONE) return core.isSliceUsed(f) ? this.#beginSlice(f) : undefined
    if (result === ENTERED) return this.#scheduler.yieldIfDueSampled()
    if (result === RAN_PRECOMPILE) return this.#working ?? this.#scheduler.yieldIfDue()
    // SELFDESTRUCT ends its frame without a failure.
    if (isWatched && result !== EXIT_STOP) watch.undoAccess()
    this.#end(result)
    return undefined
  }

  #beginSlice(f: number): Promise<void> | undefined {
    this.core.refill(f)
    return this.#scheduler.yieldIfDue()
  }

  #innermost(): OpenFrame {
    const frame = this.#open.at(-1)
    if (frame === undefined) throw new Error('No frame is open')
    return frame
  }

  /** Ends an opcode with a part that reads the state: if that has to wait, only this runs again. */
  onceRead(rest: () => number): number {
    this.#rest = rest
    return rest()
  }

  /**
   * The account that `target` delegates to (EIP-7702).
   *
   * @throws {Suspension} if it has to be fetched first
   */
  delegate(target: AccountEntry): AccountEntry | undefined {
    if (!this.rules.requests) return undefined
    const code = this.journal.code(target)
    return isDelegation(code)
      ? this.journal.account(addressKeyAt(code, DELEGATION.length))
      : undefined
  }

  /**
   * Opens a frame. Reads nothing of the state that is not known yet. A frame without code ends at
   * once.
   */
  enter(call: Call): typeof ENTERED | typeof RAN_PRECOMPILE {
    const { journal } = this
    const { kind, caller, self, target, value, gas, isCreation } = call
    const { mark } = journal
    const { state } = this
    this.#open.push({
      call,
      mark,
      logCount: this.logs.length,
      refund: this.refund,
      reservoir: state.reservoir,
      stateGasUsed: state.used,
      spilled: state.spilled,
    })
    state.spilled = 0
    if (target.isConsole && !isCreation) this.#console.add(this.#inputView(call))
    const hook = this.#hook()
    if (hook !== undefined) {
      const from = (kind === 'DELEGATECALL' ? self : caller).key
      const input = () => (isCreation ? call.code : this.#input(call))
      hook.enter({ kind, from, to: target.key, value, gas, input }, this.addLog)
    }
    const refusal = this.#move(call)
    if (refusal !== undefined) {
      // A refused call uses all of its gas, as in revm.
      this.#close(refusal, 0)
    } else if (target.precompile > 0 && !isCreation) {
      this.#runPrecompile(call)
      return RAN_PRECOMPILE
    } else if (call.code.length === 0) this.#close(EXIT_STOP, gas)
    else this.#enterCode(call)
    return ENTERED
  }

  /** The hook, if it hears of the innermost frame. */
  #hook(): FrameHook | undefined {
    const { hook } = this.surroundings
    return hook !== undefined && (this.depth > 0 || hook.hearsOutermost) ? hook : undefined
  }

  #input(call: Call): Uint8Array {
    return this.#inputView(call).slice()
  }

  /** The input where it lies in the core: to be read at once. */
  #inputView({ input, inputLength }: Call): Uint8Array {
    return this.core.u8.subarray(input, input + inputLength)
  }

  /** Makes the account of a creation, and moves the ether of a call. */
  #move(call: Call): number | undefined {
    if (call.isCreation) return openCreation(this, call)
    if (call.kind === 'DELEGATECALL') return undefined
    return this.transfer(call.caller, call.self, call.value)
  }

  /** Moves ether. @returns an exit if the recipient would own more than a word can hold */
  transfer(from: AccountEntry, to: AccountEntry, value: bigint): number | undefined {
    const { journal } = this
    if (value === 0n) {
      journal.touch(from)
      journal.touch(to)
      return undefined
    }
    journal.setBalance(from, from.balance - value)
    const balance = to.balance + value
    if (balance > MAX_BALANCE) return VALUE_OVERFLOW
    journal.setBalance(to, balance)
    if (this.rules.transferLogs && from !== to) this.addTransferLog(from, to, value)
    return undefined
  }

  /** Adds the log of a transfer of ether (EIP-7708). */
  addTransferLog(from: AccountEntry, to: AccountEntry, value: bigint): void {
    this.addLog(systemTransferLog(from.bytes, to.bytes, value))
  }

  #enterCode(call: Call): void {
    const { core } = this
    const { self, caller, value } = call
    const f = frameAt(this.depth)
    core.setLimbs(f + F_ADDRESS, self.limbs)
    core.setLimbs(f + F_CALLER, caller.limbs)
    core.setWord(f + F_VALUE, value)
    core.enter(f, call)
  }

  #runPrecompile(call: Call): void {
    const outcome = this.#precompiles.run(call.target.precompile, this.#input(call), call.gas)
    if (outcome instanceof Promise) {
      this.#working = outcome.then((result) => {
        this.#working = undefined
        this.#leavePrecompile(result, call.gas)
        // The promise may have blocked this thread, so a pause may be due.
        return this.#scheduler.yieldIfDue()
      })
    } else this.#leavePrecompile(outcome, call.gas)
  }

  #leavePrecompile({ gasUsed, output, failure }: PrecompileOutcome, gas: number): void {
    const { memory } = this.#innermost().call
    this.core.place(memory, output)
    const exit = failure === undefined ? EXIT_RETURN : PRECOMPILE_FAILURE
    this.#close(exit, gas - gasUsed, memory, output.length, failure)
  }

  /** Ends the innermost frame, whose code has run. */
  #end(exit: number): void {
    const { core } = this
    const gas = exit > EXIT_REVERT ? 0 : core.gasLeft(frameAt(this.depth))
    if (exit === EXIT_RETURN || exit === EXIT_REVERT) {
      this.#close(exit, gas, core.output, core.outputLength)
    } else this.#close(exit, gas)
  }

  /**
   * Closes the innermost frame and lets its caller go on.
   *
   * @param exited - how it ended
   * @param gas - gas that it has left
   * @param at - where in the core its output begins
   * @param reason - why it failed
   */
  #close(exited: number, gas: number, at = 0, length = 0, reason = FAILURES.get(exited)): void {
    const { core, journal } = this
    const frame = this.#innermost()
    const { isCreation, kind, self, code, output, outputLength } = frame.call
    let exit = exited
    let left = gas
    let failure = reason
    if (isCreation && exit < EXIT_REVERT) {
      const code = core.u8.slice(at, at + length)
      ;[exit, left] = deposit(this, self, code, gas)
      failure = FAILURES.get(exit)
    }
    const failed = exit >= EXIT_REVERT
    if (failed) {
      journal.revert(frame.mark)
      this.logs.length = frame.logCount
      this.#logPositions.length = frame.logCount
      this.refund = frame.refund
    }
    left = this.#leaveState(frame, exit, left)
    const hasOutput = !failed || exit === EXIT_REVERT
    const bytes = () => (hasOutput && length > 0 ? core.u8.slice(at, at + length) : EMPTY_BYTES)
    // Computed on demand: finding the position takes time in proportion to the code.
    const isInvalid = exited === EXIT_INVALID_OPCODE
    const opcode = () => (isInvalid ? code[core.failurePosition(frameAt(this.depth))] : undefined)
    const gasUsed = frame.call.gas - left
    this.#hook()?.leave({ kind, failure, opcode, gasUsed, output: bytes })
    if (this.depth === 0) {
      this.outcome = { failure, gasLeft: left, output: bytes(), opcode: opcode() }
      this.#open.length = 0
      return
    }
    this.#open.length--
    const f = frameAt(this.depth)
    const { stateGas } = frame.call
    core.refund(f, failed && stateGas > 0 ? left + this.state.refill(stateGas) : left)
    const result = stackTop(core, f) - 32
    if (failed) core.setSmallWord(result, 0)
    else if (isCreation) core.setLimbs(result, self.limbs)
    else core.setSmallWord(result, 1)
    // A creation that succeeds returns its address only.
    if (!hasOutput || (isCreation && !failed)) {
      core.setReturned(0, 0)
      return
    }
    core.setReturned(at, length)
    const copied = Math.min(length, outputLength)
    if (copied > 0) core.u8.copyWithin(output, at, at + copied)
  }

  /**
   * Gives back the state gas of a frame that failed, and hands that of another one to its caller.
   *
   * @returns the gas that the frame has left then
   */
  #leaveState({ reservoir, stateGasUsed, spilled }: OpenFrame, exit: number, left: number): number {
    const { state } = this
    if (exit < EXIT_REVERT) {
      state.spilled += spilled
      return left
    }
    // If a frame halts, its spilled state gas is burnt with the rest of its gas.
    const rest = exit === EXIT_REVERT ? left + state.spilled : left
    state.reservoir = reservoir
    state.used = stateGasUsed
    state.spilled = spilled
    return rest
  }

  /**
   * Ends an execution whose gas does not suffice for what comes before its outermost frame.
   *
   * @param outermost - that frame, if its account was read
   */
  halt(outermost?: OpenedFrame): void {
    const { hook } = this.surroundings
    if (outermost !== undefined && hook?.hearsOutermost === true) {
      const { kind } = outermost
      hook.enter(outermost, this.addLog)
      const nothing = { opcode: () => undefined, gasUsed: 0, output: () => EMPTY_BYTES }
      hook.leave({ kind, failure: 'outOfGas', ...nothing })
      this.logs.length = 0
      this.#logPositions.length = 0
    }
    this.outcome = { failure: 'outOfGas', gasLeft: 0, output: EMPTY_BYTES, opcode: undefined }
  }
}
