import { useState } from 'preact/hooks'
import type { Bytes, CallText, Failure } from '../../dashboard/naming.ts'
import { UNLIMITED } from '../../primitives/amounts.ts'
import { readableNumber, withExponent, withSeparators } from '../../primitives/longNumber.ts'
import { visible } from '../../primitives/visible.ts'
import type { DecodedArgument } from '../../rpc/naming/types.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count } from '../kit/shownValue.ts'
import { Address, Copy } from './parts.tsx'

/** Decoded values, one a line; lists and tuples indented below theirs. */
export function Arguments({ list }: { readonly list: readonly DecodedArgument[] }) {
  return (
    <ul class="arguments">
      {list.map((argument, index) => (
        <Argument key={index} argument={argument} />
      ))}
    </ul>
  )
}

function Argument({ argument }: { readonly argument: DecodedArgument }) {
  const { name, type, value, amount, omitted, holds } = argument
  return (
    <li>
      <span class="parameter">
        {name !== '' && (
          <>
            <Untrusted text={name} />{' '}
          </>
        )}
        <Untrusted within="span" class="type" text={type} />
      </span>
      {holds !== undefined ? (
        <>
          <Untrusted within="strong" class="value" text={holds.name} />
          <Arguments list={holds.arguments} />
        </>
      ) : typeof value === 'string' ? (
        <span class="value">
          <Value type={type} text={value} />
          {amount !== undefined && (
            <strong>
              {' = '}
              <Untrusted text={amount} />
            </strong>
          )}
        </span>
      ) : (
        <Arguments list={value} />
      )}
      {omitted !== undefined && <span class="note">{`and ${count(omitted)} more`}</span>}
    </li>
  )
}

/** An elementary value: an address with its name, a number with separators. */
export function Value({ type, text }: { readonly type: string; readonly text: string }) {
  const isAddress = /^(?:address|contract )/.test(type)
  const address = isAddress ? /0x[0-9a-fA-F]{40}/.exec(text)?.[0] : undefined
  if (address !== undefined) return <Address address={address.toLowerCase()} whole={true} />
  if (/^u?int\d+$/.test(type)) return <Integer text={text} />
  const [, hex, rest] = /^(0x(?:[0-9a-f]{2})+)(.*)$/s.exec(text) ?? []
  if (type === 'bytes' && hex !== undefined) return <Folded hex={hex} rest={rest} />
  return <Untrusted within="code" text={text} />
}

/** All digits, with separators, and short if that is exact. */
function Integer({ text }: { readonly text: string }) {
  const short = readableNumber(text)
  const [digits = ''] = text.split(' ')
  if (short === UNLIMITED) return <code title={digits}>{short}</code>
  const exponent = withExponent(digits)
  return (
    <>
      <Untrusted within="code" title={visible(digits)} text={withSeparators(digits)} />
      {exponent !== undefined && <span class="note">{` = ${exponent}`}</span>}
    </>
  )
}

/** The arguments of a call, or its data if they are unknown. */
export function Call({ call, input }: { readonly call: CallText; readonly input: Bytes }) {
  const list = call.decoded?.arguments ?? null
  if (list !== null) return list.length > 0 ? <Arguments list={list} /> : null
  if (input.size === 0) return null
  return (
    <>
      <p class="note">
        {call.decoded === null
          ? 'No artifact of the project knows this call.'
          : 'The data does not fit its parameters.'}
      </p>
      <BytesText bytes={input} />
    </>
  )
}

/** Bytes that are shown of long ones at first. */
const FOLDED = 32

/** Bytes, of which the first are shown until more are asked for. */
function Folded({ hex, rest = '' }: { readonly hex: string; readonly rest?: string | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const size = (hex.length - 2) / 2
  const isFolded = !isOpen && size > 2 * FOLDED
  return (
    <>
      <code class="wrap">{isFolded ? `${hex.slice(0, 2 + 2 * FOLDED)}…` : hex}</code>{' '}
      <Copy text={hex} what="bytes" />
      {isFolded && (
        <button type="button" class="button small" onClick={() => setOpen(true)}>
          {`Show all ${count(size)}`}
        </button>
      )}
      {rest !== '' && <span class="note">{` ${rest}`}</span>}
    </>
  )
}

export function BytesText({ bytes: { shown, size } }: { readonly bytes: Bytes }) {
  const left = size - (shown.length - 2) / 2
  return (
    <p class="bytes">
      <Folded hex={shown} rest={left > 0 ? `and ${count(left)} more bytes` : ''} />
    </p>
  )
}

/** Beginning of every message about a revert. */
const REVERTED = /^execution reverted(?:: )?/

/** A failure in one line, without arguments. */
export function failureWords({ message, error, data }: Failure): string {
  if (error !== null) return error.replace(/\(.*$/s, '')
  if (isUnknownError({ message, data }))
    return `Unrecognized custom error ${data.shown.slice(0, 10)}`
  return message.replace(REVERTED, '') || 'Reverted without a reason'
}

/** True for a revert with a selector that nobody knows. */
function isUnknownError({ message, data }: Pick<Failure, 'message' | 'data'>): boolean {
  return message.replace(REVERTED, '') === '' && data.size >= 4 && data.size % 32 === 4
}

/** Reason why a call failed, with the arguments of a custom error. */
export function FailureText({ failure }: { readonly failure: Failure }) {
  const { message, error, arguments: list, data } = failure
  const rest = message.replace(REVERTED, '')
  const isUnknown = error === null && isUnknownError(failure)
  return (
    <div class="failed">
      <p>
        <Untrusted within="strong" text={failureWords(failure)} />
      </p>
      {error !== null && rest !== '' && <Untrusted within="p" class="note" text={rest} />}
      {list !== null && list.length > 0 && <Arguments list={list} />}
      {isUnknown && (
        <>
          <ol class="words">
            {(data.shown.slice(10).match(/.{64}/g) ?? []).map((word, index) => (
              <li key={index}>
                <code class="wrap">{`0x${word}`}</code>
              </li>
            ))}
          </ol>
          <p class="note">
            The artifacts of its contract name it: compile the project, and start the node in its
            folder.
          </p>
        </>
      )}
      {error === null && !isUnknown && data.size > 0 && <BytesText bytes={data} />}
    </div>
  )
}
