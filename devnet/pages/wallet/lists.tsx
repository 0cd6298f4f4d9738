import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { short, visible } from '../../primitives/visible.ts'
import type { HistoryEntry, WalletAccount } from '../../wallet/types.ts'
import { Untrusted } from '../kit/elements.tsx'
import { duration, etherText, timeOfDay } from '../kit/shownValue.ts'
import type { Act, Snapshot } from './control.ts'
import { decimal, originText, pretty } from './text.ts'

interface ListsProps {
  /** `undefined` on a page that may show nothing. */
  readonly snapshot: Snapshot | undefined
  readonly act: Act
}

/** The sites, networks and accounts of the wallet. */
export function Lists({ snapshot, act }: ListsProps) {
  const { state, accounts = [] } = snapshot ?? {}
  const { activeChain, chains = [], connections = [], accounts: [selected] = [] } = state ?? {}
  const symbol = chains.find(({ chainId }) => chainId === activeChain)?.nativeCurrency.symbol ?? ''
  return (
    <aside>
      <Panel id="sites" title="Connected sites">
        {connections.map(({ origin, accounts: seen }) => (
          <li key={String(origin)}>
            <Untrusted class="name" text={originText(origin)} />
            <code>{seen.map((account) => accountName(account, accounts)).join(', ')}</code>
            <Small label="Disconnect" press={() => act('control_disconnect', { origin })} />
          </li>
        ))}
      </Panel>
      <Panel id="chains" title="Networks">
        {chains.map(({ chainId, chainName, nativeCurrency, rpcUrls }) => (
          <li key={chainId}>
            <bdi class="name" title={visible(rpcUrls.join('\n'))}>
              {visible(chainName)}
            </bdi>
            <code title={chainId}>{`${decimal(chainId)} · ${visible(nativeCurrency.symbol)}`}</code>
            <Small
              label="Switch"
              description={`Switch to ${visible(chainName)}`}
              done={chainId === activeChain ? 'active' : undefined}
              press={() => act('control_switchChain', { chainId })}
            />
          </li>
        ))}
      </Panel>
      <Panel id="accounts" title="Accounts">
        {accounts.map((account) => (
          <li key={account.address}>
            <code class="name" title={account.address}>
              {accountName(account.address, [account])}
            </code>
            <Balance wei={account.balance} symbol={symbol} />
            <Small
              label="Select"
              description={`Select account ${accountName(account.address, [account])}`}
              done={isSame(account, selected) ? 'selected' : undefined}
              press={() => act('control_switchAccount', { account: account.address })}
            />
          </li>
        ))}
      </Panel>
    </aside>
  )
}

interface PanelProps {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}

function Panel({ id, title, children }: PanelProps) {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <ul id={id} class="rows">
        {children}
      </ul>
    </section>
  )
}

interface SmallProps {
  readonly label: string
  /** Action of the button, if its label alone does not say it. */
  readonly description?: string
  /** Text that replaces the button once the action is done. */
  readonly done?: string | undefined
  readonly press: () => void
}

function Small({ label, description, done, press }: SmallProps) {
  if (done !== undefined) return <span class="badge good">{done}</span>
  return (
    <button type="button" class="small" aria-label={description} onClick={press}>
      {label}
    </button>
  )
}

interface BalanceProps {
  readonly wei: WalletAccount['balance']
  readonly symbol: string
}

function Balance({ wei, symbol }: BalanceProps) {
  if (wei === null) return <span class="balance">balance unknown</span>
  const title = `${decimal(wei)} wei`
  return (
    <span class="balance" title={title}>
      {etherText(BigInt(wei), visible(symbol))}
    </span>
  )
}

function isSame({ address }: WalletAccount, other: string | undefined): boolean {
  return address.toLowerCase() === other?.toLowerCase()
}

/** Name of an account on the page: its number, as the node prints it, and its checksum. */
export function accountName(address: string, accounts: readonly WalletAccount[]): string {
  const known = accounts.find((account) => isSame(account, address))
  if (known === undefined) return short(address)
  return known.number === null ? short(known.address) : `#${known.number} ${short(known.address)}`
}

interface HistoryProps {
  readonly entries: readonly HistoryEntry[]
  readonly dashboardUrl: string | null
}

/** The answered requests, newest first. */
export function History({ entries, dashboardUrl }: HistoryProps) {
  return (
    <ul id="history" class="history">
      {entries.toReversed().map((entry) => (
        <Past key={entry.id} entry={entry} dashboardUrl={dashboardUrl} />
      ))}
    </ul>
  )
}

const DECIDERS: Record<HistoryEntry['decidedBy'], string> = {
  page: 'this page',
  control: 'the control API',
  deadline: 'its deadline',
  client: 'the dApp, which gave up',
  policy: 'the policy',
}

const BADGES: Record<HistoryEntry['decision'], string> = {
  approved: 'good',
  rejected: 'bad',
  invalid: 'bad',
  expired: 'late',
  withdrawn: 'late',
  automatic: '',
}

interface PastProps {
  readonly entry: HistoryEntry
  readonly dashboardUrl: string | null
}

function Past({ entry, dashboardUrl }: PastProps) {
  const { answer, decided, decidedBy, decision, isTakenBack, method, origin, params } = entry
  const { received } = entry
  const { title, detail } = entry.summary
  const page = transactionUrl(entry, dashboardUrl)
  // Made once, since it may be long, and changes only if its transaction is taken back.
  return useMemo(
    () => (
      <li>
        <details>
          <summary>
            <time>{timeOfDay(received)}</time>
            <span class={`decision badge ${BADGES[decision]}`}>{decision}</span>
            <span class="what">
              <Untrusted text={title} /> <code class="method">{visible(method)}</code>
            </span>
            <span class="who">{visible(originText(origin))}</span>
            <span class="outcome">
              {isTakenBack ? 'not on the chain any more' : outcome(answer)}
            </span>
          </summary>
          <p>{visible(detail === undefined ? title : `${title}: ${detail}`)}</p>
          <p>{`Decided by ${DECIDERS[decidedBy]} after ${duration(decided - received)}.`}</p>
          <h3>Request</h3>
          <pre>{pretty(params)}</pre>
          <h3>Answer</h3>
          <pre>{pretty(answer)}</pre>
        </details>
        {page !== undefined && (
          <a
            class="small"
            href={page}
            target="devnet-dashboard"
            aria-label={`Transaction of ${visible(title)}, in the dashboard`}
          >
            Transaction
          </a>
        )}
      </li>
    ),
    [isTakenBack, page],
  )
}

/** The transaction that a request has sent, in the dashboard. */
function transactionUrl(
  { answer, method, isTakenBack }: HistoryEntry,
  dashboardUrl: string | null,
): string | undefined {
  if (dashboardUrl === null || isTakenBack || method !== 'eth_sendTransaction') return undefined
  const hash = 'result' in answer ? String(answer.result) : ''
  return /^0x[0-9a-f]{64}$/.test(hash) ? `${dashboardUrl}tx/${hash}` : undefined
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
