import { expect } from 'vitest'
import { createDevnet, type Devnet } from '../../../devnet/index.ts'
import type { WalletControl } from '../../../devnet/wallet/types.ts'
import { sourceOf } from '../../support/contractSource.ts'
import type { OpenPage } from './chromium.ts'
import { type DappSite, startDappSite } from './dappSite.ts'
import { Person } from './person.ts'

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
  const node = createDevnet({
    port: 0,
    frozen: true,
    contracts: sourceOf('Bazaar'),
    wallet: { policy: 'hold', deadline },
  })
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

/** A stage, a person at its approval page, and a dApp. At the end, neither page may have had a problem. */
export async function startScene(open: () => Promise<OpenPage>, deadline?: number) {
  const stage = await startStage(deadline)
  const [decided, dapp] = [await open(), await open()]
  const person = new Person(decided.page)
  await person.page.goto(stage.wallet.pageUrl)
  await dapp.page.goto(stage.site.url)
  return {
    stage,
    person,
    dapp: dapp.page,
    async [Symbol.asyncDispose]() {
      expect([...decided.problems, ...dapp.problems]).toEqual([])
      await decided[Symbol.asyncDispose]()
      await dapp[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}
