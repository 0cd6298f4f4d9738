import { byId, el, syncChildren } from './dom.ts'
import { decimal, originText, short } from './text.ts'
import { visible } from './visible.ts'
import type { Chain, Site, WalletState } from './wire.ts'

/** What a person can do to the lists beside the requests. */
export interface ListActions {
  disconnect(origin: string | null): void
  useAccount(account: string): void
}

/** Shows sites, networks and accounts. */
export function showLists(state: WalletState, actions: ListActions): void {
  const { accounts, activeChain, chains, connections } = state
  const [current] = accounts
  syncChildren(
    byId('sites'),
    connections,
    ({ origin, accounts: seen }) => `${origin} ${seen.join()}`,
    (site) => siteRow(site, () => actions.disconnect(site.origin)),
  )
  syncChildren(
    byId('chains'),
    chains,
    (chain) => JSON.stringify([chain, chain.chainId === activeChain]),
    (chain) => chainRow(chain, chain.chainId === activeChain),
  )
  syncChildren(
    byId('accounts'),
    accounts,
    (account) => `${account} ${account === current}`,
    (account) => accountRow(account, account === current, () => actions.useAccount(account)),
  )
}

function siteRow({ origin, accounts }: Site, disconnect: () => void): HTMLElement {
  const name = el('bdi', { class: 'name' }, visible(originText(origin)))
  const seen = el('code', {}, accounts.map(short).join(', '))
  return row(name, seen, smallButton('Disconnect', disconnect))
}

function chainRow(chain: Chain, isActive: boolean): HTMLElement {
  const { chainId, chainName, nativeCurrency, rpcUrls } = chain
  const symbol = nativeCurrency === undefined ? '' : ` · ${visible(nativeCurrency.symbol)}`
  const id = el('code', { title: chainId }, `${decimal(chainId)}${symbol}`)
  const name = el('bdi', { class: 'name', title: visible(rpcUrls.join('\n')) }, visible(chainName))
  return row(name, id, isActive ? el('span', { class: 'badge' }, 'active') : undefined)
}

function accountRow(account: string, isCurrent: boolean, use: () => void): HTMLElement {
  const name = el('code', { class: 'name', title: account }, short(account))
  return row(
    name,
    undefined,
    isCurrent ? el('span', { class: 'badge' }, 'selected') : smallButton('Select', use),
  )
}

function row(...parts: readonly (HTMLElement | undefined)[]): HTMLElement {
  return el('li', {}, ...parts)
}

function smallButton(label: string, press: () => void): HTMLElement {
  const button = el('button', { type: 'button', class: 'small' }, label)
  button.addEventListener('click', press)
  return button
}
