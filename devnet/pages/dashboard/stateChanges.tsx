import type { AccountChange, TraceAnswer } from '../../dashboard/apiTypes/callTypes.ts'
import { count, plural } from '../kit/shownValue.ts'
import { Address, Ether, Panel } from './parts.tsx'

/** Changes of a transaction: balances, then nonces, code and storage. */
export function StateChanges({ trace }: { readonly trace: TraceAnswer }) {
  const { changes, omittedChanges } = trace
  const balances = changes.filter(({ balance }) => balance !== null)
  const storages = changes.filter(
    ({ storage, nonce, code }) => storage.length > 0 || nonce !== null || code !== null,
  )
  const more = omittedChanges > 0 && (
    <p class="pad note">{`and ${plural(omittedChanges, 'account')} more`}</p>
  )
  return (
    <>
      {balances.length > 0 && (
        <Panel title="Balance changes">
          <div class="scroll-x">
            <table>
              <thead>
                <tr>
                  <th>Account</th>
                  <th class="number wide">Before</th>
                  <th class="number wide">After</th>
                  <th class="number">Difference</th>
                </tr>
              </thead>
              <tbody>
                {balances.map((change) => (
                  <BalanceRow key={change.address} change={change} />
                ))}
              </tbody>
            </table>
          </div>
          {more}
        </Panel>
      )}
      {storages.length > 0 && (
        <Panel title="State changes">
          <ul class="storages">
            {storages.map((change) => (
              <StorageOf key={change.address} change={change} />
            ))}
          </ul>
          {more}
        </Panel>
      )}
    </>
  )
}

function BalanceRow({ change: { address, balance } }: { readonly change: AccountChange }) {
  const [before, after] = [BigInt(balance?.before ?? 0), BigInt(balance?.after ?? 0)]
  const isMore = after >= before
  return (
    <tr>
      <td>
        <Address address={address} />
      </td>
      <td class="number wide">
        <Ether wei={before} />
      </td>
      <td class="number wide">
        <Ether wei={after} />
      </td>
      <td class={isMore ? 'number changed' : 'number less'}>
        {isMore ? '+' : '−'}
        <Ether wei={isMore ? after - before : before - after} />
      </td>
    </tr>
  )
}

function StorageOf({ change }: { readonly change: AccountChange }) {
  const { address, nonce, code, storage, omittedSlots } = change
  return (
    <li>
      <p>
        <Address address={address} />
        {nonce !== null && <span class="note">{` nonce ${nonce.before} → ${nonce.after}`}</span>}
        {code !== null && (
          <span class="note">{` code ${count(code.before)} → ${count(code.after)} bytes`}</span>
        )}
      </p>
      {storage.map(({ slot, before, after }) => (
        <dl key={slot} class="slot">
          <dt>slot</dt>
          <dd>
            <code>{word(slot)}</code>
          </dd>
          <dt>before</dt>
          <dd>
            <code>{word(before)}</code>
          </dd>
          <dt>after</dt>
          <dd>
            <code>{word(after)}</code>
          </dd>
        </dl>
      ))}
      {omittedSlots > 0 && <p class="note">{`and ${plural(omittedSlots, 'slot')} more`}</p>}
    </li>
  )
}

/** A word of storage without leading zeros, with its number if that is a small one. */
function word(hex: string): string {
  const digits = hex.slice(2).replace(/^0+/, '')
  if (digits === '') return '0'
  const isSmall = digits.length <= 16
  return isSmall && digits.length > 1 ? `0x${digits} (${count(BigInt(hex))})` : `0x${digits}`
}
