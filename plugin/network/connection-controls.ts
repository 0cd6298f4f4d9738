import type { HardhatPluginError } from 'hardhat/plugins'
import type { NetworkConnection } from 'hardhat/types/network'
import type { Devnet, Status, WalletControl } from '../../devnet/index.ts'
import { reasonOf } from '../../devnet/pluginApi.ts'
import { type Ask, isAnswer, isStatus, isUnknownMethod } from '../rpc-client.ts'
import type { PendingNode, WaitOptions } from '../types.ts'
import type { ConnectionFailures } from './failures/connection-failures.ts'
import type { LocalNode } from './local-node.ts'
import { addCause, pluginError } from './plugin-error.ts'
import { emitSubscriptions } from './subscription-events.ts'

/** See {@link PendingNode}. Methods are bound: `const { seal } = connection.pendingNode` works. */
export class ConnectionControls implements PendingNode {
  readonly #connection: NetworkConnection<string>
  /** `undefined` if there is no node in this process. */
  readonly #node: LocalNode | undefined
  readonly #failures: () => Promise<ConnectionFailures>
  /** Listeners that the provider had while it asked its own node. */
  readonly #listeners = new Map<unknown, readonly unknown[]>()

  constructor(
    connection: NetworkConnection<string>,
    node: LocalNode | undefined,
    failures: () => Promise<ConnectionFailures>,
  ) {
    this.#connection = connection
    this.#node = node
    this.#failures = failures
  }

  get url(): string {
    return this.#localNode().devnet.url
  }

  get wallet(): WalletControl {
    return this.#localNode().devnet.wallet
  }

  get dashboardUrl(): string {
    return this.#localNode().devnet.dashboard.pageUrl
  }

  readonly on: PendingNode['on'] = (name, listener) => this.#localNode().devnet.on(name, listener)

  readonly branch: PendingNode['branch'] = () => this.#localNode().devnet.branch()

  readonly freeze: PendingNode['freeze'] = (options = {}) =>
    this.#command('preconf_freeze', options)

  readonly resume: PendingNode['resume'] = () => this.#command('preconf_resume')

  readonly tick: PendingNode['tick'] = (count = 1) =>
    this.#command('preconf_advance', { ticks: count })

  readonly seal: PendingNode['seal'] = async (count = 1) => {
    if (!Number.isSafeInteger(count) || count < 1) {
      throw pluginError(`seal takes a positive integer, the number of blocks, not ${count}.`)
    }
    let status = await this.#command('preconf_seal')
    for (let sealed = 1; sealed < count; sealed++) status = await this.#command('preconf_seal')
    return status
  }

  readonly advance: PendingNode['advance'] = async (
    by: { readonly [Unit in 'ticks' | 'blocks']?: number | undefined } = {},
  ) => {
    const { ticks, blocks } = by
    if ((ticks === undefined) === (blocks === undefined)) {
      throw pluginError('advance takes one distance: { ticks: n } or { blocks: n }.')
    }
    const distance = ticks === undefined ? { blocks } : { ticks }
    return await this.#command('preconf_advance', distance)
  }

  readonly faults: PendingNode['faults'] = (script) =>
    this.#command('preconf_faults', ...(script === undefined ? [] : [script]))

  readonly status: PendingNode['status'] = () => this.#command('preconf_status')

  readonly preconfirmed: PendingNode['preconfirmed'] = (hash, options = {}) =>
    this.#wait('pre-confirmed', hash, options)

  readonly sealed: PendingNode['sealed'] = (hash, options = {}) =>
    this.#wait('sealed', hash, options)

  readonly failure: PendingNode['failure'] = async (hash, options = {}) => {
    const { status, transactionHash } = await this.#wait('pre-confirmed', hash, options)
    if (status !== '0x0') return undefined
    return await (await this.#failures()).ofTransaction(transactionHash)
  }

  readonly withFrozenSealing: PendingNode['withFrozenSealing'] = async (work) => {
    const before = await this.status()
    await this.freeze()
    const restore = async () => {
      try {
        await restoreClocks(before, await this.status(), this.#ask)
      } catch (error) {
        const reason = reasonOf(error)
        throw pluginError(`withFrozenSealing cannot restore the clocks: ${reason}`, error)
      }
    }
    let result: Awaited<ReturnType<typeof work>>
    try {
      result = await work()
    } catch (error) {
      // Throw the error itself, not a wrapper: test runners show the diff of an AssertionError.
      await restore().catch((reason: unknown) => addCause(error, reason))
      throw error
    }
    await restore()
    return result
  }

  /** Its own chain. @throws {HardhatPluginError} if that is remote, or asked over HTTP */
  get own(): Devnet {
    const { own, transport } = this.#localNode()
    if (transport !== 'http') return own
    throw pluginError('explore asks a node in this process: leave transport: "http" out.')
  }

  /**
   * Has the connection ask another chain, for `explore`. Removes listeners that were added to its
   * provider while it asked other chains.
   *
   * @param devnet - `undefined`: its own again, if it still asks `last`
   */
  lend(devnet: Devnet | undefined, last?: Devnet): void {
    const node = this.#localNode()
    if (devnet === undefined && node.lent !== last) return
    const { provider } = this.#connection
    for (const name of provider.eventNames()) {
      const listeners = provider.listeners(name)
      const kept = this.#listeners.get(name)
      if (node.lent === undefined) this.#listeners.set(name, listeners)
      const added = node.lent && listeners.filter((one) => !kept?.includes(one))
      for (const one of added ?? []) Reflect.apply(provider.off, provider, [name, one])
    }
    node.lent = devnet
    if (devnet !== undefined) emitSubscriptions(this.#connection, devnet.provider)
  }

  #localNode(): LocalNode {
    if (this.#node !== undefined) return this.#node
    const { networkName } = this.#connection
    throw pluginError(
      `The node of network "${networkName}" is not in this process: its address, if it has one, is networks.${networkName}.url in the configuration, and its wallet is at /wallet there.`,
    )
  }

  async #wait(stage: 'pre-confirmed' | 'sealed', hash: string, { timeout }: WaitOptions) {
    // Imported only now: each connection to any network loads this file, but few wait.
    const { waitForReceipt } = await import('./receipt-wait.ts')
    const status = await this.status()
    return await waitForReceipt({ hash, stage, timeout, ask: this.#ask, status })
  }

  /** Calls one of the `preconf_` methods, which return the node's status after their work. */
  async #command(method: string, ...params: readonly object[]): Promise<Status> {
    const answer = await this.#ask(method, ...params)
    if (isStatus(answer)) return answer
    throw this.#foreign(method)
  }

  readonly #ask: Ask = async (method, ...params) => {
    try {
      return await this.#connection.provider.request({ method, params })
    } catch (error) {
      if (isUnknownMethod(error)) throw this.#foreign(method, error)
      // Errors of Hardhat itself already say that the connection is closed or the node is gone.
      throw isAnswer(error) ? pluginError(`${method}: ${error.message}`, error) : error
    }
  }

  #foreign(method: string, cause?: unknown): HardhatPluginError {
    return pluginError(
      `There is no pending-node behind network "${this.#connection.networkName}": it does not know ${method}. Use the network "pending", add pendingNode: {} to this one, or set its url to that of an "npx hardhat pending-node".`,
      cause,
    )
  }
}

/** Makes both clocks run or stop as they did in `before`. */
async function restoreClocks(before: Status, now: Status, ask: Ask): Promise<void> {
  const ticks = before.ticks.running
  if (!before.sealing.running && !before.instant) {
    // Only `preconf_resume` starts the ticks. It starts sealing too, so sealing is frozen again.
    if (ticks && !now.ticks.running) await ask('preconf_resume')
    await ask('preconf_freeze', { ticks: !ticks })
  } else if (ticks) await ask('preconf_resume')
  else {
    // Sealing was on while ticks were frozen. It continues with its interval, or its range of them.
    if (now.ticks.running) await ask('preconf_freeze', { ticks: true })
    if (before.instant) await ask('evm_setAutomine', true)
    if (before.sealing.running) await ask('preconf_resume', { ticks: false })
  }
}
