import { UNLIMITED, UNLIMITED_NOTE } from '../../primitives/amounts.ts'
import { withSeparators } from '../../primitives/longNumber.ts'
import { visibleLines } from '../../primitives/visible.ts'
import type { DecodedArgument, DecodedCall } from '../../rpc/naming/types.ts'
import { Untrusted } from '../kit/elements.tsx'

/** Text of a request exactly as it is, but for invisible characters, which are shown by a code. */
export function Lines({ text }: { readonly text: string }) {
  return <bdi>{visibleLines(text)}</bdi>
}

const NAMED = /(0x[0-9a-f]{40}(?: \([^()\n]{1,200}\))?)/i

/** Text with its addresses: names first, the digits in grey. */
export function Named({ text }: { readonly text: string }) {
  return (
    <bdi>
      {text.split(NAMED).map((part, index) => {
        const [, address, name] = /^(0x[0-9a-f]{40})(?: \((.+)\))?$/i.exec(part) ?? []
        if (address === undefined) return visibleLines(part)
        return (
          <span key={index}>
            {name !== undefined && (
              <>
                <strong>
                  <Lines text={name} />
                </strong>{' '}
              </>
            )}
            <span class="address">{address}</span>
          </span>
        )
      })}
    </bdi>
  )
}

/** A call, or a value of typed data, in its parts. */
export function Call({ call }: { readonly call: DecodedCall }) {
  const { contract, isProxied, isDelegated, function: signature, arguments: list } = call
  const name = signature === null ? `new ${contract}` : signature.replace(/\(.*$/s, '')
  const where = contract === null || signature === null ? '' : `${contract}.`
  return (
    <dd class="call">
      <strong>
        <Untrusted class="contract" text={where} />
        <Lines text={name} />
      </strong>
      {isProxied && <span class="note">{isDelegated ? 'by delegation' : 'behind a proxy'}</span>}
      {list === null && <p class="note">The data does not fit its parameters.</p>}
      {list !== null && list.length > 0 && <Arguments list={list} />}
    </dd>
  )
}

interface ArgumentsProps {
  readonly list: readonly DecodedArgument[]
  /** True if its type tells those of the elements. */
  readonly isArray?: boolean
  readonly omitted?: number | undefined
}

function Arguments({ list, isArray = false, omitted }: ArgumentsProps) {
  return (
    <ul class="arguments">
      {list.map(({ name, type, value, amount, omitted: more }, index) => (
        <li key={index}>
          <span class="parameter">
            <Untrusted text={name || `[${index}]`} />
            {!isArray && (
              <>
                {' '}
                <Untrusted within="span" class="type" text={shortType(type)} />
              </>
            )}
          </span>
          {typeof value === 'string' ? (
            <Value text={value} type={type} amount={amount} />
          ) : (
            <Arguments list={value} isArray={type.endsWith(']')} omitted={more} />
          )}
        </li>
      ))}
      {omitted !== undefined && <li class="note">{`… and ${omitted} more`}</li>}
    </ul>
  )
}

interface ValueProps {
  readonly text: string
  readonly type: string
  readonly amount: string | undefined
}

function Value({ text, type, amount }: ValueProps) {
  if (type === 'address') return <Named text={text} />
  if (!/^u?int/.test(type)) return <Lines text={text} />
  const isVast = text.endsWith(UNLIMITED_NOTE)
  const digits = isVast ? text.slice(0, -UNLIMITED_NOTE.length) : text
  const number = isVast ? UNLIMITED : withSeparators(text)
  return (
    <span title={digits}>
      <Lines text={amount ?? number} />
      {amount !== undefined && !isVast && <span class="note">{number}</span>}
    </span>
  )
}

/** A type without the components of its tuples, which are listed below it. */
function shortType(type: string): string {
  return type.replace(/^\(.*\)/s, 'tuple')
}
