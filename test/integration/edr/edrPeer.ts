import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { outcomeOf, type Peer, type PeerOptions } from './peer.ts'

/** An in-process EDR network, made by Hardhat as for `hardhat node`, in a project of its own that knows no contracts. */
export async function createEdrPeer(options: PeerOptions): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'pending-node-edr-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const hre = await createHardhatRuntimeEnvironment(
    {
      networks: {
        oracle: {
          type: 'edr-simulated',
          chainType: 'l1',
          chainId: options.chainId,
          // The name that clients of that time gave it.
          hardfork: options.hardfork === 'paris' ? 'merge' : options.hardfork,
          initialBaseFeePerGas: options.baseFee,
          initialDate: new Date(options.timestamp * 1000),
          blockGasLimit: options.gasLimit,
          mining: { auto: false, interval: 0, mempool: { order: 'fifo' } },
        },
      },
    },
    {},
    folder,
  )
  const { provider, close } = await hre.network.create('oracle')
  return {
    name: 'EDR',
    // A copy: Hardhat writes the sender and fees that it fills in into what it is given.
    request: (method, params = []) =>
      outcomeOf(() => provider.request({ method, params: structuredClone([...params]) })),
    async stop() {
      await close()
      await rm(folder, { recursive: true })
    },
  }
}
