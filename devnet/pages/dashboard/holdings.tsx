import type { Holding } from '../../dashboard/methods/holdings.ts'
import type { ExecutedRow, WaitingRow } from '../../dashboard/rows.ts'
import { Untrusted } from '../kit/elements.tsx'
import { plural } from '../kit/shownValue.ts'
import { Address, BeforeAfter, Panel } from './parts.tsx'
import { useAnswer } from './useAnswer.ts'

/** Tokens of an account, sealed beside pending. */
export function Holdings({ address }: { readonly address: `0x${string}` }) {
  const { answer } = useAnswer('holdings', { address }, 'always', ({ isPartial }) => isPartial)
  if (answer === undefined || answer.holdings.length === 0) return null
  return (
    <Panel title="Tokens" more={<span class="note">that it received on this chain</span>}>
      <table>
        <thead>
          <tr>
            <th>Token</th>
            <th class="number">Sealed</th>
            <th class="number">Pending</th>
          </tr>
        </thead>
        <tbody>
          {answer.holdings.map((holding) => (
            <HoldingRow key={`${holding.token} ${holding.id}`} holding={holding} />
          ))}
        </tbody>
      </table>
      {answer.omitted > 0 && (
        <p class="pad note">{`${plural(answer.omitted, 'further token')} not asked`}</p>
      )}
    </Panel>
  )
}

function HoldingRow({ holding }: { readonly holding: Holding }) {
  const { token, id, unit, sealed, pending } = holding
  const { decimals, symbol } = unit
  const both = {
    before: BigInt(sealed),
    after: BigInt(pending),
    decimals: decimals ?? 0,
    symbol: symbol ?? (decimals === null && id === null ? 'units' : ''),
  }
  return (
    <tr>
      <td>
        <Address address={token} /> {id !== null && <Untrusted text={`#${id}`} />}
      </td>
      <td class="number">
        <BeforeAfter {...both} shown="before" />
      </td>
      <td class="number">
        <span class={sealed === pending ? 'note' : 'differs'}>
          <BeforeAfter {...both} shown="after" />
        </span>
      </td>
    </tr>
  )
}

interface DirectionProps {
  readonly row: ExecutedRow | WaitingRow
  readonly of: string
}

/** Says if an account sent a transaction, received it, or took part inside of it. */
export function Direction({ row: { from, to }, of }: DirectionProps) {
  const words = from === of ? (to === of ? 'to itself' : 'out') : to === of ? 'in' : 'inside'
  return <span class="badge">{words}</span>
}
