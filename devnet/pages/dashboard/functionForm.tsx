import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { FunctionCall, SendParams } from '../../dashboard/contractCalls.ts'
import type { ContractFunction, Parameter } from '../../dashboard/contractRows.ts'
import { integerOf } from '../../primitives/abiText.ts'
import { reasonOf } from '../../primitives/errors.ts'
import { ArgumentField } from './argumentField.tsx'
import { type CopiedCall, castArguments } from './copyAs.ts'
import { CopyAsMenu } from './copyAsMenu.tsx'
import { type AddressBook, argumentsIn, emptyValue, type FieldValue } from './fieldValues.ts'
import { Results } from './getters.tsx'
import { Alert, Sent, Simulated } from './sentCall.tsx'
import { type Answer, call, canCommand, state } from './store.ts'

export interface FormScene {
  readonly address: `0x${string}`
  readonly book: AddressBook
  /** Id of the datalist with the names of the book. */
  readonly listId: string
  /** Accounts of the node, those that it signs for first. */
  readonly senders: readonly `0x${string}`[]
}

/** Most characters of the arguments: a request to the node has a limit of 64 KiB. */
const MOST_CHARACTERS = 60_000

/** Sender of all forms, as typed. Default: the first account */
const sender = signal<string | undefined>(undefined)

const VALUE: Parameter = { name: 'Value', type: 'uint256', components: [] }
const SENDER: Parameter = { name: 'From', type: 'address', components: [] }

interface Outcome {
  readonly problem?: string
  readonly read?: FunctionCall
  readonly simulated?: Answer<'simulate'>
  readonly sent?: `0x${string}` | undefined
}

interface FormProps {
  readonly scene: FormScene
  readonly called: ContractFunction
}

/** A form that reads, or that simulates and sends, with what came of it below. */
export function FunctionForm({ scene, called }: FormProps) {
  const { address, book, listId, senders } = scene
  const { signature, inputs, isRead, isPayable } = called
  const parameters = [...inputs, ...(isPayable ? [VALUE] : []), ...(isRead ? [] : [SENDER])]
  const [typed, setTyped] = useState<readonly FieldValue[]>(
    parameters.map((one) => (one === VALUE ? '0' : emptyValue(one))),
  )
  const [isChecked, check] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [{ problem, read, simulated, sent }, show] = useState<Outcome>({})
  const from = sender.value ?? book.options[0] ?? ''
  const values = isRead ? typed : typed.with(-1, from)
  const account = book.find(from)

  /** @throws {Error} if a field has a problem, which is shown then */
  function filledIn(): SendParams {
    check(true)
    const all = argumentsIn(parameters, values, book)
    if (all === undefined) throw new Error('Fill in the marked fields.')
    if (JSON.stringify(all).length > MOST_CHARACTERS) {
      throw new Error('These arguments are longer than 60,000 characters: send them by a script.')
    }
    const args = all.slice(0, inputs.length)
    const value = isPayable ? String(all[inputs.length]) : '0'
    return { address, function: signature, args, value, from: account ?? '0x' }
  }

  /** For other programs: the node encodes the arguments. */
  async function copied(): Promise<CopiedCall> {
    const { args, value = '0' } = filledIn()
    const encoded = await call('encode', { address, function: signature, args })
    return {
      ...(isRead ? {} : { from: account }),
      to: address,
      value: integerOf(value) ?? 0n,
      data: encoded.data,
      functionSignature: signature,
      args: encoded.arguments === null ? undefined : castArguments(encoded.arguments),
      isRead,
    }
  }

  async function run(work: (filled: SendParams) => Promise<Outcome>): Promise<void> {
    if (isBusy) return
    setBusy(true)
    try {
      show({ sent, ...(await work(filledIn())) })
    } catch (error) {
      show({ sent, problem: reasonOf(error) })
    }
    setBusy(false)
  }

  const submit = () =>
    run(async (filled) => {
      if (!isRead) return { simulated: await call('simulate', filled) }
      return { read: { function: signature, args: filled.args } }
    })
  const follows = state.value?.follows ?? null
  return (
    <form
      class="call-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {parameters.map((parameter, index) => (
        <ArgumentField
          key={index}
          parameter={parameter}
          value={values[index] ?? ''}
          book={book}
          listId={listId}
          isChecked={isChecked}
          onValue={(value) => {
            if (parameter === SENDER) sender.value = String(value)
            else setTyped(typed.with(index, value))
          }}
        />
      ))}
      {!isRead && account !== undefined && !senders.includes(account) && (
        <p class="note">
          This is no account of the node. It impersonates the address for this transaction alone:
          nobody signs it, and its fee is paid from the address.
        </p>
      )}
      {!isRead && follows !== null && (
        <p class="note">This node follows another one, to which transactions are sent.</p>
      )}
      <div class="inputs">
        <button type="submit" class="button small" disabled={isBusy}>
          {isRead ? 'Read' : 'Simulate'}
        </button>
        {!isRead && (
          <button
            type="button"
            class="button small primary"
            disabled={isBusy || !canCommand.value}
            onClick={() => run(async (filled) => ({ sent: (await call('send', filled)).hash }))}
          >
            Send
          </button>
        )}
        <CopyAsMenu call={copied} />
      </div>
      <Alert text={problem} />
      {read !== undefined && <Results address={address} calls={[read]} />}
      {simulated !== undefined && <Simulated answer={simulated} />}
      {sent !== undefined && <Sent key={sent} hash={sent} />}
    </form>
  )
}
