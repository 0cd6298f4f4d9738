import { useId, useState } from 'preact/hooks'
import type { Parameter } from '../../dashboard/contractRows.ts'
import { Untrusted } from '../kit/elements.tsx'
import {
  type AddressBook,
  emptyValue,
  type FieldValue,
  MOST_ELEMENTS,
  meaningOf,
  partsOf,
  readingOf,
} from './fieldValues.ts'

interface FieldProps<Value = FieldValue> {
  readonly parameter: Parameter
  readonly value: Value
  readonly book: AddressBook
  /** Id of the datalist with the names of the book. */
  readonly listId: string
  /** True if problems are shown, also of fields that nobody has left yet. */
  readonly isChecked: boolean
  readonly onValue: (value: FieldValue) => void
}

/** The field of a parameter; those of arrays and tuples have fields for what is in them. */
export function ArgumentField(props: FieldProps) {
  const { parameter, value, onValue } = props
  if (typeof value === 'string') return <OneField {...props} value={value} />
  const parts = partsOf(parameter, value.length) ?? []
  const isOpen = parameter.type.endsWith('[]')
  const [next] = partsOf(parameter, 1) ?? []
  return (
    <fieldset class="nested">
      <legend>
        <ParameterName parameter={parameter} />
      </legend>
      {parts.map((part, index) => (
        <div class="element" key={index}>
          <ArgumentField
            {...props}
            parameter={part}
            value={value[index] ?? ''}
            onValue={(one) => onValue(value.with(index, one))}
          />
          {isOpen && (
            <button
              type="button"
              class="button small"
              aria-label={`Remove ${part.name}`}
              onClick={() => onValue(value.toSpliced(index, 1))}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      {isOpen && next !== undefined && value.length < MOST_ELEMENTS && (
        <button
          type="button"
          class="button small"
          onClick={() => onValue([...value, emptyValue(next)])}
        >
          {`Add [${value.length}]`}
        </button>
      )}
    </fieldset>
  )
}

function ParameterName({ parameter: { name, type } }: Pick<FieldProps, 'parameter'>) {
  return (
    <span class="parameter">
      <Untrusted text={name} /> <Untrusted within="span" class="type" text={type} />
    </span>
  )
}

function OneField(props: FieldProps<string>) {
  const { parameter, value, book, listId, isChecked, onValue } = props
  const [isLeft, leave] = useState(false)
  const id = useId()
  const meaning = meaningOf(parameter, value, book)
  const isShown = isChecked || (isLeft && value !== '')
  const problem = isShown && 'problem' in meaning ? meaning.problem : undefined
  const field = { id, class: 'field mono', value, 'aria-describedby': `${id}-words` }
  return (
    <div class="argument">
      <label for={id}>
        <ParameterName parameter={parameter} />
      </label>
      {parameter.type === 'bool' ? (
        <select {...field} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          <option>false</option>
          <option>true</option>
        </select>
      ) : (
        <input
          {...field}
          list={parameter.type === 'address' ? listId : undefined}
          aria-invalid={problem !== undefined}
          autoComplete="off"
          spellcheck={false}
          onBlur={() => leave(true)}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
      <small id={`${id}-words`} class={problem === undefined ? 'note' : 'problem'}>
        <Untrusted text={problem ?? readingOf(parameter, value, book)} />
      </small>
    </div>
  )
}
