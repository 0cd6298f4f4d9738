import type { Executor } from '../../engine/executor.ts'
import type { Machine } from '../../engine/machine.ts'
import type { Execution } from '../../engine/types.ts'
import { fromHex } from '../../primitives/hex.ts'
import { requireTrie } from '../../protocol/block.ts'
import { addGas, type BlockGas, hasRoom } from '../../protocol/blockGas.ts'
import { maxBlobGas } from '../../protocol/fees.ts'
import {
  type ExecutedTransaction,
  type FailedExecution,
  KEPT_RETURN_DATA,
  makeExecuted,
} from '../../protocol/receipt.ts'
import { mostCost } from '../../protocol/rollup/l1Fee.ts'
import type { StepAccesses } from '../../protocol/stepAccesses.ts'
import { type ChainTransaction, toChainTransaction } from '../../protocol/transaction.ts'
import { mergeDiffs } from '../../state/diffs.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import type { StateTrie } from '../../state/trie/stateTrie.ts'
import type { StateDiff, StateReader } from '../../state/types.ts'
import { checkGas, NonceTooLowError } from '../admission.ts'
import { diffsSinceSeal, type PendingView, withExecuted } from './pendingView.ts'

/** The executed transactions, and what the EVM reported of each, in the same order. */
export interface TickResult {
  readonly executed: readonly ExecutedTransaction[]
  readonly executions: readonly Execution[]
}

/** Reason why a transaction cannot run in the pending block now. */
export type Obstacle = 'gas' | 'blob gas' | 'fee' | 'funds' | 'nonce' | 'stale nonce'

/** Adds transactions to a pending block; nothing is visible or committed before {@link finish}. */
export class BlockBuilder implements TickResult {
  readonly executed: ExecutedTransaction[] = []
  readonly executions: Execution[] = []
  readonly #view: PendingView
  readonly #executor: Executor
  readonly #machine: Machine
  readonly #gasCeiling: bigint
  readonly #maxBlobGas: bigint
  readonly #roots: IntermediateRoots | undefined
  readonly #accesses: StepAccesses[] = []
  #gas: BlockGas
  #blobGasUsed: bigint
  #logCount: number

  /**
   * @param machine - one of `executor`'s machines, on the state of `view`
   * @param gasCeiling - gas that the block may have. Default: its gas limit
   */
  constructor(
    view: PendingView,
    executor: Executor,
    machine: Machine,
    gasCeiling = view.environment.gasLimit,
  ) {
    const { parent, rules } = view.environment
    this.#view = view
    this.#executor = executor
    this.#machine = machine
    this.#gasCeiling = gasCeiling
    this.#maxBlobGas = maxBlobGas(rules.blobSchedule)
    this.#roots = rules.receiptStatus
      ? undefined
      : new IntermediateRoots(requireTrie(parent), diffsSinceSeal(view), view.state)
    this.#gas = view.gas
    this.#blobGasUsed = view.blobGasUsed
    this.#logCount = view.logCount
  }

  /** Gas of the block so far. */
  get gas(): BlockGas {
    return this.#gas
  }

  /** Number of transactions that the block held before. */
  get first(): number {
    return this.#view.executed.length
  }

  /** True if `transaction` was decoded under the rules of this block. */
  isUnderRules(transaction: ChainTransaction): boolean {
    return transaction.rules === this.#executor.rules
  }

  /**
   * Decodes a transaction that was decoded under other rules again, under this block's.
   *
   * @throws {DevnetError} if the transaction is invalid under these rules
   */
  redecode(transaction: ChainTransaction): ChainTransaction {
    const signed = this.#executor.decode(transaction.raw)
    const decoded = this.#executor.identify(signed, fromHex(transaction.sender))
    const { impersonated, acceptedAt } = transaction
    const read = toChainTransaction({ ...decoded, impersonated }, acceptedAt)
    checkGas(read, this.#executor.rules)
    return read
  }

  /** Reason why `transaction` cannot run now. To be checked before {@link execute}. */
  obstacle(transaction: ChainTransaction): Obstacle | undefined {
    const { environment } = this.#view
    // L1 has ordered a deposit, and paid for it.
    if (transaction.deposit !== undefined) {
      return this.#hasRoom(transaction, environment.gasLimit) ? undefined : 'gas'
    }
    if (!this.#hasRoom(transaction, this.#gasCeiling)) return 'gas'
    if (this.#blobGasUsed + transaction.blobGas > this.#maxBlobGas) return 'blob gas'
    if (transaction.maxFeePerGas < environment.baseFeePerGas) return 'fee'
    if (transaction.blobGas > 0n && transaction.maxFeePerBlobGas < environment.blobBaseFee) {
      return 'fee'
    }
    const { overlay } = this.#machine
    const account = overlay.account(transaction.senderKey)
    const nonce = account?.nonce ?? 0n
    if (nonce > transaction.nonce) return 'stale nonce'
    if (nonce < transaction.nonce) return 'nonce'
    if ((account?.balance ?? 0n) < mostCost(transaction, overlay)) return 'funds'
    return undefined
  }

  #hasRoom({ gasLimit }: ChainTransaction, most: bigint): boolean {
    return hasRoom(this.#gas, gasLimit, most, this.#view.environment.rules)
  }

  /** The error for a transaction with the obstacle `stale nonce`, which can never run. */
  staleNonce(transaction: ChainTransaction): NonceTooLowError {
    const account = this.#machine.overlay.account(transaction.senderKey)
    return new NonceTooLowError(account?.nonce ?? 0n, transaction)
  }

  /**
   * Executes `transaction` as the next one of the block.
   *
   * @returns a promise if it has to be awaited
   * @throws {Error} if the EVM refuses it despite {@link obstacle}; the machine is then unusable
   */
  execute(transaction: ChainTransaction): Promise<void> | undefined {
    const pause = this.#machine.scheduler.yieldIfDue()
    if (pause !== undefined) return pause.then(() => this.#execute(transaction))
    return this.#execute(transaction)
  }

  /** Clears what an interrupted execution left. @returns false if the machine is now unusable */
  recover(): boolean {
    const { console, isFast } = this.#machine
    console.take()
    return isFast
  }

  #execute(given: ChainTransaction): Promise<void> | undefined {
    const machine = this.#machine
    const transaction = given.deposit === undefined ? given : withNonceOf(given, machine.overlay)
    // Set right before the execution, so that no other transaction can use it up.
    if (transaction.impersonated) machine.overlay.presentAsEoaOnce(transaction.senderKey)
    const execution = this.#executor.run(machine, transaction, this.#view.environment)
    if (execution instanceof Promise) return execution.then((late) => this.#add(transaction, late))
    this.#add(transaction, execution)
    return undefined
  }

  #add(transaction: ChainTransaction, execution: Execution): void {
    const { environment, executed: before, ticks } = this.#view
    this.#gas = addGas(this.#gas, execution)
    if (execution.accesses !== undefined) this.#accesses.push(execution.accesses)
    this.#blobGasUsed += transaction.blobGas
    this.executed.push(
      makeExecuted(transaction, environment, {
        success: execution.success,
        gasUsed: execution.gasUsed,
        logs: execution.logs,
        bloomBits: execution.bloomBits,
        createdAddress: execution.createdAddress,
        index: before.length + this.executed.length,
        stateRoot: this.#roots?.after(this.#machine.overlay),
        cumulativeGasUsed: this.#gas.paid,
        firstLogIndex: this.#logCount,
        tick: ticks,
        innerFrames: execution.innerFrames,
        l1Charge: execution.l1Charge,
        failed: failedExecution(execution),
      }),
    )
    this.executions.push(execution)
    this.#logCount += execution.logs.length
  }

  /** The block with all executed transactions; its state and diffs are still the old ones. */
  extended(): PendingView {
    const view = this.#view
    return {
      ...view,
      ...withExecuted(view, this.executed),
      gas: this.#gas,
      accesses: [...view.accesses, ...this.#accesses],
      blobGasUsed: this.#blobGasUsed,
      logCount: this.#logCount,
    }
  }

  /** Commits what was executed, and returns the view that shows it. To be called once. */
  finish(store: VersionedStore): PendingView {
    const diff = this.#machine.overlay.takeDiff()
    const view = this.extended()
    // Hashed now, as far as they go, so that the seal is short.
    view.transactions.rootHash()
    view.receipts.rootHash()
    const state = store.view(store.commit(diff))
    return { ...view, state, blockDiffs: [...view.blockDiffs, diff] }
  }
}

/** The part of an execution that stays with its transaction if it failed. */
function failedExecution({
  failure,
  invalidOpcode,
  returnData,
}: Execution): FailedExecution | undefined {
  if (failure === undefined) return undefined
  // A copy: `returnData` may be a view that keeps a much larger buffer in memory.
  return { failure, invalidOpcode, returnData: returnData.slice(0, KEPT_RETURN_DATA) }
}

/** A deposit with the nonce that its sender has now. */
function withNonceOf(deposit: ChainTransaction, state: StateReader): ChainTransaction {
  return { ...deposit, nonce: state.account(deposit.senderKey)?.nonce ?? 0n }
}

/** State roots after each transaction of a block, for receipts before Byzantium. */
class IntermediateRoots {
  #trie: StateTrie

  /**
   * @param parent - the parent block's trie
   * @param diffs - changes since then, in order
   * @param state - the parent's state with `diffs` applied
   */
  constructor(parent: StateTrie, diffs: readonly StateDiff[], state: StateReader) {
    this.#trie = diffs.length === 0 ? parent : parent.apply(mergeDiffs(diffs), state)
  }

  /** The present state root. @param overlay - contains the changes of all transactions so far */
  after(overlay: Overlay): Uint8Array {
    // Reapplying the changes of earlier transactions is cheap: unchanged nodes keep their hashes.
    this.#trie = this.#trie.apply(overlay.shallowCopy().takeDiff(), overlay)
    return this.#trie.root()
  }
}
