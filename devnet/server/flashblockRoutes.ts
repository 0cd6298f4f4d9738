import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Chain } from '../chain/chain.ts'
import type { Faults } from '../faults/faults.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { JsonText } from '../primitives/jsonText.ts'
import { Feed } from '../primitives/listeners.ts'
import { memoize } from '../primitives/memo.ts'
import type { InternalErrorListener } from '../rpc/jsonRpc.ts'
import { type Flashblock, flashblocks, type StreamProfile } from '../stream/raw/flashblock.ts'
import { type FlashblockFilter, readFlashblockFilter } from '../stream/raw/flashblockFilter.ts'
import type { Routes } from './app.ts'
import type { ServerLimits } from './limits.ts'
import { pathOf, refuseUpgrade, respondText } from './respond.ts'
import type { SocketConnection } from './socketConnection.ts'
import { createSocketEndpoint } from './socketEndpoint.ts'

const FLASHBLOCKS = '/flashblocks'
const FILTER = `${FLASHBLOCKS}/filter`

/** Maximum bytes of a message from a client; messages are ignored. */
const MAX_RECEIVED = 1024

interface FlashblockRoutesOptions {
  readonly chain: Chain
  /** Returns the rules by which messages fail, if there are any. */
  readonly faults: () => Faults | undefined
  readonly profile: StreamProfile
  /** Reason why there is no stream. Default: there is one */
  readonly refusal?: string | undefined
  readonly limits: ServerLimits
  /** Most clients at any one time. */
  readonly maxClients: number
  readonly onInternalError: InternalErrorListener
}

/** A client's wish, from its path and query. */
interface Wish {
  /** `undefined`: every message. */
  readonly filter: FlashblockFilter | undefined
  readonly isCompressed: boolean
}

/**
 * The stream of flashblocks over WebSocket: each message goes to every client from its next one on.
 * A client that reads too slowly is disconnected; what it sends is ignored.
 */
export function createFlashblockRoutes(options: FlashblockRoutesOptions): Routes {
  const { chain, faults, limits, maxClients, profile, refusal, onInternalError } = options
  const full = `the node has ${maxClients} clients of its flashblock stream, which is the limit; close another first, or start the node with a higher --max-flashblock-clients`
  const sockets = createSocketEndpoint(
    { ...limits, maxSockets: maxClients, maxBodySize: MAX_RECEIVED },
    onInternalError,
    (socket) => refuseUpgrade(socket, '429 Too Many Requests', { message: full }),
  )

  /** Compresses each message once, in a thread, with the settings of Base's proxy. */
  const compressed = memoize(({ text }: Flashblock) =>
    compress(text.bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 },
    }).catch((error: unknown) => {
      onInternalError(error, 'compression of a flashblock')
      return undefined
    }),
  )

  const asMessage = memoize(({ text }: Flashblock) => new JsonText([text]))

  /** The messages as clients get them, faults included, which are the same for all. */
  const messages = new Feed<Flashblock>((emit) => {
    const swapped: Flashblock[] = []
    return flashblocks(profile)(chain).add((flashblock) => {
      const sent = faults()?.messages(flashblock, flashblock, swapped)
      for (const each of sent ?? [flashblock, ...swapped.splice(0)]) emit(each)
    })
  }, chain.onInternalError)

  function connect(connection: SocketConnection, { filter, isCompressed }: Wish): void {
    const stop = messages.add((flashblock) => {
      const { executed, text } = flashblock
      if (filter !== undefined && !filter(executed)) return
      if (isCompressed) connection.sendLater(compressed(flashblock), text.bytes.length)
      else connection.send(asMessage(flashblock))
    })
    connection.onClose(stop)
  }

  return {
    router(_request, response) {
      if (refusal !== undefined) {
        respondText(response, 404, `There is no stream of flashblocks here: ${refusal}.`)
        return
      }
      const sentence = `The stream of flashblocks is a WebSocket: connect to it at ${FLASHBLOCKS}.`
      respondText(response, 426, sentence, { Upgrade: 'websocket' })
    },
    upgrade(request, socket, head) {
      if (refusal !== undefined) {
        refuseUpgrade(socket, '404 Not Found', { message: refusal })
        return
      }
      let wish: Wish
      try {
        wish = readWish(request, chain)
      } catch (error) {
        if (!(error instanceof InvalidParamsError)) throw error
        refuseUpgrade(socket, '400 Bad Request', { message: error.message })
        return
      }
      sockets.upgrade(request, socket, head, {
        handler: { handleText: () => undefined },
        onConnect: (connection) => connect(connection, wish),
      })
    },
    cut: () => sockets.cut(),
    close: () => sockets.close(),
  }
}

const compress = promisify(brotliCompress)

/** @throws {InvalidParamsError} if the path or the query says something else */
function readWish({ url = '' }: IncomingMessage, chain: Chain): Wish {
  const path = pathOf(url)
  if (path !== FLASHBLOCKS && path !== FILTER) {
    throw new InvalidParamsError(`the stream is at ${FLASHBLOCKS}, and filtered at ${FILTER}`)
  }
  const query = new URLSearchParams(url.slice(path.length))
  const known = path === FILTER ? ['compress', 'addresses', 'topics', 'match'] : ['compress']
  for (const name of query.keys()) {
    if (known.includes(name)) continue
    throw new InvalidParamsError(`${path} takes ${known.join(', ')}, not ${JSON.stringify(name)}`)
  }
  const compression = query.get('compress')
  if (compression !== null && compression !== 'br') {
    throw new InvalidParamsError(`compress must be br, not ${JSON.stringify(compression)}`)
  }
  return {
    filter:
      path === FILTER ? readFlashblockFilter(query, chain.engine.crypto.keccak256) : undefined,
    isCompressed: compression === 'br',
  }
}
