import type { ExecutedRow, WaitingRow } from '../../dashboard/rows.ts'
import { short, visible } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import { nameOf } from './store.ts'

/** The callee, or else who gets something; the tooltip has what lists cut. */
export function CallWords({ row }: { readonly row: ExecutedRow | WaitingRow }) {
  if (row.call !== null) {
    return <Untrusted within="span" class="call" title={visible(row.call)} text={row.call} />
  }
  if (row.to === null) return <span class="call">new contract</span>
  const name = nameOf(row.to)
  return (
    <span class="call note">
      {BigInt(row.value) > 0n ? 'Transfer to ' : row.hasData ? 'Call of ' : 'Transfer of 0 to '}
      {name === undefined ? <code>{short(row.to)}</code> : <Untrusted text={name} />}
    </span>
  )
}
