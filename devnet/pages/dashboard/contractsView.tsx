import { useState } from 'preact/hooks'
import type { ContractRow } from '../../dashboard/methods/contracts.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { ContractPart } from './contractPart.tsx'
import { Pager, usePages } from './pages.tsx'
import { Address, Empty, FilterInput } from './parts.tsx'
import { useAnswer } from './useAnswer.ts'

export function ContractsView() {
  const { answer, error } = useAnswer('contracts', {})
  const [text, setText] = useState('')
  const list = answer?.contracts ?? []
  const wanted = text.trim().toLowerCase()
  const opened = openedName()
  const shown = list
    .filter(
      ({ fullName, addresses }) =>
        fullName.toLowerCase().includes(wanted) ||
        addresses.some(({ address }) => address === wanted),
    )
    // A contract that a link leads to comes first.
    .sort((one, other) => Number(isNamed(other, opened)) - Number(isNamed(one, opened)))
  const pages = usePages(shown.length, ROWS)
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { folder, contracts, omitted } = answer
  return (
    <>
      <div class="title">
        <h1>Contracts</h1>
        <span class="note">{count(wanted === '' ? contracts.length + omitted : shown.length)}</span>
        {contracts.length > 0 && (
          <FilterInput
            label="Filter contracts"
            placeholder="Filter: name, address"
            text={text}
            onText={setText}
            class="field more"
          />
        )}
      </div>
      {contracts.length === 0 ? (
        <div class="panel">
          {folder === null ? (
            <Empty title="No names: this node was given no contracts.">
              A node that Hardhat starts has those of the project.
            </Empty>
          ) : (
            <Empty title="No names.">
              There are no artifacts in <code>{folder}</code>. The build of a Hardhat project makes
              them; they are read at once.
            </Empty>
          )}
        </div>
      ) : (
        shown
          .slice(pages.first, pages.end)
          .map((contract) => (
            <Contract
              key={contract.fullName}
              contract={contract}
              isOpen={isNamed(contract, opened)}
            />
          ))
      )}
      {pages.pages > 1 && (
        <p class="pad">
          <Pager of={pages} />
        </p>
      )}
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'contract')} more`}</p>}
    </>
  )
}

const ROWS = 50

/** Name of the contract that the address of the page leads to; a broken one leads to none. */
function openedName(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

function isNamed({ name, fullName }: ContractRow, wanted: string): boolean {
  return wanted === name || wanted === fullName
}

interface ContractProps {
  readonly contract: ContractRow
  readonly isOpen: boolean
}

function Contract({ contract, isOpen }: ContractProps) {
  const { name, fullName, addresses } = contract
  const [open, setOpen] = useState(isOpen)
  return (
    <details
      class="panel contract"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Untrusted within="strong" text={name} />
        {fullName !== name && (
          <Untrusted within="span" class="note clip" text={fullName.replace(/:[^:]*$/, '')} />
        )}
        <span class={addresses.length > 0 ? 'badge good' : 'badge'}>
          {addresses.length === 0 ? 'not deployed' : `${count(addresses.length)} deployed`}
        </span>
      </summary>
      {/* Hundreds of closed ones need no forms. */}
      {open && (
        <div class="inside">
          {addresses.length > 0 && (
            <ul class="places">
              {addresses.map(({ address, block }) => (
                <li key={address}>
                  <Address address={address} whole={true} />
                  {block !== null && <span class="note">{`block ${count(block)}`}</span>}
                </li>
              ))}
            </ul>
          )}
          <ContractPart addresses={addresses} fullName={fullName} />
        </div>
      )}
    </details>
  )
}
