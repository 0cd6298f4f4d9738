import type { ExecutedRow } from '../../dashboard/rows.ts'
import { count } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { Direction } from './holdings.tsx'
import { Address, Ether, StateGlyph, TxHash } from './parts.tsx'
import { links } from './router.ts'

interface ExecutedTableProps {
  readonly rows: readonly ExecutedRow[]
  /** True if all are of the block that the page shows. */
  readonly isOfOneBlock?: boolean
  /** The account whose transactions they are. */
  readonly of?: string
}

/** Executed transactions, in the given order. */
export function ExecutedTable({ rows, isOfOneBlock = false, of }: ExecutedTableProps) {
  return (
    <table class={isOfOneBlock ? 'executed of-one' : 'executed'}>
      <thead>
        <tr>
          <th>
            <span class="unseen">State</span>
          </th>
          <th>Hash</th>
          <th class="wide">{isOfOneBlock ? 'Tick' : 'Block · tick'}</th>
          <th class="wide">From</th>
          <th>Call</th>
          <th class="number">Value</th>
          <th class="number gas">Gas</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.hash} data-row={row.hash} data-href={links.tx(row.hash)} tabIndex={-1}>
            <td>
              <StateGlyph state={row.state} reverted={row.reverted} />
            </td>
            <td>
              <TxHash hash={row.hash} />
            </td>
            <td class="wide">
              {isOfOneBlock ? (
                row.tick
              ) : (
                <a href={links.block(row.state === 'sealed' ? row.block : 'pending')}>
                  {`#${row.block} · ${row.tick}`}
                </a>
              )}
            </td>
            <td class="wide">
              <Address address={row.from} />
            </td>
            <td class={row.reverted ? 'clip less' : 'clip'}>
              <div class="directed">
                {of !== undefined && <Direction row={row} of={of} />}
                <a href={links.tx(row.hash)}>
                  <CallWords row={row} />
                </a>
              </div>
            </td>
            <td class="number">
              {row.value === '0' ? (
                <span class="note">0</span>
              ) : (
                <Ether wei={BigInt(row.value)} isListed={true} />
              )}
            </td>
            <td class="number gas">{count(row.gasUsed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
