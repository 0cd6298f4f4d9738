import { count } from '../kit/shownValue.ts'
import { ClockLine } from './clockLine.tsx'
import { links } from './router.ts'
import { status } from './store.ts'

/** At most this many are drawn as dots. */
const MAX_DOTS = 60

/** Waiting transactions, and the times of the next tick and the next seal. */
export function Pool() {
  const current = status.value
  if (current === undefined) return <div class="pool" />
  const { runnable, waiting } = current.mempool
  const total = runnable + waiting
  return (
    <div class="pool">
      <a href={links.view('mempool')} class="dots">
        {total > 0 && total <= MAX_DOTS && (
          <svg width="92" height={8 * Math.ceil(total / 12)} aria-hidden="true">
            {Array.from({ length: total }, (_, index) => (
              <circle
                key={index < runnable ? `r${index}` : `w${index}`}
                class={index < runnable ? 'runnable' : 'behind'}
                cx={4 + 8 * (index % 12)}
                cy={4 + 8 * Math.floor(index / 12)}
                r={index < runnable ? 3 : 2.4}
              />
            ))}
          </svg>
        )}
        <span>
          {total === 0
            ? 'Nothing waits'
            : [
                ...(runnable > 0 ? [`${count(runnable)} runnable`] : []),
                ...(waiting > 0 ? [`${count(waiting)} behind a gap`] : []),
              ].join(', ')}
        </span>
      </a>
      {/* The control panel has them, where it is in view. */}
      <div class="beats">
        <ClockLine name="tick" />
        <ClockLine name="seal" />
      </div>
    </div>
  )
}
