import { afterwards } from '../../primitives/afterwards.ts'
import type { BlockContext } from '../../protocol/blockContext.ts'
import { blobGasOf } from '../../protocol/fees.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import { precompileNumbers } from '../../protocol/precompiles.ts'
import type { TransactionFields } from '../../protocol/transaction.ts'
import { addressKey, addressKeyFromHex } from '../../state/keys.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { AddressKey, StateReader } from '../../state/types.ts'
import type { ConsoleRecorder } from '../consoleCalls.ts'
import { Core } from '../core/core.ts'
import type { Crypto } from '../crypto.ts'
import type { InnerFrameRecorder } from '../innerFrames.ts'
import type { Machine } from '../machine.ts'
import { waivedFees } from '../transactionRules.ts'
import { isTransferLog } from '../transferTrace.ts'
import type {
  BlockHashes,
  CallExecution,
  CallOptions,
  Execution,
  PrecompileChanges,
  RunOptions,
  SystemExecution,
} from '../types.ts'
import { PresentState } from './accesses.ts'
import { EnvironmentWords } from './environmentWords.ts'
import { Frames, type Outcome } from './frames.ts'
import { BothHooks, type FrameHook, TransferHook } from './hooks.ts'
import { Journal, Suspension } from './journal.ts'
import {
  type OpenTransaction,
  openSystemCall,
  openTransaction,
  type SystemCall,
  settleTransaction,
  type TransactionOptions,
  type TransactionParts,
} from './openTransaction.ts'
import { Precompiles } from './precompileCalls.ts'

/**
 * Executes transactions on an overlay by the fast engine, one at a time. After an exception it must
 * be dropped, unless the transaction was refused.
 */
export class FastMachine {
  readonly #parts: TransactionParts
  readonly #overlay: Overlay
  readonly #machine: Machine
  readonly #console: ConsoleRecorder
  readonly #innerFrames: InnerFrameRecorder
  /** The state that a transaction in progress sees. */
  readonly present: StateReader

  /** @param machine - the one that it executes for */
  constructor(
    machine: Machine,
    { rules, chainId, crypto }: { rules: ForkRules; chainId: bigint; crypto: Crypto },
  ) {
    const { overlay, scheduler, console, coverage, innerFrames } = machine
    const core = new Core(rules)
    const journal = new Journal(overlay)
    const precompiles = new Precompiles(crypto, () => machine.common(), scheduler)
    const frames = new Frames({ core, journal, rules, scheduler, console, precompiles, coverage })
    const environment = new EnvironmentWords(core, rules, chainId)
    this.#parts = { core, journal, frames, environment, rules, chainId, crypto }
    this.#overlay = overlay
    this.#machine = machine
    this.present = new PresentState(overlay, journal)
    this.#console = console
    this.#innerFrames = innerFrames
  }

  /** Forgets what the last transaction has read; to be called after a reset of the overlay. */
  forget(): void {
    this.#parts.journal.begin(new Map(), new Map())
  }

  /**
   * Executes a transaction, at once unless something has to be awaited.
   *
   * @throws {TransactionRefused} if no block can include it
   * @throws {ExecutionAbortedError} if a limit is reached
   * @throws {CoreLimitError} if the core has not enough memory for it; nothing has changed then
   */
  run(
    tx: TransactionFields,
    block: BlockContext,
    blockHashes: BlockHashes,
    { skipNonce, waiveBaseFee }: RunOptions,
  ): Execution | Promise<Execution> {
    const checkNonce = skipNonce !== true
    const { watch } = this.#machine
    const inner = this.#innerFrames
    const hook = watch === undefined ? inner : new BothHooks(watch.frames, inner)
    const options = this.#options(tx, block, blockHashes, checkNonce, hook)
    return this.#run(
      tx,
      waiveBaseFee === true ? { ...options, fees: waivedFees(block, { waiveBaseFee }) } : options,
    )
  }

  /** Executes a call, as {@link run} does, without checking its nonce. */
  call(
    tx: TransactionFields,
    block: BlockContext,
    blockHashes: BlockHashes,
    options: CallOptions,
  ): CallExecution | Promise<CallExecution> {
    const { onAccess, traceTransfers, precompiles: changes } = options
    const hook = traceTransfers === true ? new TransferHook() : this.#machine.watch?.frames
    const plain = this.#options(tx, block, blockHashes, false, hook)
    const execution = this.#run(tx, {
      ...plain,
      fees: waivedFees(block, options),
      precompiles: changedPrecompiles(plain.precompiles, changes),
      watch:
        onAccess === undefined ? plain.watch : { access: onAccess, undoAccess: () => undefined },
    })
    return afterwards(execution, (ended) => this.#callExecution(ended, options))
  }

  #callExecution(
    execution: Execution,
    { countLostLogs, traceTransfers }: CallOptions,
  ): CallExecution {
    const { frames } = this.#parts
    const tracedLogs = execution.logs
    const logs =
      traceTransfers === true ? tracedLogs.filter((log) => !isTransferLog(log)) : tracedLogs
    return {
      ...execution,
      logs,
      tracedLogs,
      ...(countLostLogs === true ? { emission: frames.emission } : undefined),
      // The bloom of a block covers only logs that contracts emitted.
      bloomBits:
        logs.length === tracedLogs.length ? execution.bloomBits : frames.logItems.bloomBits(logs),
    }
  }

  #options(
    tx: TransactionFields,
    block: BlockContext,
    blockHashes: BlockHashes,
    checkNonce: boolean,
    hook: FrameHook | undefined,
  ): TransactionOptions {
    const precompiles = precompileNumbers(this.#parts.rules)
    return {
      block,
      blockHashes,
      blobHashes: tx.blobVersionedHashes,
      hook,
      watch: this.#machine.watch?.accesses,
      fees: block,
      checkNonce,
      senderMayHaveCode:
        this.#overlay.presentedAsEoa !== undefined &&
        this.#overlay.takePresentedAsEoa(addressKey(tx.from)),
      precompiles,
      warmPrecompiles: precompiles,
    }
  }

  #run(tx: TransactionFields, options: TransactionOptions): Execution | Promise<Execution> {
    const { frames } = this.#parts
    this.#innerFrames.begin()
    const opening = this.#open(() => openTransaction(this.#parts, tx, options))
    if (opening instanceof Promise) return opening.then((open) => this.#finishLater(tx, open))
    const pause = frames.advance()
    if (pause !== undefined) return pause.then(() => this.#finishLater(tx, opening))
    return this.#settle(tx, opening)
  }

  async #finishLater(tx: TransactionFields, open: OpenTransaction): Promise<Execution> {
    await this.#finish()
    return this.#settle(tx, open)
  }

  /** Ends a transaction whose frames have run. */
  #settle(tx: TransactionFields, open: OpenTransaction): Execution {
    const parts = this.#parts
    // A copy: the array of the frames reserves more memory than it needs.
    const logs = parts.frames.logs.slice()
    const outcome = this.#outcome()
    const { output, failure, opcode: invalidOpcode } = outcome
    const settled = settleTransaction(parts, open, outcome)
    return {
      success: failure === undefined,
      gasUsed: settled.gasUsed,
      gasBeforeRefund: settled.gasBeforeRefund,
      blockGas: settled.blockGas,
      accesses: settled.accesses,
      blobGasUsed: tx.type === 3 ? blobGasOf(tx) : undefined,
      logs,
      bloomBits: parts.frames.logItems.bloomBits(logs),
      returnData: output,
      failure,
      invalidOpcode,
      createdAddress: tx.to === undefined ? open.recipient.bytes : undefined,
      printed: this.#console.take(),
      innerFrames: this.#innerFrames.take(open.sender.key, open.recipient.key, failure),
    }
  }

  /** Makes a system call; only its changes to the state remain of it. */
  async systemCall(
    call: SystemCall,
    block: BlockContext,
    blockHashes: BlockHashes,
  ): Promise<SystemExecution> {
    const parts = this.#parts
    const precompiles = precompileNumbers(parts.rules)
    const seen = {
      block,
      blockHashes,
      blobHashes: [],
      hook: undefined,
      watch: undefined,
      precompiles,
    }
    parts.journal.prefetched = undefined
    const opening = this.#open(() => openSystemCall(parts, call, seen))
    if (opening instanceof Promise) await opening
    await this.#finish()
    const { output, failure } = this.#outcome()
    const accesses = parts.journal.handOver(parts.rules)
    // The next transaction must not report what a system contract printed.
    this.#console.take()
    return { returnData: output, failure, accesses }
  }

  /** Opens the outermost frame, again and again until all that it reads is known. */
  #open<Opened>(open: () => Opened): Opened | Promise<Opened> {
    try {
      return open()
    } catch (error) {
      if (error instanceof Suspension) return error.ready.then(() => this.#open(open))
      throw error
    }
  }

  async #finish(): Promise<void> {
    const { frames } = this.#parts
    for (let pause = frames.advance(); pause !== undefined; pause = frames.advance()) await pause
  }

  #outcome(): Outcome {
    const { outcome } = this.#parts.frames
    if (outcome === undefined) throw new Error('The execution ended without an outcome')
    return outcome
  }
}

function changedPrecompiles(
  precompiles: ReadonlyMap<AddressKey, number>,
  changes: PrecompileChanges | undefined,
): ReadonlyMap<AddressKey, number> {
  if (changes === undefined) return precompiles
  const changed = new Map(precompiles)
  for (const digits of changes.removed) changed.delete(addressKeyFromHex(`0x${digits}`))
  for (const [digits, source] of changes.moved) {
    const number = precompiles.get(addressKeyFromHex(`0x${source}`))
    if (number !== undefined) changed.set(addressKeyFromHex(`0x${digits}`), number)
  }
  return changed
}
