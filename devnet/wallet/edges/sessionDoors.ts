import { LimitError } from '../../errors.ts'
import type { InternalErrorListener } from '../../rpc/failure.ts'
import { errorText, NO_ID } from '../../rpc/message.ts'
import type { Caller } from '../../rpc/method.ts'
import type { SocketDoor } from '../../server/socketEndpoint.ts'
import type { WalletClient } from '../client.ts'
import type { WalletHandle } from '../handle.ts'
import { createTextHandler } from '../jsonRpc.ts'

/** The ways of dApps into the sessions of a wallet. */
export interface SessionDoors {
  /** The way into a session, which is made when it is first asked for. */
  open(name: string): Promise<SocketDoor>
}

/** Makes the ways into the sessions of one wallet. */
export function createSessionDoors(
  handle: WalletHandle,
  onInternalError: InternalErrorListener,
): SessionDoors {
  const doors = new Map<string, SocketDoor>()

  return {
    async open(name) {
      const wallet = await handle.wallet()
      const found = doors.get(name)
      if (found !== undefined) return found
      try {
        const session = wallet.session(name)
        const door: SocketDoor = {
          handler: createTextHandler(
            (method, params, caller) => session.request(method, params, toClient(caller)),
            onInternalError,
          ),
          onConnect: (connection) => session.attach(connection, connection.origin ?? null),
        }
        doors.set(name, door)
        return door
      } catch (error) {
        if (!(error instanceof LimitError)) throw error
        return { handler: { handleText: () => errorText(NO_ID, error) } }
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
    get connection() {
      return caller.connection
    },
  }
}
