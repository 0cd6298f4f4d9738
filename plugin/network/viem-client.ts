/** What hardhat-viem adds to a connection, as far as it is changed here. */
interface ViemHelpers {
  getPublicClient(config?: object): Promise<object>
}

/** Helpers whose third argument may say with which clients a contract reads and writes. */
const contractHelpers = ['getContractAt', 'deployContract', 'sendDeploymentTransaction'] as const

type ContractHelper = (name: unknown, second: unknown, config?: ContractConfig) => unknown

interface ContractConfig {
  readonly client?: object
}

/**
 * Lets the public clients and contracts of hardhat-viem read `pending` where they are asked for no block, as viem does on
 * chains with `experimental_preconfirmationTime`; a client made with `experimental_blockTag: 'latest'` does not. Without
 * hardhat-viem, nothing.
 *
 * @param connection - its `viem` is changed in place, so that plugins that hold it read the same
 */
export function readPending(connection: object): void {
  const viem: unknown = Reflect.get(connection, 'viem')
  if (!isViemHelpers(viem)) return
  const original = viem.getPublicClient
  viem.getPublicClient = (config) => original({ experimental_blockTag: 'pending', ...config })
  for (const name of contractHelpers) {
    const helper: unknown = Reflect.get(viem, name)
    if (typeof helper !== 'function') continue
    const wrapped: ContractHelper = async (contract, second, config = {}) => {
      const client = { public: await viem.getPublicClient(), ...config.client }
      return Reflect.apply(helper, viem, [contract, second, { ...config, client }])
    }
    Reflect.set(viem, name, wrapped)
  }
}

function isViemHelpers(value: unknown): value is ViemHelpers {
  return typeof value === 'object' && value !== null && 'getPublicClient' in value
}
