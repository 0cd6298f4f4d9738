import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { IntervalTimer } from '../clock/intervalTimer.ts'
import type { Options } from '../options/options.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { headerGasUsed } from '../protocol/blockGas.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ClockStatus, ForkStatus, PreconfirmedSummary, Status } from '../types.ts'
import { currentInstanceId } from './instanceId.ts'

interface ClockedChain {
  readonly chain: Chain
  readonly clocks: Clocks
  readonly options: Pick<Options, 'profile' | 'receipts' | 'latest'>
  /** At the start of the node. */
  readonly instanceId: Hex
  /** `undefined` if the chain stands on a genesis block. */
  readonly fork?: { status(): ForkStatus | undefined } | undefined
}

type BriefStatus = Omit<Status, 'pending' | 'dropped' | 'reexecuted'> & {
  readonly pending: Omit<Status['pending'], 'transactions'>
}

/** Current state of clocks, pending block and mempool. */
export function formatStatus(node: ClockedChain): Status {
  const { chain, clocks } = node
  const { pending, fork, ...brief } = formatBriefStatus(node)
  return {
    ...brief,
    pending: { ...pending, transactions: chain.pending.executed.map(summarize) },
    dropped: chain.dropped.map((one) => ({ ...one })),
    reexecuted: [...chain.reexecuted],
    ...(fork === undefined ? {} : { fork }),
    ...(clocks.faults === undefined ? {} : { faults: clocks.faults.status }),
  }
}

/** The part of the status whose size does not depend on how much is pre-confirmed or dropped. */
export function formatBriefStatus(node: ClockedChain): BriefStatus {
  const { chain, clocks, fork, options } = node
  const { head, mempool, pending } = chain
  const { environment } = pending
  const { now } = clocks
  const forked = fork?.status()
  return {
    instanceId: currentInstanceId(node),
    time: now,
    ticks: formatClock(clocks.ticks, now),
    sealing: formatClock(clocks.seals, now),
    instant: clocks.instant,
    ...(options.profile === 'plain' ? {} : { profile: options.profile }),
    modes: { receipts: options.receipts, latest: options.latest },
    latest: { number: head.number, hash: head.hash, timestamp: Number(head.header.timestamp) },
    pending: {
      number: Number(environment.number),
      timestamp: Number(environment.timestamp),
      ticks: pending.ticks,
      gasUsed: Number(headerGasUsed(pending.gas)),
    },
    mempool: { runnable: mempool.runnableCount, waiting: mempool.size - mempool.runnableCount },
    ...(forked === undefined ? {} : { fork: forked }),
  }
}

export function formatHealth({ chain, clocks }: ClockedChain): object {
  return {
    latest: chain.head.number,
    pending: Number(chain.pending.environment.number),
    ticks: clocks.ticks.running ? 'running' : 'frozen',
    sealing: clocks.instant ? 'instant' : clocks.seals.running ? 'running' : 'frozen',
  }
}

export function summarize(executed: ExecutedTransaction): PreconfirmedSummary {
  const { transaction } = executed
  const { to } = transaction
  return {
    hash: transaction.hash,
    from: transaction.sender,
    to: to === undefined ? null : toHex(to),
    nonce: Number(transaction.nonce),
    gasUsed: Number(executed.gasUsed),
    status: executed.success ? 'success' : 'reverted',
    tick: executed.tick,
  }
}

function formatClock(
  timer: Readonly<Pick<IntervalTimer, 'interval' | 'running' | 'next'>>,
  now: number,
): ClockStatus {
  const { interval, running } = timer
  // With interval 0 there is no timer, so there is no next time.
  return { interval, running, next: running && interval > 0 ? timer.next(now) : null }
}
