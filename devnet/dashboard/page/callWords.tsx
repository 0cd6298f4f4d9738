import { short, visible } from '../../primitives/visible.ts'
import type { ExecutedRow, WaitingRow } from '../api.ts'
import { Untrusted } from './parts.tsx'
import { nameOf } from './store.ts'

/** What is called, or else who gets something. */
export function CallWords({ row }: { readonly row: ExecutedRow | WaitingRow }) {
  if (row.call !== null) {
    return (
      <span title={visible(row.call)}>
        <Untrusted text={row.call} />
      </span>
    )
  }
  if (row.to === null) return <span>new contract</span>
  const name = nameOf(row.to)
  return (
    <span class="note">
      {BigInt(row.value) > 0n ? 'Transfer to ' : 'Call of '}
      {name === undefined ? <code>{short(row.to)}</code> : <Untrusted text={name} />}
    </span>
  )
}
