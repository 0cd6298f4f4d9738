import { afterAll, afterEach, expect, type TestAPI, test as vitestTest } from 'vitest'
import type { Devnet } from '../../devnet/index.ts'
import type { AbiLike } from '../assertions/abi-events.ts'
import { checkPendingCode, checkPendingNonce } from '../assertions/account-checks.ts'
import type { NodeLike } from '../assertions/arguments.ts'
import type { ExpectedEvent } from '../assertions/expected-event.ts'
import type { Check, WaitOptions } from '../assertions/outcome.ts'
import {
  checkDroppedAfterPreconfirmation,
  checkEmittedBeforeSeal,
  checkPreconfirmed,
  checkSealed,
} from '../assertions/transaction-checks.ts'
import { type ContextOf, type ExploredChain, explore, type OptionsOf } from '../explore.ts'
import { sayAfterFailure } from '../network/latest-reads.ts'
import { isCollecting, isMeasuringGas, tellHardhat } from './collecting.ts'

export type { ExpectedEvent, NodeLike, WaitOptions } from '../assertions/index.ts'
export { createGlobalSetup, type GlobalSetupOptions } from './global-setup.ts'

/** The matchers that `hardhat-pending-node/vitest` adds to `expect`, each also under `.not`. */
export interface PendingNodeMatchers {
  /**
   * A transaction is pre-confirmed: executed by a tick, and not sealed. Waits until it is; if ticks
   * are frozen, it fails at once. `.not` checks after the tick that can execute the transaction.
   *
   * @example
   * await expect(hash).toBePreconfirmed(connection)
   */
  toBePreconfirmed(node: NodeLike, options?: WaitOptions): Promise<void>

  /** A transaction is in a sealed block. Waits for that; if sealing is frozen, fails at once. */
  toBeSealed(node: NodeLike, options?: WaitOptions): Promise<void>

  /**
   * A transaction was pre-confirmed, and then dropped, as by a fault. Waits for that; if it is
   * sealed, or sealing is frozen, fails at once.
   *
   * @example
   * await pendingNode.faults({ rules: [{ kind: 'drop', hash }] })
   * await pendingNode.seal()
   * await expect(hash).toBeDroppedAfterPreconfirmation(connection)
   */
  toBeDroppedAfterPreconfirmation(node: NodeLike, options?: WaitOptions): Promise<void>

  /**
   * An account has code in the pending state: `code`, if given. Waits until it has; if ticks are
   * frozen, it fails at once.
   *
   * @example
   * await expect(contract.address).toHavePendingCode(connection)
   */
  toHavePendingCode(node: NodeLike, code?: string, options?: WaitOptions): Promise<void>

  /** An account has this nonce in pending, which counts sealed and pre-confirmed transactions. */
  toHavePendingNonce(node: NodeLike, nonce: number | bigint, options?: WaitOptions): Promise<void>

  /**
   * A transaction has emitted an event in its pre-confirmed receipt, and is not sealed.
   *
   * @example
   * const event = { abi, eventName: 'Transfer', args: { value: 5n } } as const
   * await expect(hash).toEmitBeforeSeal(connection, event)
   */
  toEmitBeforeSeal<const Abi extends AbiLike>(
    node: NodeLike,
    event: ExpectedEvent<Abi>,
    options?: WaitOptions,
  ): Promise<void>
}

declare global {
  // Add the matchers to Chai's interface, which vitest's extends: interfaces merge only if their
  // type parameters agree, and those of vitest's `Matchers` differ between versions 4 and 5.
  namespace Chai {
    interface Assertion extends PendingNodeMatchers {}
  }
}

/** vitest's `test`, which can also explore. */
interface ExploringTest extends TestAPI {
  /**
   * Defines a test that runs under every schedule of faults; see `explore` of
   * `hardhat-pending-node/explore`. Its timeout is `options.time`, and a minute.
   *
   * @example
   * test.explore('a payment arrives once', async ({ devnet, provider }) => {
   *   await openShop(provider).pay()
   *   expect(await balanceOfShop(devnet.provider)).toBe(1n)
   * })
   */
  explore<From extends ExploredChain = Devnet>(
    name: string,
    run: (context: ContextOf<From>) => unknown,
    options?: OptionsOf<From>,
  ): void
}

/** False in a global setup, which imports this file too: it has no tests and no hooks. */
const isWorker = process.env.VITEST_WORKER_ID !== undefined

export const test: ExploringTest = Object.assign(isWorker ? vitestTest.extend({}) : vitestTest, {
  explore<From extends ExploredChain = Devnet>(
    name: string,
    run: (context: ContextOf<From>) => unknown,
    options: OptionsOf<From> = {},
  ) {
    vitestTest(name, { timeout: (options.time ?? 60_000) + 60_000 }, async () => {
      await explore(run, options)
    })
  },
})

/** The part of vitest's matcher state that is used. */
interface MatcherState {
  readonly isNot?: boolean
}

const matchers: {
  [Name in keyof PendingNodeMatchers]: (
    this: MatcherState,
    received: unknown,
    ...args: Parameters<PendingNodeMatchers[Name]>
  ) => ReturnType<ReturnType<typeof matcher>>
} = {
  toBePreconfirmed: matcher(checkPreconfirmed),
  toBeSealed: matcher(checkSealed),
  toBeDroppedAfterPreconfirmation: matcher(checkDroppedAfterPreconfirmation),
  toHavePendingCode: matcher(checkPendingCode),
  toHavePendingNonce: matcher(checkPendingNonce),
  toEmitBeforeSeal: matcher(checkEmittedBeforeSeal),
}

expect.extend(matchers)

if (isWorker) {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') sayAfterFailure()
  })
}

/** True if a test file of this worker has ended before. */
let hasSaved = false

if (isCollecting()) {
  // A worker has no end of its own that a setup file could wait for.
  afterAll(async () => {
    if (hasSaved && isMeasuringGas()) {
      throw new Error('Gas statistics need a worker for each test file: leave isolate: false out.')
    }
    hasSaved = true
    const { default: hre } = await import('hardhat')
    await tellHardhat('onTestWorkerDone', hre)
  })
}

/** A check in the form that vitest expects of a matcher. */
function matcher<Args extends unknown[]>(check: Check<Args>) {
  return async function (this: MatcherState, received: unknown, node: NodeLike, ...args: Args) {
    const { message, ...outcome } = await check(this.isNot === true, received, node, ...args)
    return { ...outcome, message: () => message }
  }
}
