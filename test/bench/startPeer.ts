import { once } from 'node:events'
import { createServer } from 'node:net'
import { NodeProcess } from './nodeProcess.ts'
import type { Mode, Peer } from './peers.ts'

/** How {@link startPeer} starts a node. */
export interface StartOptions {
  readonly mode: Mode
  /** More arguments of its command line. */
  readonly args?: readonly string[]
}

/** Starts a node on a free port and waits until it answers. @throws {Error} when it ends or stays silent */
export async function startPeer(peer: Peer, options: StartOptions): Promise<NodeProcess> {
  const { mode, args = [] } = options
  const port = await freePort()
  const command = peer.command(port, mode)
  const node = new NodeProcess({ ...command, args: [...command.args, ...args] }, port)
  try {
    await node.ready()
    if (mode === 'frozen') {
      for (const { method, params = [] } of peer.freeze) await node.call(method, ...params)
    }
    return node
  } catch (error) {
    await node[Symbol.asyncDispose]()
    throw error
  }
}

/** A TCP port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No TCP port')
  return address.port
}
