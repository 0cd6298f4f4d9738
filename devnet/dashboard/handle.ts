import { lazy } from '../primitives/memo.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { AccessToken } from '../server/accessToken.ts'
import type { Devnet } from '../types.ts'
import type { Dashboard } from './dashboard.ts'

export interface DashboardNode {
  readonly context: RpcContext
  readonly dispatch: Pick<Dispatch, 'request'>
  readonly on: Devnet['on']
}

/** Access to the dashboard that loads its code on first use. */
export class DashboardHandle {
  /** Not the wallet's: a client that may look at blocks may not approve. */
  readonly accessToken = new AccessToken('PENDING_NODE_DASHBOARD_TOKEN')
  /** Loads the dashboard on the first call. */
  readonly dashboard: () => Promise<Dashboard>

  /** @param node - returns the running node; throws while it is not running */
  constructor(node: () => DashboardNode, onInternalError: (error: unknown) => void) {
    this.dashboard = lazy(async () => {
      const running = node()
      const { Dashboard } = await import('./dashboard.ts')
      return new Dashboard(running, onInternalError)
    })
  }
}
