import type { Transfers } from '../../dashboard/tokens/transfers.ts'
import type { TokenUnit } from '../../primitives/amounts.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, exactAmount, plural, tokenAmount } from '../kit/shownValue.ts'
import { Address, Ether, Panel } from './parts.tsx'

/** Ether and tokens that a transaction moved. */
export function TransferList({ of }: { readonly of: Transfers }) {
  const { moves, omittedMoves, units } = of
  if (moves.length === 0) return null
  return (
    <Panel title="Transfers" more={<span class="note">{count(moves.length + omittedMoves)}</span>}>
      <ul class="plain">
        {moves.map((move, index) => (
          <li key={index}>
            <TokenAmount of={move} unit={unitOf(move.token, units)} />
            <span class="note">from</span> <Address address={move.from} />
            <span class="note">to</span> <Address address={move.to} />
          </li>
        ))}
      </ul>
      {omittedMoves > 0 && <p class="pad note">{`and ${plural(omittedMoves, 'transfer')} more`}</p>}
    </Panel>
  )
}

export function unitOf(token: string | null, units: Transfers['units']): TokenUnit | undefined {
  return token === null ? undefined : (units as Readonly<Record<string, TokenUnit>>)[token]
}

interface TokenAmountProps {
  readonly of: Transfers['moves'][number] | Transfers['held'][number]
  /** Absent for a token that was not asked. */
  readonly unit: TokenUnit | undefined
  /** Stands before the amount; a sign in the amount is left out. */
  readonly sign?: string
}

/** An amount of ether or of a token, which leads to the token. */
export function TokenAmount({ of, unit, sign = '' }: TokenAmountProps) {
  const { token, id, isCollectible } = of
  const [digits, more] = [of.amount.replace('-', ''), unit ?? { decimals: null, symbol: null }]
  const amount = BigInt(digits)
  if (token === null) return <Ether wei={amount} />
  const name = more.symbol ?? undefined
  if (id !== null) {
    return (
      <span>
        {`${sign}${isCollectible ? '' : `${count(amount)} × `}`}
        <Untrusted text={`#${id}`} /> <span class="note">of</span>{' '}
        <Address address={token} {...(name === undefined ? {} : { name })} />
      </span>
    )
  }
  const isKnown = more.decimals !== null && name !== undefined
  const title = isKnown ? `${exactAmount(amount, more.decimals ?? 0)} ${name}` : digits
  return (
    <span>
      {sign}
      <span title={title}>
        <Untrusted
          text={isKnown ? tokenAmount(amount, more).replace(/ .*$/s, '') : count(amount)}
        />
      </span>{' '}
      {!isKnown && <span class="note">units of </span>}
      <Address address={token} {...(name === undefined ? {} : { name })} />
    </span>
  )
}
