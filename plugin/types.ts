import type { ConfigurationVariable, ResolvedConfigurationVariable } from 'hardhat/types/config'
import type {
  Devnet,
  FaultScript,
  FormattedReceipt,
  Hex,
  OptionsInput,
  Status,
  WalletControl,
} from '../devnet/index.ts'

/** The way of a connection's requests to a node in the same process. */
export type PendingNodeTransport = 'in-process' | 'http'

/** The block that other plugins' clients read if a call names none. */
export type PendingNodeDefaultBlock = 'pending' | 'latest'

/** The block that a network's node stands on, as on Hardhat's own networks. */
export interface PendingNodeForkingUserConfig {
  /** Default: true */
  readonly enabled?: boolean | undefined
  /**
   * http or https URL of the node to read from, or a configuration variable, which is resolved when
   * a connection is made. Messages and answers show no more than its origin.
   */
  readonly url: string | ConfigurationVariable
  /** Number, a negative number that counts back from `latest`, hash or tag. Default: `latest` */
  readonly blockNumber?: OptionsInput['forkBlockNumber']
  /** Hash of a transaction to stand right after, in place of a block. Default: none */
  readonly transactionHash?: OptionsInput['forkAtTransaction']
  /**
   * Path of the file to write all that is read to; if it is there already, it answers, no request
   * is made, and `url` is not resolved. Default: none
   */
  readonly recording?: OptionsInput['forkRecording']
  /** Headers of each request, by name. Nothing shows them. */
  readonly httpHeaders?: Readonly<Record<string, string>> | undefined
}

/** {@link PendingNodeForkingUserConfig}, resolved. */
export interface PendingNodeForkingConfig
  extends Omit<PendingNodeForkingUserConfig, 'enabled' | 'url'> {
  readonly enabled: boolean
  readonly url: ResolvedConfigurationVariable
}

/**
 * Options of the node behind a connection: those of `npx hardhat pending-node`, which
 * devnet/options/README.md describes, but none of output: a node in a test's process has no log.
 */
export interface PendingNodeUserConfig
  extends Omit<
    OptionsInput,
    | 'quiet'
    | 'verbose'
    | 'json'
    | 'open'
    | 'keepAlive'
    | 'coverage'
    | 'fork'
    | 'forkBlockNumber'
    | 'forkAtTransaction'
    | 'forkRecording'
    | 'forkHeader'
  > {
  /** Starts from a block of another chain. Default: the node starts from a genesis block */
  readonly forking?: PendingNodeForkingUserConfig | undefined
  /**
   * `in-process` answers without a socket; only requests that send or sign pass through the
   * handlers of Hardhat and of plugins listed before this one. `http` sends every request over
   * HTTP, as to a remote node, so that each plugin sees it. Default: `in-process`
   */
  readonly transport?: PendingNodeTransport | undefined
  /**
   * The block that clients and contracts of hardhat-viem, the provider, signers and contracts of
   * hardhat-ethers, and `networkHelpers.getStorageAt` read if a call names none. With `latest` they
   * read the sealed state, as on other networks. In instant mode they always do. Default: `pending`
   */
  readonly defaultBlock?: PendingNodeDefaultBlock | undefined
}

/** A network's `pendingNode`, resolved; the node adds its own defaults when it starts. */
export interface PendingNodeConfig extends Omit<PendingNodeUserConfig, 'forking'> {
  readonly forking?: PendingNodeForkingConfig | undefined
  readonly transport: PendingNodeTransport
  readonly defaultBlock: PendingNodeDefaultBlock
}

/** A receipt of `eth_getTransactionReceipt`; `blockHash` is 32 zero bytes until the seal. */
export type PendingNodeReceipt = FormattedReceipt

/** Reason why a transaction failed. */
export interface TransactionError extends Error {
  /** 3 if it reverted. */
  readonly code: number
  /** The revert bytes; `0x` if it failed otherwise. */
  readonly data: Hex
  readonly transactionHash: Hex
  /**
   * The Solidity frames, one a line, the innermost first, those of a recursion once with `× 40`;
   * `stack` has them too. Absent for a failure that cannot be explained, such as a lack of gas.
   */
  readonly solidityStack?: string
}

/** Options of {@link PendingNode.preconfirmed} and {@link PendingNode.sealed}. */
export interface WaitOptions {
  /** ms until the wait fails. Default: 4,000, or two tick (`sealed`: seal) intervals if longer */
  readonly timeout?: number | undefined
}

/**
 * `connection.pendingNode`: controls the two clocks of the node behind a connection, and waits for
 * transactions. It works on a network with `pendingNode` in its configuration, whose node runs in
 * this process, and on an `http` network whose node is an `npx hardhat pending-node` elsewhere. On
 * any other network each call rejects with an error that says so.
 *
 * Each command resolves with the node's status after its work is done.
 *
 * @example
 * const { pendingNode, viem } = await hre.network.create('pending')
 * const [sender] = await viem.getWalletClients()
 * await pendingNode.freeze()
 * const hash = await sender.sendTransaction({ to: sender.account.address, value: 1n })
 * const { blockHash } = await pendingNode.preconfirmed(hash) // '0x00…00': not sealed yet
 * await pendingNode.seal()
 * const { blockNumber } = await pendingNode.sealed(hash) // '0x1'
 */
export interface PendingNode {
  /**
   * Stops sealing: transactions are pre-confirmed and stay unsealed.
   *
   * @param options.ticks - stops the ticks too: then transactions wait in the mempool. Default:
   * false
   *
   * @example
   * const { pendingNode } = await hre.network.create('pending')
   * const { ticks, sealing } = await pendingNode.freeze({ ticks: true })
   * console.log(ticks.running, sealing.running) // false false
   */
  freeze(options?: { readonly ticks?: boolean | undefined }): Promise<Status>

  /** Starts both clocks again, from where they stopped. */
  resume(): Promise<Status>

  /**
   * Moves time forward by tick intervals, with a tick each; it seals only if the sealing clock runs
   * and is due.
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
   * Seals the pending block, with what was sent before unless ticks are frozen.
   *
   * @param count - number of blocks, from 1 to 1,000,000; all but the first are empty unless a tick
   * runs in between. Default: 1
   */
  seal(count?: number): Promise<Status>

  /**
   * Moves time forward: by `ticks`, as {@link tick} does, or by `blocks` seal intervals, with a
   * tick and a seal each.
   *
   * @throws {HardhatPluginError} unless `by` holds exactly one of them
   */
  advance(
    by:
      | { readonly ticks: number; readonly blocks?: undefined }
      | { readonly blocks: number; readonly ticks?: undefined },
  ): Promise<Status>

  /**
   * Sets the rules by which the node misbehaves, in place of all earlier ones; without rules
   * (`{ rules: [] }`) it behaves again.
   *
   * @param script - rules and seed. Default: the rules stay as they are
   * @returns the status, whose `faults` says how often each rule has fired
   * @throws {HardhatPluginError} if a rule is malformed; the message names the field
   *
   * @example
   * const { pendingNode, provider } = await hre.network.create('pending')
   * const [from] = await provider.request({ method: 'eth_accounts' })
   * await pendingNode.faults({ rules: [{ kind: 'drop', from, next: 1 }], seed: 7 })
   * await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
   * const { dropped } = await pendingNode.seal()
   * console.log(dropped[0].preconfirmed) // true
   */
  faults(script?: FaultScript): Promise<Status>
  /**
   * A second chain that begins exactly where this one is, in the process of the node: a running
   * devnet, which lives on alone until its `stop()`.
   *
   * @throws {HardhatPluginError} if the node is not in this process
   * @throws {DevnetError} code -32005 if there are too many
   *
   * @example
   * const { pendingNode } = await hre.network.create('pending')
   * await using branch = await pendingNode.branch()
   * await branch.clock.advance({ blocks: 1 }) // the connection's chain has no new block
   */
  branch(): Promise<Devnet>

  /** The state of both clocks, the pending block and the mempool. */
  status(): Promise<Status>

  /**
   * Resolves with the receipt of a transaction once it is pre-confirmed or sealed.
   *
   * @throws {HardhatPluginError} if the node does not know the transaction, has dropped it, or does
   * not pre-confirm it in time; the message says why, e.g. that ticks are frozen, or that it waits
   * behind a nonce gap
   * @throws {TypeError} if `hash` is not 0x and 64 hexadecimal digits, or `timeout` is not a valid
   * delay
   */
  preconfirmed(hash: string, options?: WaitOptions): Promise<PendingNodeReceipt>

  /**
   * Resolves with the receipt of a transaction once its block is sealed.
   *
   * @throws {HardhatPluginError} as {@link preconfirmed}, or if the block is not sealed in time,
   * e.g. because sealing is frozen
   */
  sealed(hash: string, options?: WaitOptions): Promise<PendingNodeReceipt>

  /**
   * Reason why a transaction failed, once it is pre-confirmed or sealed; `undefined` if it
   * succeeded. A send whose gas is given does not throw if its transaction reverts later. A
   * contract's `console.log` output is printed again.
   *
   * @throws {HardhatPluginError} as {@link preconfirmed}
   *
   * @example
   * const { pendingNode, viem } = await hre.network.create('pending')
   * const [sender] = await viem.getWalletClients()
   * const data = '0x5f5ffd' // reverts
   * const hash = await sender.sendTransaction({ data, gas: 100_000n })
   * const failure = await pendingNode.failure(hash)
   * console.log(failure.code, failure.message) // 3 execution reverted
   */
  failure(hash: string, options?: WaitOptions): Promise<TransactionError | undefined>

  /**
   * Runs `work` with sealing frozen, then restores the clocks, even if `work` throws. Calls must
   * not overlap: the first to end restores sealing for all.
   *
   * @returns what `work` returns
   * @throws what `work` throws; otherwise {HardhatPluginError} if the clocks cannot be restored,
   * e.g. because the connection is closed
   *
   * @example
   * const { pendingNode, provider } = await hre.network.create('pending')
   * const [from] = await provider.request({ method: 'eth_accounts' })
   * const params = [{ from, to: from }]
   * const receipt = await pendingNode.withFrozenSealing(async () => {
   *   const hash = await provider.request({ method: 'eth_sendTransaction', params })
   *   return await pendingNode.preconfirmed(hash)
   * })
   * console.log(/^0x0+$/.test(receipt.blockHash)) // true
   */
  withFrozenSealing<Result>(work: () => Result | Promise<Result>): Promise<Result>

  /**
   * Address of the node, e.g. `http://127.0.0.1:40123`, for clients outside of Hardhat, over HTTP
   * or WebSocket.
   *
   * @throws {HardhatPluginError} if the node is not in this process: its address is then the `url`
   * of the network in the configuration
   */
  readonly url: string

  /**
   * The user of the node's mock wallet, who decides on the requests of a dApp under test.
   *
   * @throws {HardhatPluginError} if the node is not in this process
   * @throws {Error} if the node has no wallet: `pendingNode: { wallet: false }`
   *
   * @example
   * const { pendingNode } = await hre.network.create('pending')
   * const { default: decision } = await pendingNode.wallet.policy({ default: 'reject' })
   * console.log(decision) // reject
   */
  readonly wallet: WalletControl

  /**
   * Address of the node's dashboard, with the token that admits to it: open it in a browser while a
   * test waits. Default: each node has one; `noDashboard: true` disables it
   *
   * @throws {HardhatPluginError} if the node runs in another process
   * @throws {Error} if the node has no dashboard
   */
  readonly dashboardUrl: string

  /**
   * Calls `listener` with each event of this name, as `devnet.on` does: `consoleLog` tells what
   * contracts print. A test's own output stays as it is.
   *
   * @returns a function that ends it
   * @throws {HardhatPluginError} if the node is not in this process
   *
   * @example
   * const { pendingNode } = await hre.network.create('pending')
   * const numbers = []
   * const end = pendingNode.on('seal', ({ number }) => numbers.push(number))
   * await pendingNode.seal()
   * end()
   * console.log(numbers) // 1
   */
  readonly on: Devnet['on']
}
