import { DashboardHandle, type DashboardNode } from '../dashboard/handle.ts'
import type { Options } from '../options/options.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { LazyRoutes } from '../server/app.ts'
import { withDefaults } from '../server/limits.ts'
import type { DashboardAddress } from '../types.ts'

/** The dashboard of a node, on the node's server; loaded on first use. */
export class NodeDashboard {
  readonly address: DashboardAddress
  readonly #options: Options
  readonly #handle: DashboardHandle

  /** @param node - returns the running node; throws while it is not running */
  constructor(options: Options, node: () => DashboardNode & { readonly url: string }) {
    this.#options = options
    const handle = new DashboardHandle(node, reportInternalError)
    this.#handle = handle
    this.address = {
      get pageUrl() {
        return `${node().url}/dashboard/#token=${handle.accessToken.text}`
      },
    }
  }

  /** To be called before the first request. @throws {OptionError} if the token is malformed */
  open(node: Pick<DashboardNode, 'context' | 'on'>): void {
    this.#handle.accessToken.check()
    this.#handle.record(node)
  }

  get routes(): LazyRoutes {
    return {
      path: '/dashboard',
      load: async () => {
        const { createDashboardSite } = await import('../dashboard/site.ts')
        return createDashboardSite({
          handle: this.#handle,
          access: this.#options,
          limits: withDefaults(this.#options),
          onInternalError: reportInternalError,
        })
      },
    }
  }
}
