import { short, visible } from '../../primitives/visible.ts'
import type {
  HistoryEntry,
  WalletAccount,
  WalletChain,
  WalletConnection,
} from '../../wallet/types.ts'
import type { Snapshot } from './controlClient.ts'
import { byId, el, syncChildren } from './dom.ts'
import { coins, decimal, duration, originText, pretty } from './text.ts'

export interface ListActions {
  disconnect(origin: string | null): void
  useAccount(account: string): void
  useChain(chainId: string): void
}

export function showLists({ state, accounts }: Snapshot, actions: ListActions): void {
  const { activeChain, chains, connections } = state
  const [current] = state.accounts
  const symbol = chains.find(({ chainId }) => chainId === activeChain)?.nativeCurrency.symbol ?? ''
  syncChildren(
    byId('sites'),
    connections,
    ({ origin, accounts: seen }) => `${origin} ${seen.join()}`,
    (site) => siteRow(site, accounts, () => actions.disconnect(site.origin)),
  )
  syncChildren(
    byId('chains'),
    chains,
    (chain) => JSON.stringify([chain, chain.chainId === activeChain]),
    (chain) =>
      chainRow(chain, chain.chainId === activeChain, () => actions.useChain(chain.chainId)),
  )
  syncChildren(
    byId('accounts'),
    accounts,
    (account) => JSON.stringify([account, symbol, isSame(account, current)]),
    (account) =>
      accountRow(account, symbol, isSame(account, current), () =>
        actions.useAccount(account.address),
      ),
  )
}

/** Empties the lists, for a page that may show nothing. */
export function clearLists(): void {
  for (const list of ['sites', 'chains', 'accounts', 'history']) byId(list).replaceChildren()
}

function isSame({ address }: WalletAccount, other: string | undefined): boolean {
  return address.toLowerCase() === other
}

/** How the page calls an account: with its number, as the node prints it, and its checksum. */
export function accountName(address: string, accounts: readonly WalletAccount[]): string {
  const known = accounts.find((account) => isSame(account, address))
  if (known === undefined) return short(address)
  return known.number === null ? short(known.address) : `#${known.number} ${short(known.address)}`
}

function siteRow(
  { origin, accounts: seen }: WalletConnection,
  accounts: readonly WalletAccount[],
  disconnect: () => void,
): HTMLElement {
  const name = el('bdi', { class: 'name' }, visible(originText(origin)))
  const names = seen.map((account) => accountName(account, accounts)).join(', ')
  return row(name, el('code', {}, names), smallButton('Disconnect', disconnect))
}

function chainRow(chain: WalletChain, isActive: boolean, use: () => void): HTMLElement {
  const { chainId, chainName, nativeCurrency, rpcUrls } = chain
  const text = `${decimal(chainId)} · ${visible(nativeCurrency.symbol)}`
  const id = el('code', { title: chainId }, text)
  const name = el('bdi', { class: 'name', title: visible(rpcUrls.join('\n')) }, visible(chainName))
  return row(
    name,
    id,
    isActive
      ? el('span', { class: 'badge' }, 'active')
      : smallButton('Switch', use, `Switch to ${visible(chainName)}`),
  )
}

function accountRow(
  account: WalletAccount,
  symbol: string,
  isCurrent: boolean,
  use: () => void,
): HTMLElement {
  const { address, balance } = account
  const name = accountName(address.toLowerCase(), [account])
  const held =
    balance === null
      ? el('span', { class: 'balance' }, 'balance unknown')
      : el(
          'span',
          { class: 'balance', title: `${decimal(balance)} wei` },
          `${coins(balance)} ${visible(symbol)}`,
        )
  return row(
    el('code', { class: 'name', title: address }, name),
    held,
    isCurrent
      ? el('span', { class: 'badge' }, 'selected')
      : smallButton('Select', use, `Select account ${name}`),
  )
}

function row(...parts: readonly (HTMLElement | undefined)[]): HTMLElement {
  return el('li', {}, ...parts)
}

/** @param description - what the button does, if its label alone does not say it */
function smallButton(label: string, press: () => void, description?: string): HTMLElement {
  const name = description === undefined ? {} : { 'aria-label': description }
  const button = el('button', { type: 'button', class: 'small', ...name }, label)
  button.addEventListener('click', press)
  return button
}

/** Shows the answered requests, newest first. */
export function showHistory(entries: readonly HistoryEntry[]): void {
  syncChildren(byId('history'), entries.toReversed(), ({ id }) => id, historyRow)
}

const DECIDERS: Record<HistoryEntry['decidedBy'], string> = {
  page: 'this page',
  control: 'the control API',
  deadline: 'its deadline',
  client: 'the dApp, which gave up',
  policy: 'the policy',
}

function historyRow(entry: HistoryEntry): HTMLElement {
  const { answer, decided, decidedBy, decision, method, origin, params, received } = entry
  const { title, detail } = entry.summary
  const summary = el(
    'summary',
    {},
    el('time', {}, new Date(received).toLocaleTimeString([], { hour12: false })),
    el('span', { class: `decision ${decision}` }, decision),
    el('code', { class: 'method' }, visible(method)),
    el('span', { class: 'who' }, visible(originText(origin))),
    el('span', { class: 'outcome' }, outcome(answer)),
  )
  const how = `Decided by ${DECIDERS[decidedBy]} after ${duration(decided - received)}.`
  return el(
    'li',
    {},
    el(
      'details',
      {},
      summary,
      el('p', {}, visible(detail === undefined ? title : `${title}: ${detail}`)),
      el('p', {}, how),
      el('h3', {}, 'Request'),
      el('pre', {}, pretty(params)),
      el('h3', {}, 'Answer'),
      el('pre', {}, pretty(answer)),
    ),
  )
}

function outcome(answer: HistoryEntry['answer']): string {
  if ('error' in answer) return visible(`${answer.error.code} ${answer.error.message}`)
  const { result } = answer
  if (typeof result === 'string') return visible(short(result))
  if (Array.isArray(result) && result.every((item) => typeof item === 'string')) {
    return visible(result.map(short).join(', '))
  }
  return visible(JSON.stringify(result) ?? '').slice(0, 60)
}
