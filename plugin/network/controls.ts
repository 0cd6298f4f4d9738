import type { HardhatPluginError } from 'hardhat/plugins'
import type { NetworkConnection } from 'hardhat/types/network'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Status } from '../../devnet/types.ts'
import type { WalletControl } from '../../devnet/wallet/types.ts'
import { isStatus, isUnknownMethod } from '../node-answers.ts'
import type { PendingNode, WaitOptions } from '../types.ts'
import { withSealingFrozen } from './connection-clocks.ts'
import type { LocalNode } from './local-node.ts'
import { pluginError } from './plugin-error.ts'

/** How one JSON-RPC request of the controls is answered. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** See {@link PendingNode}. Its methods may be taken out of it: `const { freeze, seal } = connection.pendingNode`. */
export class ConnectionControls implements PendingNode {
  readonly #connection: NetworkConnection<string>
  /** `undefined` where the node, if there is one, is not in this process. */
  readonly #node: LocalNode | undefined

  constructor(connection: NetworkConnection<string>, node: LocalNode | undefined) {
    this.#connection = connection
    this.#node = node
  }

  get url(): string {
    return this.#localNode().url
  }

  get wallet(): WalletControl {
    return this.#localNode().devnet.wallet
  }

  readonly freeze: PendingNode['freeze'] = (options = {}) =>
    this.#command('preconf_freeze', options)

  readonly resume: PendingNode['resume'] = () => this.#command('preconf_resume')

  readonly tick: PendingNode['tick'] = (count = 1) =>
    this.#command('preconf_advance', { ticks: count })

  readonly seal: PendingNode['seal'] = async (count = 1) => {
    if (!Number.isSafeInteger(count) || count < 1) {
      throw pluginError(`seal takes how many blocks to seal, an integer from 1 on, not ${count}.`)
    }
    let status = await this.#command('preconf_seal')
    for (let sealed = 1; sealed < count; sealed++) status = await this.#command('preconf_seal')
    return status
  }

  readonly advance: PendingNode['advance'] = async ({ ticks, blocks } = {}) => {
    if (ticks !== undefined) {
      const status = await this.#command('preconf_advance', { ticks })
      if (blocks === undefined) return status
    }
    if (blocks !== undefined) return await this.#command('preconf_advance', { blocks })
    throw pluginError('advance takes how far to go: { ticks: n } or { blocks: n }.')
  }

  readonly status: PendingNode['status'] = () => this.#command('preconf_status')

  readonly preconfirmed: PendingNode['preconfirmed'] = (hash, options = {}) =>
    this.#wait('pre-confirmed', hash, options)

  readonly sealed: PendingNode['sealed'] = (hash, options = {}) =>
    this.#wait('sealed', hash, options)

  readonly withFrozenSealing: PendingNode['withFrozenSealing'] = (work) =>
    withSealingFrozen(this, this.#ask, work)

  #localNode(): LocalNode {
    if (this.#node !== undefined) return this.#node
    const { networkName } = this.#connection
    throw pluginError(
      `The node of network "${networkName}" is not in this process: its address, if it has one, is networks.${networkName}.url in the configuration, and its wallet is at /wallet there.`,
    )
  }

  async #wait(stage: 'pre-confirmed' | 'sealed', hash: Hex, { timeout }: WaitOptions) {
    // Only here: each connection to any network loads this file, and few wait.
    const { waitForReceipt } = await import('./receipt-wait.ts')
    return await waitForReceipt({
      hash,
      stage,
      timeout,
      ask: this.#ask,
      status: await this.status(),
    })
  }

  /** The commands answer the status after their work. */
  async #command(method: string, ...params: readonly object[]): Promise<Status> {
    const answer = await this.#ask(method, ...params)
    // Only our node knows these methods, and it answers nothing else.
    if (isStatus(answer)) return answer
    throw this.#foreign(method)
  }

  readonly #ask: Ask = async (method, ...params) => {
    try {
      return await this.#connection.provider.request({ method, params })
    } catch (error) {
      throw this.#explained(method, error)
    }
  }

  #explained(method: string, error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const code = 'code' in error ? error.code : undefined
    // A closed connection, a node that is gone: Hardhat says that well.
    if (typeof code !== 'number') return error
    if (isUnknownMethod(code)) return this.#foreign(method, error)
    return pluginError(`${method}: ${error.message}`, error)
  }

  #foreign(method: string, cause?: Error): HardhatPluginError {
    return pluginError(
      `There is no pending-node behind network "${this.#connection.networkName}": it does not know ${method}. Use the network "pending", add pendingNode: {} to this one, or point its url at a "npx hardhat pending-node".`,
      cause,
    )
  }
}
