import type { TransactionDetails } from '../../dashboard/apiTypes/transactionTypes.ts'
import { dateTime } from '../kit/shownValue.ts'
import { Mark } from './parts.tsx'
import { links } from './router.ts'

/** Accepted, then taken by a tick, then sealed. */
export function LifeLine({ transaction }: { readonly transaction: TransactionDetails }) {
  const { state, place, waiting, outcome } = transaction
  const reverted = outcome?.success === false
  return (
    <ol class="life">
      <li class="done">
        <Mark state="queued" />
        <span>
          <strong>Accepted</strong>
          {waiting !== null && <small>{waitingWords(waiting)}</small>}
        </span>
      </li>
      <li class={place === null ? '' : 'done'}>
        <Mark state="preconfirmed" reverted={reverted && state === 'preconfirmed'} />
        <span>
          <strong>
            {place === null ? 'Not executed yet' : `Tick ${place.tick} of #${place.block}`}
          </strong>
          {place !== null && <small>{`pre-confirmed, place ${place.index}`}</small>}
        </span>
      </li>
      <li class={state === 'sealed' ? 'done' : ''}>
        <Mark state="sealed" reverted={reverted && state === 'sealed'} />
        <span>
          <strong>
            {state === 'sealed' && place !== null ? (
              <a href={links.block(place.block)}>{`Sealed in #${place.block}`}</a>
            ) : (
              'Not sealed yet'
            )}
          </strong>
          {state === 'sealed' && place !== null && (
            <small>{dateTime(place.timestamp * 1_000)}</small>
          )}
        </span>
      </li>
    </ol>
  )
}

function waitingWords({ runnable, missing }: NonNullable<TransactionDetails['waiting']>): string {
  if (runnable) return 'waits for the next tick'
  if (missing === null) return 'waits'
  const { from, to } = missing
  return from === to
    ? `waits: nonce ${from} is missing`
    : `waits: nonces ${from} to ${to} are missing`
}
