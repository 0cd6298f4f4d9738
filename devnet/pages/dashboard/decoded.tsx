import type { Bytes, CallText, Failure } from '../../dashboard/apiTypes/callTypes.ts'
import { withExponent, withSeparators } from '../../primitives/longNumber.ts'
import { visible } from '../../primitives/visible.ts'
import type { DecodedArgument, DecodedCall } from '../../rpc/naming/types.ts'
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
  const { name, type, value, omitted } = argument
  return (
    <li>
      <span class="parameter">
        {name !== '' && (
          <>
            <Untrusted text={name} />{' '}
          </>
        )}
        <span class="type">
          <Untrusted text={type} />
        </span>
      </span>
      {typeof value === 'string' ? (
        <span class="value">
          <Value type={type} text={value} />
        </span>
      ) : (
        <Arguments list={value} />
      )}
      {omitted !== undefined && <span class="note">{`and ${count(omitted)} more`}</span>}
    </li>
  )
}

function Value({ type, text }: { readonly type: string; readonly text: string }) {
  const address = type === 'address' ? /0x[0-9a-fA-F]{40}/.exec(text)?.[0] : undefined
  if (address !== undefined) return <Address address={address.toLowerCase()} whole={true} />
  if (/^u?int\d+$/.test(type)) return <Integer text={text} />
  return (
    <code>
      <Untrusted text={text} />
    </code>
  )
}

/** All digits, with separators, and short if that is exact. */
function Integer({ text }: { readonly text: string }) {
  // After the number there may be a word.
  const [digits = '', ...words] = text.split(' ')
  const exponent = withExponent(digits)
  return (
    <>
      <code title={visible(digits)}>
        <Untrusted text={withSeparators(digits)} />
      </code>
      {words.length > 0 && (
        <code>
          {' '}
          <Untrusted text={words.join(' ')} />
        </code>
      )}
      {exponent !== undefined && <span class="note">{` = ${exponent}`}</span>}
    </>
  )
}

export function Call({ call, input }: { readonly call: CallText; readonly input: Bytes }) {
  const { decoded } = call
  if (decoded === null) {
    return (
      <div class="pad">
        <p class="note">
          {input.size === 0 ? 'No data.' : 'No artifact of the project knows this call.'}
        </p>
        {input.size > 0 && <BytesText bytes={input} />}
      </div>
    )
  }
  return (
    <div class="pad">
      <p class="called">
        <CallName call={decoded} />
        {decoded.isProxied && <span class="note"> behind a proxy</span>}
      </p>
      {decoded.arguments === null ? (
        <>
          <p class="note">The data does not fit its parameters.</p>
          <BytesText bytes={input} />
        </>
      ) : (
        decoded.arguments.length > 0 && <Arguments list={decoded.arguments} />
      )}
    </div>
  )
}

export function CallName({ call }: { readonly call: DecodedCall }) {
  const { contract, function: signature } = call
  if (signature === null) {
    return (
      <>
        new{' '}
        <strong>
          <Untrusted text={contract ?? ''} />
        </strong>
      </>
    )
  }
  return (
    <>
      {contract !== null && (
        <span class="note">
          <Untrusted text={contract} />.
        </span>
      )}
      <strong>
        <Untrusted text={signature.replace(/\(.*$/s, '')} />
      </strong>
    </>
  )
}

export function BytesText({ bytes }: { readonly bytes: Bytes }) {
  const shownSize = (bytes.shown.length - 2) / 2
  return (
    <p class="bytes">
      <code class="wrap">{bytes.shown}</code> <Copy text={bytes.shown} what="bytes" />
      {bytes.size > shownSize && (
        <span class="note">{` and ${count(bytes.size - shownSize)} more bytes`}</span>
      )}
    </p>
  )
}

/** Beginning of every message about a revert. */
const REVERTED = /^execution reverted(?:: )?/

/** Reason why a call failed, with the arguments of a custom error. */
export function FailureText({ failure }: { readonly failure: Failure }) {
  const { message, error, arguments: list, data } = failure
  const rest = message.replace(REVERTED, '')
  // The arguments stand below, each with its name.
  const words = error === null ? rest || 'Reverted without a reason' : nameIn(error, list)
  return (
    <div class="failed">
      <p>
        <strong>
          <Untrusted text={words} />
        </strong>
      </p>
      {error !== null && rest !== '' && (
        <p class="note">
          <Untrusted text={rest} />
        </p>
      )}
      {list !== null && list.length > 0 && <Arguments list={list} />}
      {error === null && data.size > 0 && <BytesText bytes={data} />}
    </div>
  )
}

function nameIn(error: string, list: Failure['arguments']): string {
  return list === null ? error : error.replace(/\(.*$/s, '')
}
