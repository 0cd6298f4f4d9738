import { useState } from 'preact/hooks'
import type { GasRow } from '../../dashboard/gasByFunction.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, percent, plural } from '../kit/shownValue.ts'
import { Address, Empty } from './parts.tsx'
import { useAnswer } from './useAnswer.ts'

const COLUMNS: Readonly<Record<string, (row: GasRow) => number>> = {
  Calls: ({ calls }) => calls,
  Gas: ({ gasUsed }) => gasUsed,
  Average: ({ gasUsed, calls }) => Math.round(gasUsed / calls),
  Least: ({ least }) => least,
  Most: ({ most }) => most,
  Reverted: ({ reverted, calls }) => reverted / calls,
}

/** Gas of all transactions of the chain by the function that they called. */
export function GasView() {
  const { answer, error } = useAnswer('gas', {}, 'second', ({ left }) => left > 0)
  const [by, sortBy] = useState('Gas')
  const [isRising, setRising] = useState(false)
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { counted, left, omitted } = answer
  const of = COLUMNS[by] ?? (() => 0)
  const rows = answer.rows.toSorted((one, other) => (of(one) - of(other)) * (isRising ? 1 : -1))
  const toGo = left > 0 ? ` counted, ${count(left)} to go` : ''
  const more = omitted > 0 ? `, without ${plural(omitted, 'function')} of less gas` : ''
  return (
    <>
      <div class="title">
        <h1>Gas by function</h1>
        <span class="note">{`${plural(counted, 'transaction')}${toGo}${more}`}</span>
      </div>
      <div class="panel">
        <table>
          <thead>
            <tr>
              <th>Function</th>
              {Object.keys(COLUMNS).map((title) => (
                <th
                  key={title}
                  class={/st$|^A/.test(title) ? 'number wide' : 'number'}
                  aria-sort={by !== title ? undefined : isRising ? 'ascending' : 'descending'}
                >
                  <button
                    type="button"
                    class="sort"
                    onClick={() => {
                      setRising(by === title && !isRising)
                      sortBy(title)
                    }}
                  >
                    {by === title ? `${title} ${isRising ? '↑' : '↓'}` : title}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.label}${row.to}`}>
                <td>
                  <Untrusted text={row.label} />{' '}
                  <small>{row.to !== null && <Address address={row.to} />}</small>
                </td>
                {Object.entries(COLUMNS).map(([title, value]) => (
                  <td key={title} class={/st$|^A/.test(title) ? 'number wide' : 'number'}>
                    {title === 'Reverted' ? percent(row.reverted, row.calls) : count(value(row))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <Empty>None is executed yet.</Empty>}
      </div>
    </>
  )
}
