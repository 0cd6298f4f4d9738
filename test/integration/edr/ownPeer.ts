import { createDevnet } from '../../../devnet/index.ts'
import type { DevAccount } from '../../../devnet/types.ts'
import { outcomeOf, type Peer, type PeerOptions } from './peer.ts'

/** Our node as Hardhat's own network without automine: nothing happens but what is asked for. */
export async function createOwnPeer(
  options: PeerOptions,
): Promise<Peer & { readonly accounts: readonly DevAccount[] }> {
  const devnet = createDevnet({ ...options, port: 0, instant: true })
  await devnet.start()
  await devnet.provider.request({ method: 'evm_setAutomine', params: [false] })
  return {
    name: 'ours',
    accounts: devnet.accounts,
    request: (method, params = []) => outcomeOf(() => devnet.provider.request({ method, params })),
    stop: () => devnet.stop(),
  }
}
