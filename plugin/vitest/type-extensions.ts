import type { OptionsInput } from '../../devnet/options/options.ts'
import type { AbiLike, ExpectedEvent, NodeLike, WaitOptions } from '../assertions/index.ts'

/** What `hardhat-pending-node/vitest` adds to `expect`; each has its opposite under `.not`. */
export interface PendingNodeMatchers {
  /**
   * A transaction is pre-confirmed: executed by a tick, and not sealed. Waits for that; with ticks frozen it fails at
   * once. Under `.not` a tick that can take it is waited for.
   *
   * @example
   * await expect(hash).toBePreconfirmed(connection)
   */
  toBePreconfirmed(node: NodeLike, options?: WaitOptions): Promise<void>

  /** A transaction is in a sealed block. Waits for that; with sealing frozen it fails at once. */
  toBeSealed(node: NodeLike, options?: WaitOptions): Promise<void>

  /**
   * An account has code, or this code, in the pending state. Waits for that; with ticks frozen it fails at once.
   *
   * @example
   * await expect(contract.address).toHavePendingCode(connection)
   */
  toHavePendingCode(node: NodeLike, code?: string, options?: WaitOptions): Promise<void>

  /** An account has this nonce in the pending state, which counts its sealed and its pre-confirmed transactions. */
  toHavePendingNonce(node: NodeLike, nonce: number | bigint, options?: WaitOptions): Promise<void>

  /**
   * A transaction has emitted an event in its pre-confirmed receipt, and is not sealed.
   *
   * @example
   * await expect(hash).toEmitBeforeSeal(connection, { abi, eventName: 'Transfer', args: { value: 5n } })
   */
  toEmitBeforeSeal<const Abi extends AbiLike>(
    node: NodeLike,
    event: ExpectedEvent<Abi>,
    options?: WaitOptions,
  ): Promise<void>
}

declare global {
  // All assertions of vitest have those of Chai, whose type parameters do not change: the ones of vitest's own `Matchers`
  // differ between its versions 4 and 5, and an interface can only be added to with the same.
  namespace Chai {
    interface Assertion extends PendingNodeMatchers {}
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the node that the global set-up has started. */
    pendingNodeUrl: string
    /** In `test.provide` of the configuration: lets the global set-up start a node for the run, with these options. */
    pendingNode: boolean | OptionsInput
  }
}
