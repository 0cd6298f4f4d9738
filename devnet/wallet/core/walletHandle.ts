import type { WalletSettings } from '../../options/walletOptions.ts'
import type { WalletBatch } from '../../persistence/dump/walletBatches.ts'
import { Listeners } from '../../primitives/listeners.ts'
import { lazy } from '../../primitives/memo.ts'
import { AccessToken } from '../../server/accessToken.ts'
import { requestGivenUp } from '../../server/requestCaller.ts'
import type { User } from './controlCommands.ts'
import type { WalletNode } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Access to the wallet that loads its code on first use. */
export class WalletHandle {
  readonly wallet: () => Promise<Wallet>
  /** Of the control API. */
  readonly accessToken = new AccessToken('PENDING_NODE_WALLET_TOKEN')
  readonly #stopped = new AbortController()
  /** Called after each change of the wallet. */
  readonly changes: Listeners<[]>
  #wallet: Wallet | undefined

  /** @param createNode - returns the wallet's view of the node; throws while it is not running */
  constructor({
    createNode,
    ...parameters
  }: {
    readonly settings: WalletSettings
    readonly createNode: () => WalletNode
    readonly onInternalError: (error: unknown) => void
  }) {
    this.wallet = lazy(async () => {
      const node = createNode()
      const { Wallet } = await import('./wallet.ts')
      const wallet = new Wallet({ ...parameters, node })
      wallet.onChange(() => this.changes.emit())
      this.#wallet = wallet
      return wallet
    })
    this.changes = new Listeners(parameters.onInternalError)
  }

  /** Number of requests that wait for a decision; 0 also before the wallet is used. */
  get waiting(): number {
    return this.#wallet?.waiting ?? 0
  }

  /** Batches to save with the chain; `undefined` before the wallet is used. */
  get batches(): readonly WalletBatch[] | undefined {
    return this.#wallet?.batches
  }

  /** Runs a command of the control API. @throws {DevnetError} */
  async control(
    method: string,
    params: unknown,
    user: User = { by: 'control', signal: this.#stopped.signal },
  ): Promise<unknown> {
    const wallet = await this.wallet()
    const { control } = await import('./controlCommands.ts')
    return control(wallet, method, params, user)
  }

  /** Cancels commands waiting in this process; the server cancels those of its clients. */
  close(): void {
    this.#stopped.abort(requestGivenUp('the node is stopping'))
  }
}
