import { useState } from 'preact/hooks'
import type {
  ContractFunction,
  ContractRow,
  ReadAnswer,
  ReadArgument,
  ReadResult,
} from '../../dashboard/apiTypes/accountTypes.ts'
import { Untrusted } from '../kit/elements.tsx'
import { sentenceOf } from '../kit/link.ts'
import { count, plural } from '../kit/shownValue.ts'
import { Arguments, FailureText } from './decoded.tsx'
import { Pager, usePages } from './pages.tsx'
import { Address, Empty, FilterInput } from './parts.tsx'
import { call, revision } from './store.ts'
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
    // What a link leads to is on the first page.
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
              There are no artifacts in <code>{folder}</code>. <code>npx hardhat compile</code>{' '}
              makes them; they are read at once.
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
  const { name, fullName, addresses, functions, events, errors } = contract
  const [open, setOpen] = useState(isOpen)
  return (
    <details
      class="panel contract"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <strong>
          <Untrusted text={name} />
        </strong>
        {fullName !== name && (
          <span class="note clip">
            <Untrusted text={fullName.replace(/:[^:]*$/, '')} />
          </span>
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
          <Reads contract={contract} />
          <Signatures
            title="Functions that write"
            list={functions.filter(({ isRead }) => !isRead).map(signatureOf)}
          />
          <Signatures title="Events" list={events} />
          <Signatures title="Errors" list={errors} />
        </div>
      )}
    </details>
  )
}

function signatureOf({ signature, inputs, isPayable }: ContractFunction): string {
  const list = inputs.map(({ name, type }) => (name === '' ? type : `${type} ${name}`)).join(', ')
  return `${signature.replace(/\(.*$/s, '')}(${list})${isPayable ? ' payable' : ''}`
}

function Signatures({ title, list }: { readonly title: string; readonly list: readonly string[] }) {
  if (list.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="signatures">
        {list.map((signature) => (
          <li key={signature}>
            <code class="wrap">
              <Untrusted text={signature} />
            </code>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Functions that only read, which the page can call: the answers as sealed and as pending. */
function Reads({ contract: { addresses, functions } }: { readonly contract: ContractRow }) {
  const [chosen, setChosen] = useState<string | undefined>(undefined)
  const reads = functions.filter(({ isRead }) => isRead)
  const address = addresses.find((one) => one.address === chosen)?.address ?? addresses[0]?.address
  if (reads.length === 0) return null
  if (address === undefined) {
    return <Signatures title="Functions that read" list={reads.map(signatureOf)} />
  }
  return (
    <section aria-label="Functions that read">
      <div class="heading">
        <h2>Functions that read</h2>
        {addresses.length > 1 && (
          <label>
            <span class="note">at </span>
            <select
              class="field mono"
              value={address}
              onChange={({ currentTarget: { value } }) => setChosen(value)}
            >
              {addresses.map((one) => (
                <option key={one.address} value={one.address}>
                  {one.address}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {reads.map((one) => (
        <Read key={`${address} ${one.signature}`} address={address} read={one} />
      ))}
    </section>
  )
}

interface ReadProps {
  readonly address: `0x${string}`
  readonly read: ContractFunction
}

interface Asked {
  readonly answer?: ReadAnswer
  readonly error?: string
  /** Of the chain, when it was asked. */
  readonly revision: number
}

function Read({ address, read }: ReadProps) {
  const { signature, inputs } = read
  const [texts, setTexts] = useState<readonly string[]>(inputs.map(() => ''))
  const [asked, setAsked] = useState<Asked | undefined>(undefined)

  async function ask(): Promise<void> {
    const at = revision.peek()
    try {
      const args = texts.map((text, index) => argumentOf(text, inputs[index]?.type ?? ''))
      setAsked({ answer: await call('read', { address, function: signature, args }), revision: at })
    } catch (error) {
      setAsked({ error: sentenceOf(error), revision: at })
    }
  }

  return (
    <form
      class="read"
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <div class="inputs">
        <code class="called-name">
          <Untrusted text={signature.replace(/\(.*$/s, '')} />
        </code>
        {inputs.map(({ name, type }, index) => (
          <input
            key={index}
            class="field mono"
            aria-label={`${name === '' ? `argument ${index + 1}` : name}, ${type}`}
            placeholder={name === '' ? type : `${name}: ${type}`}
            autoComplete="off"
            spellcheck={false}
            value={texts[index] ?? ''}
            onInput={({ currentTarget: { value } }) => setTexts(texts.with(index, value))}
          />
        ))}
        <button type="submit" class="button small">
          Read
        </button>
      </div>
      {asked?.error !== undefined && (
        <p class="alert" role="alert">
          {asked.error}
        </p>
      )}
      {asked?.answer !== undefined && (
        <div class="results">
          <Result title="Sealed" result={asked.answer.sealed} />
          <Result
            title="Pending"
            result={asked.answer.pending}
            differs={JSON.stringify(asked.answer.sealed) !== JSON.stringify(asked.answer.pending)}
          />
          {asked.revision !== revision.value && (
            <button type="submit" class="button small">
              The chain went on: read again
            </button>
          )}
        </div>
      )}
    </form>
  )
}

/**
 * A person's text for a parameter: JSON for arrays and tuples, else the text itself.
 *
 * @throws {Error} if it is no list where one is needed
 */
function argumentOf(text: string, type: string): ReadArgument {
  if (!/[)\]]$/.test(type)) return text.trim()
  const wrong = new Error(`${type} is a list: write it as JSON, such as ["0x…", "5"].`)
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw wrong
  }
  if (!Array.isArray(list)) throw wrong
  return list.map(elementOf)
}

function elementOf(value: unknown): ReadArgument {
  return Array.isArray(value) ? value.map(elementOf) : String(value)
}

interface ResultProps {
  readonly title: string
  readonly result: ReadResult
  readonly differs?: boolean
}

function Result({ title, result, differs = false }: ResultProps) {
  return (
    <div class={differs ? 'result differing' : 'result'}>
      <span class="note">{differs ? `${title}, differs` : title}</span>
      {'failure' in result ? (
        <FailureText failure={result.failure} />
      ) : result.values.length === 0 ? (
        <p class="note">nothing</p>
      ) : (
        <Arguments list={result.values} />
      )}
    </div>
  )
}
