import type { Transfers } from '../../dashboard/tokens/transfers.ts'
import { visible } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { Value } from './decoded.tsx'
import { Address, BeforeAfter, Ether, Panel } from './parts.tsx'
import type { Answer } from './store.ts'
import { TokenAmount, TransferList, unitOf } from './transfers.tsx'

/** Changes of a transaction: balances, then nonces, code and storage. */
export function StateChanges({ trace }: { readonly trace: Answer<'trace'> }) {
  const { changes, omittedChanges, transfers } = trace
  const balances = changes.filter(({ balance }) => balance !== null)
  const storages = changes.filter(
    ({ variables, storage, nonce, code }) =>
      variables.length + storage.length > 0 || nonce !== null || code !== null,
  )
  const more = omittedChanges > 0 && (
    <p class="pad note">{`and ${plural(omittedChanges, 'account')} more`}</p>
  )
  return (
    <>
      <TransferList of={transfers} />
      {balances.length + transfers.held.length > 0 && (
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
                {transfers.held.map((change) => (
                  <TokenRow
                    key={`${change.holder} ${change.token} ${change.id}`}
                    change={change}
                    units={transfers.units}
                  />
                ))}
              </tbody>
            </table>
          </div>
          {more}
          {transfers.omittedHeld > 0 && (
            <p class="pad note">{`and ${plural(transfers.omittedHeld, 'token balance')} more`}</p>
          )}
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

function BalanceRow({
  change: { address, balance },
}: {
  readonly change: Answer<'trace'>['changes'][number]
}) {
  const [before, after] = [BigInt(balance?.before ?? 0), BigInt(balance?.after ?? 0)]
  const isMore = after >= before
  return (
    <tr>
      <td>
        <Address address={address} />
      </td>
      <td class="number wide">
        <BeforeAfter before={before} after={after} shown="before" />
      </td>
      <td class="number wide">
        <BeforeAfter before={before} after={after} shown="after" />
      </td>
      <td class={isMore ? 'number changed' : 'number less'}>
        {isMore ? '+' : '−'}
        <Ether wei={isMore ? after - before : before - after} />
      </td>
    </tr>
  )
}

interface TokenRowProps {
  readonly change: Transfers['held'][number]
  readonly units: Transfers['units']
}

/** A change of a token's balance, of which its events tell the difference alone. */
function TokenRow({ change, units }: TokenRowProps) {
  const isLess = change.amount.startsWith('-')
  return (
    <tr>
      <td>
        <Address address={change.holder} />
      </td>
      <td class="number wide" />
      <td class="number wide note">as its events tell</td>
      <td class={isLess ? 'number less' : 'number changed'}>
        <TokenAmount of={change} unit={unitOf(change.token, units)} sign={isLess ? '−' : '+'} />
      </td>
    </tr>
  )
}

function StorageOf({ change }: { readonly change: Answer<'trace'>['changes'][number] }) {
  const { address, nonce, code, delegate, variables, storage, omittedSlots, lacksLayout } = change
  return (
    <li>
      <p>
        <Address address={address} />
        {nonce !== null && <span class="note">{` nonce ${nonce.before} → ${nonce.after}`}</span>}
        {delegate !== null && (
          <>
            <span class="note"> now delegates to </span>
            <Address address={delegate} />
          </>
        )}
        {code !== null && delegate === null && (
          <span class="note">{` code ${count(code.before)} → ${count(code.after)} bytes`}</span>
        )}
      </p>
      {variables.map(({ name, exact, type, slot, before, after }) => (
        <p key={exact} class="variable" title={`${visible(type)}, slot ${slot}`}>
          <Untrusted within="span" class="parameter" title={visible(exact)} text={name} />
          <Value type={type} text={before} /> <span class="note">→</span>
          <Value type={type} text={after} />
        </p>
      ))}
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
      {lacksLayout && (
        <p class="note">
          Compile again with the plugin, or with storageLayout in the outputSelection of solc, to
          see the names of these variables.
        </p>
      )}
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
