import { lazy } from '../primitives/memo.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { AccessToken } from '../server/accessToken.ts'
import type { Devnet } from '../types.ts'
import type { Dashboard } from './dashboard.ts'
import { Recorder } from './recorder.ts'

export interface DashboardNode {
  readonly context: RpcContext
  readonly dispatch: Pick<Dispatch, 'request'>
  readonly on: Devnet['on']
  /** `undefined` without a mock wallet. */
  readonly wallet?: WalletWindow | undefined
}

/** The mock wallet, as far as the dashboard tells of it. */
export interface WalletWindow {
  /** URL of the wallet; `undefined` while it is not running. */
  readonly url: string | undefined
  /** Number of requests that wait for a decision. */
  readonly waiting: number
  /** Calls `listener` after each change of the wallet; returns a function that removes it. */
  onChange(listener: () => void): () => void
}

/** Access to the dashboard that loads its code on first use. */
export class DashboardHandle {
  /** Not the wallet's: who may look need not be who may approve. */
  readonly accessToken = new AccessToken('PENDING_NODE_DASHBOARD_TOKEN')
  /** Loads the dashboard on the first call. */
  readonly dashboard: () => Promise<Dashboard>

  #recorder: Recorder | undefined

  /** @param node - returns the running node; throws while it is not running */
  constructor(node: () => DashboardNode, onInternalError: (error: unknown) => void) {
    this.dashboard = lazy(async () => {
      const running = node()
      const { Dashboard } = await import('./dashboard.ts')
      const recorder = this.#recorder ?? new Recorder(running)
      return new Dashboard(running, recorder, onInternalError)
    })
  }

  /** To be called before the node takes requests: what a page shows of the past begins here. */
  record(node: Pick<DashboardNode, 'context' | 'on'>): void {
    this.#recorder = new Recorder(node)
  }
}
