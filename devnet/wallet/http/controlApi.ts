import { JsonText } from '../../primitives/jsonText.ts'
import { createTextHandler, type InternalErrorListener } from '../../rpc/jsonRpc.ts'
import type { ServerLimits } from '../../server/limits.ts'
import type { SocketConnection } from '../../server/socketConnection.ts'
import { createTokenApi, type TokenApi } from '../../server/tokenApi.ts'
import type { WalletHandle } from '../core/walletHandle.ts'

/** The control API over POST and WebSocket. Requires the token; refuses other origins' pages. */
export function createControlApi(
  handle: WalletHandle,
  limits: ServerLimits,
  onInternalError: InternalErrorListener,
): TokenApi {
  const handler = createTextHandler({
    invoke: (method, params, { origin, signal }) =>
      handle.control(method, params, { by: origin === undefined ? 'control' : 'page', signal }),
    onInternalError,
  })

  /** Notifies the client of changed sessions, each at most once per turn of the event loop. */
  async function pushChanges(connection: SocketConnection): Promise<void> {
    const wallet = await handle.wallet().catch(() => undefined)
    if (wallet === undefined) {
      connection.refuse('the node is stopping')
      return
    }
    const changed = new Set<string>()
    const stop = wallet.onChange((session) => {
      changed.add(session)
      if (changed.size > 1) return
      setImmediate(() => {
        for (const name of changed) {
          connection.notify('control_changed', new JsonText(JSON.stringify({ session: name })))
        }
        changed.clear()
      })
    })
    connection.onClose(stop)
  }

  return createTokenApi({
    token: handle.accessToken,
    handler,
    limits,
    onInternalError,
    onAdmit: pushChanges,
    sentences: {
      foreign:
        'Pages may not use the control API: approve at /wallet/, or from a script or a terminal.',
      unauthorized:
        'The control API needs the header "Authorization: Bearer <token>": the node prints the token in the address of the approval page when it starts, and devnet.wallet.token holds it.',
      method: 'The control API takes POST.',
    },
  })
}
