import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FunctionCall } from '../../dashboard/contractCalls.ts'
import { reasonOf } from '../../primitives/errors.ts'
import { LostError } from '../kit/link.ts'
import { oneAtATime } from '../kit/oneAtATime.ts'
import { type Answer, call, link, revision } from './store.ts'

/** ms between two questions at least, and how many times as long as an answer took. */
const PAUSE = 1_000
const TIMES = 4

interface Held {
  readonly key: string
  readonly state?: string
  /** In the order of the calls. */
  readonly results?: NonNullable<Answer<'read'>['results']>
  /** The node's sentence, if it refused. */
  readonly error?: string
}

/**
 * Results of calls that only read, asked again as the chain goes on; the node runs them only if
 * something has changed.
 *
 * @param calls - at most 40
 * @param isPaused - whether nothing is asked
 */
export function useReads(
  address: `0x${string}`,
  calls: readonly FunctionCall[],
  isPaused: boolean,
): Partial<Held> {
  const key = JSON.stringify([address, calls])
  const [held, setHeld] = useState<Held>({ key })
  const now = useRef({ key, address, calls, held, due: 0 })
  const { due } = now.current.key === key ? now.current : { due: 0 }
  now.current = { key, address, calls, held: held.key === key ? held : { key }, due }
  const cause = revision.value
  const isLive = link.value === 'live'

  const ask = useMemo(
    () =>
      oneAtATime(async () => {
        const question = now.current
        const { state } = question.held
        const began = performance.now()
        let next: Held = question.held
        try {
          const params = { address: question.address, calls: question.calls }
          const answer = await call('read', { ...params, ...(state && { known: state }) })
          if (answer.results !== null)
            next = { key: question.key, ...answer, results: answer.results }
        } catch (error) {
          // The next connection asks again.
          if (!(error instanceof LostError)) next = { key: question.key, error: reasonOf(error) }
        }
        if (now.current.key !== question.key) return
        const end = performance.now()
        now.current.due = end + Math.max(PAUSE, TIMES * (end - began))
        setHeld(next)
      }),
    [],
  )

  useEffect(() => {
    if (!isLive || isPaused) return
    const timer = setTimeout(ask, Math.max(0, now.current.due - performance.now()))
    return () => clearTimeout(timer)
  }, [key, cause, isLive, isPaused])
  return held.key === key ? held : {}
}
