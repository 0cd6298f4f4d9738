import type { AccountRow } from '../../dashboard/methods/accounts.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, exactEther, plural } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { ContractPart } from './contractPart.tsx'
import { ExecutedTable } from './executedTable.tsx'
import { Direction, Holdings } from './holdings.tsx'
import { Pager, usePages } from './pages.tsx'
import { Address, BeforeAfter, Copy, Empty, Missing, Panel, TxHash } from './parts.tsx'
import { links, search } from './router.ts'
import { type Answer, nameOf, status } from './store.ts'
import { useAnswer } from './useAnswer.ts'

const KINDS = [
  ['dev', 'Dev accounts'],
  ['impersonated', 'Impersonated'],
  ['contract', 'Contracts'],
] as const

export function AccountsView() {
  const { answer, error } = useAnswer('accounts', {})
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { accounts, omitted } = answer
  return (
    <>
      <div class="title">
        <h1>Accounts</h1>
        <span class="note">Sealed beside pending; what differs is marked.</span>
      </div>
      {KINDS.map(([kind, words]) => {
        const rows = accounts.filter((row) => row.kind === kind)
        if (rows.length === 0) return null
        const size = kind === 'dev' ? DEV_ROWS : ROWS
        return <AccountTable key={kind} title={words} accounts={rows} size={size} />
      })}
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'account')} more`}</p>}
    </>
  )
}

/** Rows of each table: fewer than 60 together, and all dev accounts that a node has by default. */
const DEV_ROWS = 20
const ROWS = 18

interface AccountTableProps {
  readonly title: string
  readonly accounts: readonly AccountRow[]
  readonly size: number
}

function AccountTable({ title, accounts, size }: AccountTableProps) {
  const pages = usePages(accounts.length, size)
  return (
    <Panel title={title} more={<Pager of={pages} />}>
      <table class="accounts">
        <thead>
          <tr>
            <th>Account</th>
            <th class="number">Sealed</th>
            <th class="number">Pending</th>
            <th class="number wide">Next nonce sealed</th>
            <th class="number wide">Pending</th>
          </tr>
        </thead>
        <tbody>
          {accounts.slice(pages.first, pages.end).map((row) => (
            <AccountOf key={row.address} row={row} />
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function AccountOf({ row }: { readonly row: AccountRow }) {
  const { address, sealed, pending } = row
  return (
    <tr data-row={address} data-href={links.address(address)} tabIndex={-1}>
      <td>
        <Address address={address} />
        <code class="note both">{`${address.slice(0, 8)}…${address.slice(-4)}`}</code>
      </td>
      <td class="number">
        <SealedBalance sealed={BigInt(sealed.balance)} pending={BigInt(pending.balance)} />
      </td>
      <td class="number">
        <PendingBalance sealed={BigInt(sealed.balance)} pending={BigInt(pending.balance)} />
      </td>
      <td class="number wide">{count(sealed.nonce)}</td>
      <td class="number wide">
        <Pending isSame={sealed.nonce === pending.nonce}>{count(pending.nonce)}</Pending>
      </td>
    </tr>
  )
}

type Balances = Readonly<Record<'sealed' | 'pending', bigint>>

function SealedBalance({ sealed, pending }: Balances) {
  return <BeforeAfter before={sealed} after={pending} shown="before" />
}

/** Two balances can look the same: the tooltip says how much they differ. */
function PendingBalance({ sealed, pending }: Balances) {
  const [sign, difference] = pending > sealed ? ['+', pending - sealed] : ['−', sealed - pending]
  const words = `${exactEther(pending)} ETH, ${sign}${exactEther(difference)} ETH`
  return (
    <Pending isSame={sealed === pending} words={words}>
      <BeforeAfter before={sealed} after={pending} shown="after" />
    </Pending>
  )
}

/** A value as of the pending block: marked if it differs from the sealed one. */
function Pending({
  isSame,
  words = 'Differs from the sealed value',
  children,
}: {
  readonly isSame: boolean
  readonly words?: string
  readonly children: preact.ComponentChildren
}) {
  if (isSame) return <span class="note">{children}</span>
  return (
    <span class="differs" title={words}>
      {children}
    </span>
  )
}

type AddressAnswer = Answer<'address'>

/** Size in bytes of code that only names another account (EIP-7702). */
const DELEGATION = 23

const KIND_WORDS: Readonly<Record<AddressAnswer['kind'], string>> = {
  dev: 'Dev account',
  impersonated: 'Impersonated account',
  contract: 'Contract',
  precompile: 'Precompiled contract',
  other: 'Account',
}

export function AddressView({ address }: { readonly address: string }) {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    return <Missing title="This is not an address.">It has 40 hexadecimal digits after 0x.</Missing>
  }
  return <KnownAddress address={address.toLowerCase() as `0x${string}`} />
}

function KnownAddress({ address }: { readonly address: `0x${string}` }) {
  const { answer, error } = useAnswer('address', { address }, 'always', isPartial)
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { kind, sealed, pending, contract, implementation, creation, waiting } = answer
  const before = search.value.get('before')
  const isPage = before !== null && /^\d{1,15}$/.test(before)
  const name = nameOf(address)
  const hasCode = sealed.codeSize > 0 || pending.codeSize > 0
  return (
    <>
      <div class="title">
        <h1>{name === undefined ? KIND_WORDS[kind] : <Untrusted text={name} />}</h1>
        <span class="badge">{KIND_WORDS[kind]}</span>
        {contract !== null && (
          <a class="more note" href={`${links.view('contracts')}#${encodeURIComponent(contract)}`}>
            <Untrusted text={contract} />
          </a>
        )}
      </div>
      <p class="whole">
        <code class="wrap">{address}</code> <Copy text={address} what="address" />
      </p>
      <Panel title="State">
        <table>
          <thead>
            <tr>
              <th>
                <span class="unseen">What</span>
              </th>
              <th class="number">Sealed</th>
              <th class="number">Pending</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Balance</th>
              <td class="number">
                <SealedBalance sealed={BigInt(sealed.balance)} pending={BigInt(pending.balance)} />
              </td>
              <td class="number">
                <PendingBalance sealed={BigInt(sealed.balance)} pending={BigInt(pending.balance)} />
              </td>
            </tr>
            <tr>
              <th scope="row">Next nonce</th>
              <td class="number">{count(sealed.nonce)}</td>
              <td class="number">
                <Pending isSame={sealed.nonce === pending.nonce}>{count(pending.nonce)}</Pending>
              </td>
            </tr>
            {hasCode && (
              <tr>
                <th scope="row">Code</th>
                <td class="number">{`${count(sealed.codeSize)} bytes`}</td>
                <td class="number">
                  <Pending isSame={sealed.codeSize === pending.codeSize}>
                    {`${count(pending.codeSize)} bytes`}
                  </Pending>
                </td>
              </tr>
            )}
          </tbody>
        </table>
        {(implementation !== null || creation !== null) && (
          <dl class="facts">
            {implementation !== null && (
              <>
                <dt>{pending.codeSize === DELEGATION ? 'Delegates to' : 'Runs the code of'}</dt>
                <dd>
                  <Address address={implementation} />
                </dd>
              </>
            )}
            {creation !== null && (
              <>
                <dt>Created by</dt>
                <dd class="steps">
                  <Address address={creation.creator} /> <span class="note">in</span>{' '}
                  <TxHash hash={creation.hash} />
                </dd>
              </>
            )}
          </dl>
        )}
      </Panel>
      <Holdings address={address} />
      {hasCode && contract !== null && (
        <details class="panel contract" open>
          <summary>
            <strong>Contract</strong>
          </summary>
          <div class="inside">
            <ContractPart addresses={[{ address, block: null }]} />
          </div>
        </details>
      )}
      {waiting.length > 0 && (
        <Panel
          title="Waiting"
          more={<span class="note">{count(waiting.length + answer.omittedWaiting)}</span>}
        >
          <ul class="plain">
            {waiting.map((row) => (
              <li key={row.hash}>
                <TxHash hash={row.hash} />
                <span class="note">{`nonce ${row.nonce}`}</span>
                <Direction row={row} of={address} />
                {row.from !== address && <Address address={row.from} />}
                <span class="clip">
                  <CallWords row={row} />
                </span>
              </li>
            ))}
          </ul>
          {answer.omittedWaiting > 0 && (
            <p class="pad note">{`and ${count(answer.omittedWaiting)} more`}</p>
          )}
        </Panel>
      )}
      {isPage ? (
        <HistoryBefore key={before} address={address} before={Number(before)} />
      ) : (
        <History answer={answer} />
      )}
    </>
  )
}

/** True if the node has not looked at all blocks yet. */
function isPartial({ searchedTo }: AddressAnswer): boolean {
  return searchedTo !== null
}

interface HistoryBeforeProps {
  readonly address: `0x${string}`
  readonly before: number
}

function HistoryBefore({ address, before }: HistoryBeforeProps) {
  const { answer, error } = useAnswer('address', { address, before }, 'undone', isPartial)
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note pad">Loading…</p>
  return <History answer={answer} isPage={true} />
}

interface HistoryProps {
  readonly answer: AddressAnswer
  /** True if newer ones are left out. */
  readonly isPage?: boolean
}

/** Transactions that touched an address, newest first; the first page follows the chain. */
function History({ answer, isPage = false }: HistoryProps) {
  const { address, rows, next, searchedTo } = answer
  const latest = status.value?.latest.number ?? 0
  const more = isPage ? (
    <a class="more" href={links.address(address)}>
      Newest
    </a>
  ) : (
    <span class="note">calls inside of others included</span>
  )
  return (
    <Panel title="Transactions" more={more}>
      {searchedTo !== null && (
        <p class="pad note" role="status">
          {`Looked at the blocks up to #${count(searchedTo)} of #${count(latest)} so far…`}
        </p>
      )}
      {rows.length > 0 ? (
        <ExecutedTable rows={rows} of={address} />
      ) : (
        searchedTo === null && <Empty>None yet.</Empty>
      )}
      {next !== null && (
        <p class="pad">
          <a class="button small" href={`${links.address(address)}?before=${next}`}>
            Older transactions
          </a>
        </p>
      )}
    </Panel>
  )
}
