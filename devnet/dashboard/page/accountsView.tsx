import type { AccountRow, AddressAnswer, ExecutedRow } from '../api.ts'
import { ExecutedTable } from './blocksView.tsx'
import { Address, Copy, Empty, Ether, Panel, TxHash, Untrusted } from './parts.tsx'
import { links } from './router.ts'
import { count, plural } from './shownValue.ts'
import { call, nameOf } from './store.ts'
import { CallWords } from './transactionsView.tsx'
import { useAnswer } from './useAnswer.ts'
import { useOlder } from './useOlder.ts'

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
        return (
          <Panel key={kind} title={words} more={<span class="note">{count(rows.length)}</span>}>
            <table class="accounts">
              <thead>
                <tr>
                  <th>Account</th>
                  <th class="number">Sealed</th>
                  <th class="number">Pending</th>
                  <th class="number wide">Nonce sealed</th>
                  <th class="number wide">Nonce pending</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <AccountOf key={row.address} row={row} />
                ))}
              </tbody>
            </table>
          </Panel>
        )
      })}
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'account')} more`}</p>}
    </>
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
        <Ether wei={BigInt(sealed.balance)} />
      </td>
      <td class="number">
        <Pending isSame={sealed.balance === pending.balance}>
          <Ether wei={BigInt(pending.balance)} />
        </Pending>
      </td>
      <td class="number wide">{count(sealed.nonce)}</td>
      <td class="number wide">
        <Pending isSame={sealed.nonce === pending.nonce}>{count(pending.nonce)}</Pending>
      </td>
    </tr>
  )
}

/** A value as of the pending block: marked if it differs from the sealed one. */
function Pending({
  isSame,
  children,
}: {
  readonly isSame: boolean
  readonly children: preact.ComponentChildren
}) {
  if (isSame) return <span class="note">{children}</span>
  return (
    <span class="differs" title="Differs from the sealed value">
      {children}
    </span>
  )
}

const KIND_WORDS: Readonly<Record<AddressAnswer['kind'], string>> = {
  dev: 'Dev account',
  impersonated: 'Impersonated account',
  contract: 'Contract',
  precompile: 'Precompiled contract',
  other: 'Account',
}

export function AddressView({ address }: { readonly address: string }) {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    return (
      <div class="panel">
        <Empty title="This is not an address.">It has 40 hexadecimal digits after 0x.</Empty>
      </div>
    )
  }
  return <KnownAddress address={address.toLowerCase() as `0x${string}`} />
}

function KnownAddress({ address }: { readonly address: `0x${string}` }) {
  const { answer, error } = useAnswer('address', { address })
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { kind, sealed, pending, contract, implementation, creation, waiting } = answer
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
                <Ether wei={BigInt(sealed.balance)} />
              </td>
              <td class="number">
                <Pending isSame={sealed.balance === pending.balance}>
                  <Ether wei={BigInt(pending.balance)} />
                </Pending>
              </td>
            </tr>
            <tr>
              <th scope="row">Nonce</th>
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
                <dt>Runs the code of</dt>
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
      {waiting.length > 0 && (
        <Panel title="Waiting" more={<span class="note">{count(waiting.length)}</span>}>
          <ul class="plain">
            {waiting.map((row) => (
              <li key={row.hash}>
                <TxHash hash={row.hash} />
                <span class="note">{`nonce ${row.nonce}`}</span>
                <span class="clip">
                  <CallWords row={row} />
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <History key={address} answer={answer} />
    </>
  )
}

/** Transactions that touched an address, newest first; the first page follows the chain. */
function History({ answer }: { readonly answer: AddressAnswer }) {
  const { older, before, showOlder } = useOlder<ExecutedRow>(answer.next, async (next, shown) => {
    const page = await call('address', { address: answer.address, before: next })
    // New transactions push others from the first page to here.
    const known = shown.length === 0 ? answer.rows : shown
    return { rows: [...known, ...page.rows], next: page.next }
  })

  const oldest = answer.rows.at(-1)?.position ?? Number.POSITIVE_INFINITY
  const rows = [...answer.rows, ...older.filter(({ position }) => position < oldest)]
  return (
    <Panel title="Transactions" more={<span class="note">calls inside of others included</span>}>
      {rows.length === 0 ? <Empty>None yet.</Empty> : <ExecutedTable rows={rows} />}
      {before !== null && (
        <p class="pad">
          <button type="button" class="button small" onClick={showOlder}>
            Older transactions
          </button>
        </p>
      )}
    </Panel>
  )
}
