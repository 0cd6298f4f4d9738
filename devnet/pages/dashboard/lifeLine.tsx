import type { TransactionDetails } from '../../dashboard/methods/transaction.ts'
import { dateTime, duration, timeOfDay } from '../kit/shownValue.ts'
import { gapWords } from './gapWords.ts'
import { Mark } from './parts.tsx'
import { links } from './router.ts'

/** Accepted, then taken by a tick, then sealed. */
export function LifeLine({ transaction }: { readonly transaction: TransactionDetails }) {
  const { state, place, times, waiting, outcome } = transaction
  const { accepted, preconfirmed, sealed } = times
  const reverted = outcome?.success === false
  const isSealed = state === 'sealed' && place !== null
  return (
    <ol class="life">
      <li class="done">
        <Mark state="queued" />
        <span>
          <strong>Accepted</strong>
          <small>
            <Moment at={accepted} />
            {waiting !== null && `, ${reasonOf(waiting)}`}
          </small>
        </span>
      </li>
      <li class={place === null ? '' : 'done'}>
        <Mark state="preconfirmed" reverted={reverted && state === 'preconfirmed'} />
        <span>
          <strong>
            {place === null ? 'Not executed yet' : `Tick ${place.tick} of #${place.block}`}
          </strong>
          {place !== null && (
            <small>
              pre-confirmed <Moment at={preconfirmed} since={accepted} />
              {`, place ${place.index}`}
            </small>
          )}
        </span>
      </li>
      <li class={isSealed ? 'done' : ''}>
        <Mark state="sealed" reverted={reverted && isSealed} />
        <span>
          <strong>
            {isSealed ? (
              <a href={links.block(place.block)}>{`Sealed in #${place.block}`}</a>
            ) : (
              'Not sealed yet'
            )}
          </strong>
          {isSealed && (
            <small>
              <Moment at={sealed} since={accepted} />
              {isOff(place.timestamp, sealed) && `, dated ${dateTime(place.timestamp * 1_000)}`}
            </small>
          )}
        </span>
      </li>
    </ol>
  )
}

interface MomentProps {
  /** ms since the epoch; `null` if unknown. */
  readonly at: number | null
  /** The moment from which the time is counted. Default: the time of day is shown */
  readonly since?: number | null
}

function Moment({ at, since = null }: MomentProps) {
  if (at === null) return <span title="Not known: this process did not see it">—</span>
  const words = new Date(at).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'full' })
  return (
    <time dateTime={new Date(at).toISOString()} title={`${clockTime(at)}: ${words}`}>
      {since === null ? clockTime(at) : `+${duration(Math.max(0, at - since))}`}
    </time>
  )
}

/** Time of day with ms, e.g. `22:38:58.412`. */
function clockTime(ms: number): string {
  return `${timeOfDay(ms)}.${String(ms % 1_000).padStart(3, '0')}`
}

/** True if a block bears another time than that at which it was sealed. */
function isOff(timestamp: number, sealed: number | null): boolean {
  return sealed === null || Math.abs(timestamp * 1_000 - sealed) > FAR
}

/** ms: a timestamp has whole seconds, and a block bears that of its opening. */
const FAR = 5_000

function reasonOf({ runnable, missing }: NonNullable<TransactionDetails['waiting']>): string {
  if (runnable) return 'waits for the next tick'
  return missing === null ? 'waits' : `waits: ${gapWords([missing])}`
}
