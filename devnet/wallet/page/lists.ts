import type { HistoryEntry, WalletChain, WalletConnection, WalletState } from '../types.ts'
import { byId, el, syncChildren } from './dom.ts'
import { decimal, duration, originText, pretty, short, visible } from './text.ts'

export interface ListActions {
  disconnect(origin: string | null): void
  useAccount(account: string): void
}

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

function siteRow({ origin, accounts }: WalletConnection, disconnect: () => void): HTMLElement {
  const name = el('bdi', { class: 'name' }, visible(originText(origin)))
  const seen = el('code', {}, accounts.map(short).join(', '))
  return row(name, seen, smallButton('Disconnect', disconnect))
}

function chainRow(chain: WalletChain, isActive: boolean): HTMLElement {
  const { chainId, chainName, nativeCurrency, rpcUrls } = chain
  const text = `${decimal(chainId)} · ${visible(nativeCurrency.symbol)}`
  const id = el('code', { title: chainId }, text)
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
