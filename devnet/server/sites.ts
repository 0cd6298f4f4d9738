import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { InternalErrorListener } from '../rpc/jsonRpc.ts'
import { pathOf, refuseUpgrade, respondText } from './respond.ts'

/** A part of the server with endpoints of its own, such as the wallet. */
export interface Site {
  handle(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Says good-bye to every client, and gives up the requests under way. */
  close(): void
}

/** Where a site is, and how it is loaded when the first request for it comes. */
export interface SiteMount {
  /** It owns this path and all below. */
  readonly path: string
  readonly load: () => Promise<Site>
}

/** All sites of one server. */
export interface Sites extends Site {
  /** Whether a request target belongs to a site. */
  owns(target: string | undefined): boolean
}

/** Makes the sites of one server. */
export function createSites(
  mounts: readonly SiteMount[],
  onInternalError: InternalErrorListener,
): Sites {
  const loads = new Map<SiteMount, Promise<Site>>()
  const loaded = new Set<Site>()
  let isClosing = false

  function find(target: string | undefined): SiteMount | undefined {
    if (mounts.length === 0 || target === '/') return undefined
    const path = pathOf(target)
    return mounts.find((mount) => path === mount.path || path.startsWith(`${mount.path}/`))
  }

  async function load(mount: SiteMount): Promise<Site> {
    const site = await mount.load()
    loaded.add(site)
    if (isClosing) site.close()
    return site
  }

  async function get(target: string | undefined): Promise<Site> {
    const mount = find(target)
    if (mount === undefined) throw new Error(`No site owns ${target}`)
    const site = loads.get(mount) ?? load(mount)
    loads.set(mount, site)
    try {
      return await site
    } catch (error) {
      loads.delete(mount)
      throw error
    }
  }

  return {
    owns: (target) => find(target) !== undefined,
    handle(request, response) {
      get(request.url)
        .then((site) => site.handle(request, response))
        .catch((error: unknown) => {
          onInternalError(error, `${request.method} ${pathOf(request.url)}`)
          if (response.headersSent) response.destroy()
          else respondText(response, 500, 'Internal error.')
        })
    },
    upgrade(request, socket, head) {
      get(request.url)
        .then((site) => site.upgrade(request, socket, head))
        .catch((error: unknown) => {
          onInternalError(error, `upgrade ${pathOf(request.url)}`)
          refuseUpgrade(socket, '500 Internal Server Error', 'The node cannot open a WebSocket.')
        })
    },
    close() {
      isClosing = true
      for (const site of loaded) site.close()
    },
  }
}
