import { createDevnet, type Devnet } from '../../../devnet/index.ts'
import type { WalletControl } from '../../../devnet/wallet/types.ts'
import { type DappSite, startDappSite } from './dappSite.ts'

/** A node whose wallet asks a person, a second chain that the wallet does not know, and a site with dApps. */
export interface Stage extends AsyncDisposable {
  readonly node: Devnet
  readonly wallet: WalletControl
  readonly site: DappSite
  readonly second: Devnet
  /** Address of a dApp that wants the second chain. */
  dapp(name: string): string
}

/** Chain id of the second chain. */
export const SECOND_CHAIN = 84_532

/** @param deadline - ms that the wallet waits for a decision */
export async function startStage(deadline = 60_000): Promise<Stage> {
  const node = createDevnet({ port: 0, frozen: true, wallet: { policy: 'hold', deadline } })
  // Frozen: whatever has a receipt there is pre-confirmed and not sealed.
  const second = createDevnet({ port: 0, frozen: true, chainId: SECOND_CHAIN })
  await Promise.all([node.start(), second.start()])
  const { wallet } = node
  const site = await startDappSite(wallet.url)
  return {
    node,
    wallet,
    site,
    second,
    dapp: (name) =>
      `${site.url}/${name}?chain=${SECOND_CHAIN}&rpc=${encodeURIComponent(second.url)}`,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await Promise.all([node.stop(), second.stop()])
    },
  }
}
