import { libraryReason } from '../engine/executionResult.ts'
import type { Executor } from '../engine/executor.ts'
import type { Machine } from '../engine/machine.ts'
import type { Execution } from '../engine/types.ts'
import { RefusedError } from '../primitives/errors.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import { GAS_PER_BLOB } from '../protocol/fees.ts'
import { type ExecutedTransaction, encodeReceipt } from '../protocol/receipt.ts'
import { type ChainTransaction, effectiveGasPrice } from '../protocol/transaction.ts'
import { mergeDiffs } from '../state/diffs.ts'
import type { Overlay } from '../state/overlay/overlay.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import type { StateDiff, StateReader } from '../state/types.ts'
import { checkGas, NonceTooLowError, toChainTransaction } from './admission.ts'
import type { PendingView } from './pendingView.ts'

/** What stands between a transaction and the pending block; it can go once that is gone. */
export type Obstacle = 'gas' | 'blob gas' | 'fee' | 'funds' | 'nonce' | 'stale nonce'

/** Transactions that were executed, and what nobody keeps of each. */
export interface TickResult {
  readonly executed: readonly ExecutedTransaction[]
  readonly executions: readonly Execution[]
}

/** One tick's work on the pending block, not yet visible to anybody. */
export class BlockBuilder implements TickResult {
  readonly executed: ExecutedTransaction[] = []
  readonly executions: Execution[] = []
  gasUsed: bigint
  blobGasUsed: bigint
  readonly #view: PendingView
  readonly #executor: Executor
  readonly #machine: Machine
  readonly #maxBlobGas: bigint
  readonly #roots: IntermediateRoots | undefined
  #logCount: number

  /** @param diffs - all changes since the parent was sealed, in order; those that `view.state` has */
  constructor(
    view: PendingView,
    executor: Executor,
    machine: Machine,
    diffs: () => readonly StateDiff[],
  ) {
    const { parent, rules } = view.environment
    this.#view = view
    this.#executor = executor
    this.#machine = machine
    this.#maxBlobGas = maxBlobGas(rules.blobSchedule)
    this.#roots = rules.receiptStatus
      ? undefined
      : new IntermediateRoots(parent.trie, diffs(), view.state)
    this.gasUsed = view.gasUsed
    this.blobGasUsed = view.blobGasUsed
    this.#logCount = view.logCount
  }

  /** Whether `transaction` was read under the rules of this block. */
  isUnderRules(transaction: ChainTransaction): boolean {
    return transaction.tx.common === this.#executor.common
  }

  /**
   * A transaction that waited since before a hardfork, as the rules of this block have it.
   *
   * @throws {DevnetError} where they refuse it
   */
  redecode(transaction: ChainTransaction): ChainTransaction {
    const signed = this.#executor.decode(transaction.raw)
    const decoded = this.#executor.identify(signed, fromHex(transaction.sender))
    const read = toChainTransaction({ ...decoded, impersonated: transaction.impersonated })
    checkGas(read, this.#executor.rules)
    return read
  }

  /** Why `transaction` cannot run now; looked at before it runs, since a machine that refuses one is spoilt. */
  obstacle(transaction: ChainTransaction): Obstacle | undefined {
    const { environment } = this.#view
    if (this.gasUsed + transaction.gasLimit > environment.gasLimit) return 'gas'
    if (this.blobGasUsed + transaction.blobGas > this.#maxBlobGas) return 'blob gas'
    if (transaction.maxFeePerGas < environment.baseFeePerGas) return 'fee'
    if (transaction.blobGas > 0n && transaction.maxFeePerBlobGas < environment.blobBaseFee) {
      return 'fee'
    }
    const account = this.#machine.overlay.account(transaction.senderKey)
    const nonce = account?.nonce ?? 0n
    if (nonce > transaction.nonce) return 'stale nonce'
    if (nonce < transaction.nonce) return 'nonce'
    if ((account?.balance ?? 0n) < transaction.maxCost) return 'funds'
    return undefined
  }

  /** Why a transaction with the obstacle `stale nonce` can never run. */
  staleNonce(transaction: ChainTransaction): NonceTooLowError {
    const account = this.#machine.overlay.account(transaction.senderKey)
    return new NonceTooLowError(account?.nonce ?? 0n, transaction.nonce)
  }

  /**
   * Executes `transaction` as the next of the block.
   *
   * @throws {Error} where the library refuses what {@link obstacle} let pass; the machine is then spoilt
   */
  async execute(transaction: ChainTransaction): Promise<ExecutedTransaction> {
    const { environment } = this.#view
    const pause = this.#machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    // Looked at before each of its transactions, and so never left over for somebody else's.
    if (transaction.impersonated) this.#machine.overlay.presentAsEoaOnce(transaction.senderKey)
    const execution = await this.#executor.run(this.#machine, transaction.tx, environment)
    this.gasUsed += execution.gasUsed
    this.blobGasUsed += transaction.blobGas
    const executed = this.#record(transaction, execution, environment)
    this.executed.push(executed)
    this.executions.push(execution)
    this.#logCount += execution.logs.length
    return executed
  }

  #record(
    transaction: ChainTransaction,
    execution: Execution,
    environment: BlockEnvironment,
  ): ExecutedTransaction {
    const blobs = transaction.blobGas > 0n
    return {
      transaction,
      index: this.#view.executed.length + this.executed.length,
      success: execution.success,
      stateRoot: this.#roots?.after(this.#machine.overlay),
      gasUsed: execution.gasUsed,
      cumulativeGasUsed: this.gasUsed,
      effectiveGasPrice: effectiveGasPrice(transaction, environment.baseFeePerGas),
      logs: execution.logs,
      firstLogIndex: this.#logCount,
      bloom: execution.bloom,
      contractAddress: transaction.tx.to === undefined ? execution.createdAddress : undefined,
      blobGasUsed: blobs ? transaction.blobGas : undefined,
      blobGasPrice: blobs ? environment.blobBaseFee : undefined,
      tick: this.#view.ticks,
    }
  }
}

/** The view after `executed` were added to `view`; `state` is the version that holds their effects. */
export function extendView(
  view: PendingView,
  executed: readonly ExecutedTransaction[],
  totals: { readonly gasUsed: bigint; readonly blobGasUsed: bigint },
  state: PendingView['state'],
): PendingView {
  const bloom = view.bloom.slice()
  let logCount = view.logCount
  for (const one of executed) {
    logCount += one.logs.length
    if (one.logs.length === 0) continue
    for (let byte = 0; byte < bloom.length; byte++) {
      bloom[byte] = (bloom[byte] ?? 0) | (one.bloom[byte] ?? 0)
    }
  }
  return {
    ...view,
    executed: [...view.executed, ...executed],
    gasUsed: totals.gasUsed,
    blobGasUsed: totals.blobGasUsed,
    logCount,
    bloom,
    transactions: view.transactions.append(
      executed.map(({ transaction }) => transaction.raw),
      view.executed.length,
    ),
    receipts: view.receipts.append(executed.map(encodeReceipt), view.executed.length),
    state,
    ticks: view.ticks + 1,
  }
}

/** Blob gas that a block can hold under these rules; 0 before Cancun. */
export function maxBlobGas(schedule: { readonly max: bigint } | undefined): bigint {
  return (schedule?.max ?? 0n) * GAS_PER_BLOB
}

/** A transaction that passed all checks was refused by the EVM: dropped, and the clock goes on. */
export class ExecutionRefusedError extends RefusedError {
  override name = 'ExecutionRefusedError'
  constructor(hash: Hex, cause: unknown) {
    super(`transaction ${hash} could not be executed: ${libraryReason(cause)}`, { cause })
  }
}

/** State roots after each transaction of a block, as receipts had them before Byzantium. */
export class IntermediateRoots {
  #trie: StateTrie

  /**
   * @param parent - of the block before
   * @param diffs - changes since then, in order
   * @param state - with these changes
   */
  constructor(parent: StateTrie, diffs: readonly StateDiff[], state: StateReader) {
    this.#trie = diffs.length === 0 ? parent : parent.apply(mergeDiffs(diffs), state)
  }

  /** 32 bytes. @param overlay - with the changes of all transactions so far */
  after(overlay: Overlay): Uint8Array {
    // All of them once more: nodes that stay the same keep their hashes.
    this.#trie = this.#trie.apply(overlay.shallowCopy().takeDiff(), overlay)
    return this.#trie.root()
  }
}
