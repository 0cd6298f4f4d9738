import { useId, useState } from 'preact/hooks'
import type { ContractFunction } from '../../dashboard/contractRows.ts'
import type { ContractRow } from '../../dashboard/methods/contracts.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count } from '../kit/shownValue.ts'
import { addressBook } from './fieldValues.ts'
import { type FormScene, FunctionForm } from './functionForm.tsx'
import { Getters } from './getters.tsx'
import { Alert } from './sentCall.tsx'
import { type Answer, namedAddresses, nameOf } from './store.ts'
import { useAnswer } from './useAnswer.ts'

/** Number of names that address fields know, besides those of accounts. */
const MOST_NAMES = 1_000

export interface FunctionsProps {
  /** Places where it is deployed, newest first; may be none. */
  readonly addresses: ContractRow['addresses']
  /** Of the contract, if it is deployed nowhere. */
  readonly fullName?: string
}

/** All that a contract can do, and forms to do it. */
export function ContractFunctions({ addresses, fullName = '' }: FunctionsProps) {
  // A contract that is deployed anew does not take the place of the one that is in use.
  const [chosen, choose] = useState(addresses[0]?.address)
  const at = (addresses.find(({ address }) => address === chosen) ?? addresses[0])?.address
  const params = at === undefined ? { fullName } : { address: at }
  const { answer, error } = useAnswer('contract', params, 'undone')
  return (
    <>
      {addresses.length > 1 && (
        <label>
          <span class="note">at </span>
          <select
            class="field mono"
            value={at}
            onChange={({ currentTarget }) =>
              choose(addresses[currentTarget.selectedIndex]?.address)
            }
          >
            {addresses.map(({ address }) => (
              <option key={address}>{address}</option>
            ))}
          </select>
        </label>
      )}
      <Alert text={error} />
      {answer !== undefined && <Functions key={at} address={at} contract={answer} />}
    </>
  )
}

interface Props {
  readonly address: `0x${string}` | undefined
  readonly contract: Answer<'contract'>
}

function Functions({ address, contract }: Props) {
  const { functions, events, errors, omitted, senders } = contract
  const listId = useId()
  const own = senders.map((one) => [one, nameOf(one) ?? one] as const)
  const others = Object.entries(namedAddresses()).slice(0, MOST_NAMES)
  // An address has one place, with its own name.
  const book = addressBook(new Map([...own, ...others, ...own]))
  const scene = address && { address, book, listId, senders }
  const isGetter = ({ isRead, inputs }: ContractFunction) =>
    scene !== undefined && isRead && inputs.length === 0
  const getters = functions.filter(isGetter)
  const forms = functions.filter((one) => !isGetter(one))
  return (
    <>
      <datalist id={listId}>
        {book.options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
      {[true, false].map((isRead) => {
        const list = forms.filter((one) => one.isRead === isRead)
        const answered = isRead ? getters : []
        if (list.length + answered.length === 0) return null
        const title = `Functions that ${isRead ? 'read' : 'write'}`
        return (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            {scene !== undefined && answered.length > 0 && (
              <Getters address={scene.address} functions={answered} />
            )}
            {list.map((called) => (
              <FunctionRow key={called.signature} scene={scene} called={called} />
            ))}
          </section>
        )
      })}
      <Signatures title="Events" list={events} />
      <Signatures title="Errors" list={errors} />
      {omitted > 0 && <p class="note">{`and ${count(omitted)} more`}</p>}
    </>
  )
}

interface RowProps {
  /** `undefined` if the contract is deployed nowhere. */
  readonly scene: FormScene | undefined
  readonly called: ContractFunction
}

/** A function, which opens its form. */
function FunctionRow({ scene, called }: RowProps) {
  const [isOpen, open] = useState(false)
  const { signature, inputs, isPayable } = called
  const list = inputs.map(({ name, type }) => (name === '' ? type : `${type} ${name}`)).join(', ')
  const text = `${signature.replace(/\(.*$/s, '')}(${list})${isPayable ? ' payable' : ''}`
  const words = <Untrusted within="code" text={text} />
  if (scene === undefined) return <p class="wrap">{words}</p>
  return (
    <details class="function" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{words}</summary>
      {/* Hundreds of closed ones need no fields. */}
      {isOpen && <FunctionForm scene={scene} called={called} />}
    </details>
  )
}

function Signatures({ title, list }: { readonly title: string; readonly list: readonly string[] }) {
  if (list.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {list.map((signature) => (
        <p key={signature} class="wrap">
          <Untrusted within="code" text={signature} />
        </p>
      ))}
    </section>
  )
}
