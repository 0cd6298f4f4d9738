import type { Executor } from '../../engine/executor.ts'
import { ExecutionAbortedError } from '../../engine/scheduler.ts'
import { DevnetError, reasonOf } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import { InvalidBlockError } from '../../protocol/block.ts'
import { toChainTransaction } from '../../protocol/transaction.ts'
import type { Keccak256 } from '../../state/types.ts'
import { checkGas } from '../admission.ts'
import type { ChainState } from '../chainState.ts'
import { BlockBuilder, type Obstacle, type TickResult } from './blockBuilder.ts'
import type { PendingView } from './pendingView.ts'

/** Transactions of a block that another node has built, in its order. */
export interface ListedTransactions {
  /** EIP-2718 bytes, without blob sidecars. */
  readonly transactions: readonly Uint8Array[]
  /** Senders of unsigned transactions, by transaction hash. Default: none. */
  readonly senders?: ReadonlyMap<string, Hex>
}

/**
 * Executes transactions whose order another node has decided, on top of `view`; commits, but does
 * not publish the view that shows them.
 *
 * @param signal - cancels the execution when aborted
 * @throws {InvalidBlockError} if one cannot run there; nothing is committed then
 */
export async function executeListed(
  listed: ListedTransactions,
  view: PendingView,
  { engine, store, blockHashes }: Pick<ChainState, 'engine' | 'store' | 'blockHashes'>,
  signal: AbortSignal | undefined,
): Promise<TickResult & { readonly view: PendingView }> {
  if (listed.transactions.length === 0) return { view, executed: [], executions: [] }
  const executor = await engine.executor(view.environment.rules)
  const machine = await executor.acquire(view.state, blockHashes)
  machine.scheduler.begin({ signal })
  const builder = new BlockBuilder(view, executor, machine)
  const { keccak256 } = engine.crypto
  await executeAll(listed, { builder, executor, keccak256 })
  const { executed, executions } = builder
  const extended = builder.finish(store)
  executor.release(machine)
  return { view: extended, executed, executions }
}

/** Executes transactions in their order. @throws {InvalidBlockError} if one cannot run there */
export async function executeAll(
  { transactions, senders }: ListedTransactions,
  { builder, executor, keccak256 }: Building,
): Promise<void> {
  for (const raw of transactions) {
    try {
      const signed = executor.decode(raw)
      const sender = senders?.get(toHex(signed.hash))
      const decoded = executor.identify(signed, sender && fromHex(sender))
      const transaction = toChainTransaction({ ...decoded, impersonated: sender !== undefined })
      checkGas(transaction, executor.rules)
      const obstacle = builder.obstacle(transaction)
      if (obstacle !== undefined) throw new InvalidBlockError(OBSTACLES[obstacle])
      await builder.execute(transaction)
    } catch (error) {
      if (error instanceof ExecutionAbortedError) throw error
      const index = builder.first + builder.executed.length
      const hash = toHex(keccak256(raw))
      throw new InvalidBlockError(`has transaction ${index} (${hash}), ${whyInvalid(error)}`, {
        cause: error,
      })
    }
  }
}

interface Building {
  readonly builder: BlockBuilder
  readonly executor: Executor
  readonly keccak256: Keccak256
}

const OBSTACLES: Record<Obstacle, string> = {
  gas: 'which asks for more gas than the block has left',
  'blob gas': 'which asks for more blob gas than the block has left',
  fee: "whose fee cap is below the block's",
  funds: 'whose sender cannot pay for it',
  nonce: "whose nonce is above its sender's",
  'stale nonce': "whose nonce is below its sender's",
}

function whyInvalid(error: unknown): string {
  if (error instanceof InvalidBlockError) return error.message
  if (error instanceof DevnetError) return `which is refused: ${error.message}`
  return `which cannot be executed: ${reasonOf(error)}`
}
