import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { createDevnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'

/** A node beside the one under test, asked over HTTP. */
export interface PeerNode extends AsyncDisposable {
  readonly url: string
}

export async function startOurs(options: OptionsInput = {}): Promise<PeerNode> {
  const devnet = createDevnet({ port: 0, instant: true, ...options })
  await devnet.start()
  return { url: devnet.url, [Symbol.asyncDispose]: () => devnet.stop() }
}

export async function startHardhat(hre: HardhatRuntimeEnvironment): Promise<PeerNode> {
  const server = await hre.network.createServer('default', '127.0.0.1', 0)
  const { port } = await server.listen()
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.close() }
}

/** @throws {Error} with the node's own code, message and data */
export async function askNode<Result>(
  url: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  // Each caller knows what the method that it asks answers.
  const { result, error } = (await response.json()) as { result: Result; error?: Error }
  if (error !== undefined) throw Object.assign(new Error(error.message), error)
  return result
}
