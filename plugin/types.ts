import type { Hex, OptionsInput, Status } from '../devnet/index.ts'
import type { FormattedReceipt } from '../devnet/json/formatReceipt.ts'
import type { WalletControl } from '../devnet/wallet/types.ts'

/** How the requests of a connection reach a node in the same process. */
export type PendingNodeTransport = 'in-process' | 'http'

/**
 * Options of the node behind a connection: those of `npx hardhat pending-node` (README, "Options"), but for what it
 * prints, as a node in the process of a test prints nothing.
 */
export interface PendingNodeUserConfig
  extends Omit<OptionsInput, 'quiet' | 'verbose' | 'json' | 'keepAlive'> {
  /**
   * `in-process` answers reads and commands without a socket; what sends or signs goes through Hardhat's own handlers
   * and over HTTP. `http` sends every request over HTTP, as to a node elsewhere, so that each plugin sees it.
   * Default: `in-process`.
   */
  readonly transport?: PendingNodeTransport | undefined
}

/** A network's `pendingNode`, resolved: what was left out takes the node's default when a connection is made. */
export interface PendingNodeConfig extends PendingNodeUserConfig {
  readonly transport: PendingNodeTransport
}

/** A receipt as `eth_getTransactionReceipt` answers it; `blockHash` is 32 zero bytes until the block is sealed. */
export type PendingNodeReceipt = FormattedReceipt

/** Of {@link PendingNode.preconfirmed} and {@link PendingNode.sealed}. */
export interface WaitOptions {
  /** ms after which it rejects. Default: 4,000, or two intervals of the clock that it waits for where that is more. */
  readonly timeout?: number | undefined
}

/**
 * `connection.pendingNode`: the two clocks of the node behind a connection, and what to wait for. It works on a network
 * with `pendingNode` in its configuration, whose node lives in this process, and on an `http` network whose node is a
 * `npx hardhat pending-node` elsewhere. On any other network each call rejects with an error that says so.
 *
 * Each command resolves with the status after its work is done.
 *
 * @example
 * const { pendingNode, viem } = await hre.network.create('pending')
 * const [sender] = await viem.getWalletClients()
 * await pendingNode.freeze()
 * const hash = await sender.sendTransaction({ to: sender.account.address, value: 1n })
 * const { blockHash } = await pendingNode.preconfirmed(hash) // '0x00…00': visible in "pending", not sealed
 * await pendingNode.seal()
 * const { blockNumber } = await pendingNode.sealed(hash) // '0x1'
 */
export interface PendingNode {
  /**
   * Stops sealing: transactions are pre-confirmed and stay unsealed.
   *
   * @param options.ticks - stops the ticks too: then transactions wait in the mempool. Default: false
   *
   * @example
   * const { pendingNode } = await hre.network.create('pending')
   * const { ticks, sealing } = await pendingNode.freeze({ ticks: true })
   * console.log(ticks.running, sealing.running) // false false
   */
  freeze(options?: { readonly ticks?: boolean | undefined }): Promise<Status>

  /** Starts both clocks again, from where they stood. */
  resume(): Promise<Status>

  /**
   * Moves time on by tick intervals, each with its tick; seals only where the sealing clock runs and is due.
   *
   * @param count - from 1 to 1,000,000. Default: 1
   *
   * @example
   * const { pendingNode, provider } = await hre.network.create({
   *   network: 'pending',
   *   override: { pendingNode: { frozenTicks: true } },
   * })
   * const [from] = await provider.request({ method: 'eth_accounts' })
   * await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
   * const { mempool, pending } = await pendingNode.tick()
   * console.log(mempool.runnable, pending.transactions.length) // 0 1
   */
  tick(count?: number): Promise<Status>

  /**
   * Seals the pending block as it is, without a tick before.
   *
   * @param count - how many blocks, from 1 to 1,000,000; all but the first are empty unless a tick comes between.
   * Default: 1
   */
  seal(count?: number): Promise<Status>

  /**
   * Moves time on: `ticks` as {@link tick}; `blocks` seal intervals, each with a tick and a seal. With both, the ticks
   * come first.
   */
  advance(by: {
    readonly ticks?: number | undefined
    readonly blocks?: number | undefined
  }): Promise<Status>

  /** What both clocks, the pending block and the mempool are at. */
  status(): Promise<Status>

  /**
   * Resolves with the receipt of a transaction as soon as it is pre-confirmed, or sealed already.
   *
   * @throws {HardhatPluginError} when the node does not know the transaction, when it was dropped, and when it is not
   * pre-confirmed in time; the message says why, e.g. that ticks are frozen or that it waits behind a nonce gap
   * @throws {TypeError} when `timeout` is no time
   */
  preconfirmed(hash: Hex, options?: WaitOptions): Promise<PendingNodeReceipt>

  /**
   * Resolves with the receipt of a transaction as soon as its block is sealed.
   *
   * @throws {HardhatPluginError} as {@link preconfirmed}, or when the block is not sealed in time, e.g. because sealing
   * is frozen
   */
  sealed(hash: Hex, options?: WaitOptions): Promise<PendingNodeReceipt>

  /**
   * Runs `work` with sealing frozen, and puts the clocks back to what they were before, also when it throws. One at a
   * time: of two that overlap, the first to end lets sealing go on for both.
   *
   * @returns what `work` returns
   * @throws what `work` throws; else {HardhatPluginError} when the clocks cannot be put back, e.g. as the connection is
   * closed
   *
   * @example
   * const { pendingNode, provider } = await hre.network.create('pending')
   * const [from] = await provider.request({ method: 'eth_accounts' })
   * const receipt = await pendingNode.withFrozenSealing(async () => {
   *   const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
   *   return await pendingNode.preconfirmed(hash)
   * })
   * console.log(/^0x0+$/.test(receipt.blockHash)) // true
   */
  withFrozenSealing<Result>(work: () => Result | Promise<Result>): Promise<Result>

  /**
   * Address of the node, e.g. `http://127.0.0.1:40123`, for clients outside of Hardhat, over HTTP or WebSocket.
   *
   * @throws {HardhatPluginError} where the node is not in this process: its address is in the configuration then
   */
  readonly url: string

  /**
   * The person at the node's mock wallet: decides what becomes of the requests of a dApp under test.
   *
   * @throws {HardhatPluginError} where the node is not in this process
   * @throws {Error} where the node has no wallet: `pendingNode: { wallet: false }`
   *
   * @example
   * const { pendingNode } = await hre.network.create('pending')
   * const { default: decision } = await pendingNode.wallet.policy({ default: 'reject' })
   * console.log(decision) // reject
   */
  readonly wallet: WalletControl
}
