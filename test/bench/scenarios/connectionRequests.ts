import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { EthereumProvider, RequestArguments } from 'hardhat/types/providers'
import plugin from '../../../plugin/index.ts'
import type { PendingNodeTransport } from '../../../plugin/types.ts'
import type { Measurement, Scenario } from '../scenario.ts'

const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Those that tests make most. */
const requests: readonly RequestArguments[] = [
  { method: 'eth_blockNumber' },
  { method: 'eth_getBalance', params: [account, 'pending'] },
  { method: 'eth_call', params: [{ from: account, to: account, data: '0x' }, 'pending'] },
]

const WARM_UP = 500

/** How many requests are measured; each waits for the one before. */
const counts: Readonly<Record<PendingNodeTransport, number>> = { 'in-process': 10_000, http: 1500 }

/** What one request costs a test that connects to a node in its own process. */
export const connectionRequests: Scenario = {
  name: 'connectionRequests',
  about:
    'one request after the other through connection.provider of the network "pending", and opening one more connection',
  peers: ['ours'],
  async measure() {
    const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] })
    const results: Measurement[] = []
    for (const transport of ['in-process', 'http'] as const) {
      const { provider, close } = await open(hre, transport)
      for (const request of requests) {
        await repeat(provider, request, WARM_UP)
        const begin = performance.now()
        await repeat(provider, request, counts[transport])
        const value = ((performance.now() - begin) * 1000) / counts[transport]
        results.push({
          metric: `${request.method}, ${transport}`,
          unit: 'µs',
          better: 'lower',
          value,
        })
      }
      await close()
    }
    for (let index = 0; index < 20; index++) {
      const begin = performance.now()
      const { close } = await open(hre, 'in-process')
      const value = performance.now() - begin
      results.push({ metric: 'hre.network.create', unit: 'ms', better: 'lower', value })
      await close()
    }
    return results
  },
}

async function open(hre: HardhatRuntimeEnvironment, transport: PendingNodeTransport) {
  return await hre.network.create({ network: 'pending', override: { pendingNode: { transport } } })
}

async function repeat(provider: EthereumProvider, request: RequestArguments, count: number) {
  for (let index = 0; index < count; index++) await provider.request(request)
}
