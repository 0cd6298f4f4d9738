import { useEffect, useRef } from 'preact/hooks'
import { duration } from '../kit/shownValue.ts'
import { chainTime, status } from './store.ts'

/** A clock in words, with a bar that runs down to its next beat. */
export function ClockLine({ name }: { readonly name: 'tick' | 'seal' }) {
  const bar = useRef<HTMLSpanElement>(null)
  const current = status.value
  const clock = name === 'tick' ? current?.ticks : current?.sealing
  const next = clock?.next ?? null
  const isRunning = clock?.running === true && current?.instant !== true && next !== null
  const left = current === undefined || next === null ? 0 : Math.max(0, next - current.time)
  // A bar that ran down several times a second would blink.
  const isShown = isRunning && (clock?.interval ?? 0) >= SHORTEST_BAR

  useEffect(() => {
    if (!isShown || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const whole = clock?.interval ?? 1
    const running = bar.current?.animate(
      [{ transform: `scaleX(${Math.min(1, left / whole)})` }, { transform: 'scaleX(0)' }],
      { duration: left, fill: 'forwards' },
    )
    return () => running?.cancel()
  }, [isShown, next])

  const interval = clock === undefined ? '' : duration(clock.interval)
  const words = isRunning
    ? `every ${interval}`
    : current?.instant === true
      ? 'with each transaction'
      : 'frozen'
  return (
    <div class={isRunning ? 'clock' : 'clock still'}>
      <span class="lamp" aria-hidden="true" />
      <span>{name === 'tick' ? 'Ticks' : 'Seals'}</span> <span class="when">{words}</span>
      {isShown && (
        <span class="left" aria-hidden="true">
          <span ref={bar} />
        </span>
      )}
    </div>
  )
}

/** Time at which the pending block is sealed. */
export function SealWords() {
  const current = status.value
  if (current === undefined) return <>…</>
  if (current.instant) return <>sealed at once</>
  const { next, running } = current.sealing
  if (!running || next === null) return <>sealing frozen</>
  const left = Math.ceil((next - chainTime.value) / 1_000)
  return <>{left <= 0 ? 'seals now' : `seals in ${duration(left * 1_000)}`}</>
}

/** ms. */
const SHORTEST_BAR = 500
