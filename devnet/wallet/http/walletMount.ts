import type { Options } from '../../options/options.ts'
import { ErrorCode } from '../../primitives/errors.ts'
import { errorText, type InternalErrorListener, NO_ID } from '../../rpc/jsonRpc.ts'
import { withDefaults } from '../../server/limits.ts'
import { createServer, type Server } from '../../server/server.ts'
import type { SiteMount } from '../../server/sites.ts'
import type { WalletHandle } from '../core/walletHandle.ts'

/** Where the wallet is on a server; nothing of it is loaded before somebody comes. */
export function walletMount(
  handle: WalletHandle,
  options: Options,
  onInternalError: InternalErrorListener,
): SiteMount {
  return {
    path: '/wallet',
    async load() {
      const { createWalletSite } = await import('./walletRoutes.ts')
      const { hostname, allowHost, allowOrigin } = options
      return createWalletSite({
        handle,
        access: { hostname, allowedHosts: allowHost, allowedOrigins: allowOrigin },
        limits: withDefaults(options),
        onInternalError,
      })
    },
  }
}

/** A server with the wallet alone. */
export function createWalletServer(
  mount: SiteMount,
  options: Options & { readonly port: number },
  onInternalError: InternalErrorListener,
): Server {
  const error = { code: ErrorCode.methodNotFound, message: 'this port has the wallet, at /wallet' }
  return createServer({
    ...options,
    onInternalError,
    dispatch: { handleText: () => errorText(NO_ID, error) },
    sites: [mount],
  })
}
