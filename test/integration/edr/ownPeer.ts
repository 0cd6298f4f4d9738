import { createDevnet, type OptionsInput } from '../../../devnet/index.ts'
import type { DevAccount } from '../../../devnet/types.ts'
import { outcomeOf, type Peer, type PeerOptions } from './peer.ts'

/** Our node with both clocks frozen, unless `more` says otherwise: nothing happens but what is asked for. */
export async function createOwnPeer(
  options: PeerOptions,
  more: OptionsInput = {},
): Promise<Peer & { readonly accounts: readonly DevAccount[] }> {
  const devnet = createDevnet({ ...options, port: 0, frozenTicks: true, ...more })
  await devnet.start()
  return {
    name: 'ours',
    accounts: devnet.accounts,
    request: (method, params = []) => outcomeOf(() => devnet.provider.request({ method, params })),
    stop: () => devnet.stop(),
  }
}
