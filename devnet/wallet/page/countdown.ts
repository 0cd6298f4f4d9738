import { el } from './dom.ts'
import { minutes } from './text.ts'

/** ms between two looks at the clock. */
const STEP = 200
/** ms from which on the time that is left is marked. */
const SHORT = 10_000

/** The time that is left, in figures and as a bar. */
export interface Countdown {
  readonly clock: HTMLElement
  readonly bar: HTMLElement
  stop(): void
}

/**
 * Counts down to a deadline.
 *
 * @param received - ms since 1970, where the bar is full
 * @param deadline - likewise; `null` for a request that waits for ever
 */
export function createCountdown(received: number, deadline: number | null): Countdown {
  const clock = el('span', { class: 'clock' }, 'no deadline')
  const bar = el('div', { class: 'time-left' })
  bar.hidden = deadline === null
  if (deadline === null) return { clock, bar, stop() {} }
  const end = deadline
  const whole = Math.max(1, end - received)
  clock.title = `Is refused by itself at ${new Date(end).toLocaleTimeString()}`

  function show(): void {
    const left = end - Date.now()
    clock.textContent = minutes(left)
    bar.style.setProperty('--left', Math.min(1, Math.max(0, left / whole)).toFixed(3))
    clock.classList.toggle('short', left < SHORT)
    bar.classList.toggle('short', left < SHORT)
  }

  show()
  const timer = setInterval(show, STEP)
  return { clock, bar, stop: () => clearInterval(timer) }
}
