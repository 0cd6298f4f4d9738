import { ValueMissingError } from '../../engine/scheduler.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { StateView } from '../../state/store/versionedStore.ts'
import type { ChainState } from '../chainState.ts'
import { AwaitedError } from './warmUps.ts'

/** Transactions that are about to run one after the other on a state, in place of others. */
export interface Replacement {
  readonly transactions: readonly ChainTransaction[]
  readonly on: StateView
}

/**
 * Runs transactions on a throw-away overlay, before anything changes: what they run in place of
 * would be gone amid a wait for the upstream of a forked chain.
 *
 * @param onFailure - called if the upstream does not give a value
 * @throws {AwaitedError} if a value is missing; it is ready when all that they read has come, or
 *   the upstream has failed
 */
export async function dryRun(
  replacement: Replacement,
  state: Pick<ChainState, 'engine' | 'pending' | 'blockHashes' | 'closing'>,
  onFailure: () => void,
): Promise<void> {
  let [transaction] = replacement.transactions
  if (transaction === undefined) return
  const run = (waits: boolean) =>
    runAll(replacement, state, waits, (next) => {
      transaction = next
    })
  try {
    await run(false)
  } catch (error) {
    // The run that counts reports other errors.
    if (!(error instanceof ValueMissingError)) return
    const ready = run(true).catch((failure: unknown) => {
      if (!(failure instanceof UpstreamError)) return
      onFailure()
      throw failure
    })
    throw new AwaitedError(transaction, ready)
  }
}

async function runAll(
  { transactions, on }: Replacement,
  { engine, pending, blockHashes, closing }: Parameters<typeof dryRun>[1],
  waits: boolean,
  onNext: (transaction: ChainTransaction) => void,
): Promise<void> {
  const { environment } = pending
  on.retain()
  try {
    const executor = await engine.executor(environment.rules)
    await executor.use(on, blockHashes, async (machine) => {
      machine.scheduler.begin({ signal: closing.signal, waits })
      for (const transaction of transactions) {
        onNext(transaction)
        if (transaction.impersonated) machine.overlay.presentAsEoaOnce(transaction.senderKey)
        await executor.run(machine, transaction, environment, { skipNonce: true })
      }
      machine.scheduler.begin()
    })
  } finally {
    on.release()
  }
}
