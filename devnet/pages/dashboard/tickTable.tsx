import type { StripTick } from '../../dashboard/groups.ts'
import { count } from '../kit/shownValue.ts'
import { Gauge } from './parts.tsx'

interface TickTableProps {
  readonly ticks: readonly StripTick[]
  /** Gas of the largest tick of the block. */
  readonly largest: number
}

/** Ticks of one block, in the given order. */
export function TickTable({ ticks, largest }: TickTableProps) {
  return (
    <table class="compact">
      <thead>
        <tr>
          <th>Tick</th>
          <th class="number">Txs</th>
          <th class="number">Reverted</th>
          <th class="number">Gas</th>
          <th class="number wide">Took</th>
        </tr>
      </thead>
      <tbody>
        {ticks.map(({ tick, transactions, reverted, gasUsed, seen }, place) => (
          // By place, so that no row moves when an older one leaves.
          <tr key={place}>
            <td>{tick}</td>
            <td class="number">{count(transactions)}</td>
            <td class={reverted > 0 ? 'number less' : 'number note'}>{count(reverted)}</td>
            <td class="number">
              {count(gasUsed)} <Gauge used={gasUsed} limit={largest} />
            </td>
            <td class="number note wide">
              {seen === null ? (
                <span title="Known only of the last 1,000 ticks of this process">—</span>
              ) : (
                `${seen.elapsed.toFixed(1)} ms`
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function largestOf(ticks: readonly StripTick[]): number {
  return Math.max(1, ...ticks.map(({ gasUsed }) => gasUsed))
}
