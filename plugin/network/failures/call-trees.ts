import type { HookContext } from 'hardhat/types/hooks'
import type { Hex, TickEvent, TickTransaction } from '../../../devnet/index.ts'
import { SerialQueue } from '../../../devnet/pluginApi.ts'
import type { LocalNode } from '../local-node.ts'
import { executionOf, type FailureSource, replayed, transactionOf } from './failed-request.ts'
import { hasPlace, SEND_METHODS } from './failure-kinds.ts'

/**
 * Prints the trees of calls as Hardhat does for its own networks: what ran is executed again on
 * such a network, which prints them. Failed requests are executed again anyway, for their errors.
 */
export class CallTrees {
  readonly #source: FailureSource
  readonly #node: LocalNode
  /** True if the trees of what succeeds are printed, too: from `-vvvv` on. */
  readonly #all: boolean
  readonly #queue = new SerialQueue()

  constructor(context: HookContext, node: LocalNode, source: FailureSource) {
    this.#node = node
    this.#source = source
    // Gas statistics would count what is executed again; failures they leave out.
    this.#all = context.globalOptions.verbosity >= 4 && !node.collected.wantsCalls
    const { devnet, consoleLines } = node
    // In instant mode, a send ends when its transaction is sealed: its answer tells of it.
    if (devnet.options.instant) return
    consoleLines.keepTransactions()
    devnet.on('tick', (event) => this.#tick(event))
  }

  /**
   * Runs what may print a tree behind the trees of all that ran before it, so that they are printed
   * in the order of the calls and transactions.
   */
  inOrder<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    return this.#queue.run(work)
  }

  /** Resolves when all trees are printed. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  /**
   * Prints the tree of a call or an instant transaction that has succeeded.
   *
   * @param onReplay - called if it was executed again, and so has printed again
   */
  async succeeded(
    request: { readonly method: string; readonly params?: unknown },
    result: unknown,
    onReplay: () => void,
  ): Promise<void> {
    const { method } = request
    const isSealed = SEND_METHODS.has(method) && this.#node.devnet.options.instant
    if (!this.#all || (method !== 'eth_call' && !isSealed)) return
    const source = { ...this.#source, onReplay }
    // The methods that send answer the hash.
    const hash = isSealed ? (result as Hex) : undefined
    await this.inOrder(() => replayed(source, () => executionOf(source.ask, request, hash)))
  }

  #tick({ transactions }: TickEvent): void {
    for (const one of transactions) {
      const work = () => this.#transaction(one)
      // Nothing is awaited by the node, and nothing here rejects.
      void this.inOrder(work)
    }
  }

  async #transaction({ hash, error }: TickTransaction): Promise<void> {
    const lines = this.#node.consoleLines.takeKept(hash)
    // A call that ran out of gas is not executed again: that would be too slow.
    const isShown = error === null ? this.#all : hasPlace(error)
    const source = { ...this.#source, onReplay: () => lines?.discard() }
    try {
      if (isShown) await replayed(source, () => transactionOf(source.ask, hash))
    } finally {
      lines?.release()
    }
  }
}
