import { LimitError } from '../../primitives/errors.ts'
import { createTextHandler, type InternalErrorListener } from '../../rpc/jsonRpc.ts'
import type { Caller } from '../../rpc/method.ts'
import type { SocketDoor } from '../../server/socketEndpoint.ts'
import type { WalletHandle } from '../core/walletHandle.ts'
import type { WalletClient } from '../core/walletMethod.ts'

/** The ways of dApps into the sessions of a wallet. */
export interface SessionDoors {
  /** The way into a session, which is made when the first request comes through. */
  open(name: string): Promise<SocketDoor>
}

/** Makes the ways into the sessions of one wallet. */
export function createSessionDoors(
  handle: WalletHandle,
  onInternalError: InternalErrorListener,
): SessionDoors {
  return {
    async open(name) {
      const wallet = await handle.wallet()
      return {
        // Looked for at each request, because one that nobody used may have been forgotten.
        handler: createTextHandler({
          invoke: (method, params, caller) =>
            wallet.session(name).request(method, params, toClient(caller)),
          onInternalError,
        }),
        onConnect(connection) {
          try {
            wallet.session(name).attach(connection, connection.origin ?? null)
          } catch (error) {
            if (!(error instanceof LimitError)) throw error
            connection.refuse(error.message)
          }
        },
      }
    },
  }
}

/** A caller of the server as the wallet sees it; what it does not look at is not made. */
function toClient(caller: Caller): WalletClient {
  return {
    origin: caller.origin ?? null,
    get signal() {
      return caller.signal
    },
    subscribe: () => caller.subscribe(),
  }
}
