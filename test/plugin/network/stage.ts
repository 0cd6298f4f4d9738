import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type {
  HttpNetworkUserConfig,
  NetworkUserConfig,
  ProjectPathsUserConfig,
} from 'hardhat/types/config'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { NetworkConnection } from 'hardhat/types/network'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import plugin from '../../../plugin/index.ts'
import type { PendingNodeUserConfig } from '../../../plugin/types.ts'

/** A connection with shorthands. */
export interface OpenConnection extends NetworkConnection<string> {
  rpc<Result = unknown>(method: string, ...params: unknown[]): Promise<Result>
  /** Sends nothing from the first account to itself, but for what `request` says. */
  send(request?: object): Promise<Hex>
}

/**
 * @param plugins - beside this one. Default: none
 * @param paths - of the project. Default: Hardhat's
 */
export async function createHre(
  networks: Record<string, NetworkUserConfig> = {},
  plugins: readonly HardhatPlugin[] = [plugin],
  paths: ProjectPathsUserConfig = {},
): Promise<HardhatRuntimeEnvironment> {
  return await createHardhatRuntimeEnvironment({ plugins: [...plugins], networks, paths })
}

export async function connect(
  hre: HardhatRuntimeEnvironment,
  pendingNode: PendingNodeUserConfig = {},
  { network = 'pending', ...more }: Partial<HttpNetworkUserConfig> & { network?: string } = {},
): Promise<OpenConnection> {
  const { type: _type, ...fields } = more
  return opened(await hre.network.create({ network, override: { ...fields, pendingNode } }))
}

export function opened(connection: NetworkConnection<string>): OpenConnection {
  // Each test knows what the method that it calls answers.
  const rpc = async <Result = unknown>(method: string, ...params: unknown[]) =>
    (await connection.provider.request({ method, params })) as Result
  return Object.assign(connection, {
    rpc,
    async send(request: object = {}) {
      const [from] = await rpc<Hex[]>('eth_accounts')
      return await rpc<Hex>('eth_sendTransaction', { from, to: from, ...request })
    },
  })
}
