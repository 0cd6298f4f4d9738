import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { reasonOf } from '../../primitives/errors.ts'
import { LostError } from '../kit/link.ts'
import { oneAtATime } from '../kit/oneAtATime.ts'
import { type Answer, call, link, type Method, now, type Params, revision, undos } from './store.ts'

interface Asked<Name extends Method> {
  readonly answer: Answer<Name> | undefined
  /** The node's sentence, if it refused. */
  readonly error: string | undefined
}

/**
 * Asks the node, and again with each change of the chain.
 *
 * @param when - `always`, or once a second, or only after blocks or transactions were taken back
 * @param isPartial - whether an answer says that the next one has more: then it is asked at once
 */
export function useAnswer<Name extends Method>(
  method: Name,
  params: Params<Name>,
  when: 'always' | 'second' | 'undone' = 'always',
  isPartial: (answer: Answer<Name>) => boolean = () => false,
): Asked<Name> {
  const key = `${method} ${JSON.stringify(params)}`
  const [asked, setAsked] = useState<Asked<Name> & { readonly key?: string }>(NOTHING)
  const wanted = useRef({ key, method, params, isPartial })
  wanted.current = { key, method, params, isPartial }
  const isGone = useRef(false)
  const cause = CAUSES[when].value
  const isLive = link.value === 'live'

  const ask = useMemo(() => {
    const again = oneAtATime(async () => {
      if (isGone.current) return
      const question = wanted.current
      const isWanted = () => !isGone.current && wanted.current.key === question.key
      try {
        const answer = await call(question.method, question.params)
        if (!isWanted()) return
        setAsked({ key: question.key, answer, error: undefined })
        if (question.isPartial(answer)) again()
      } catch (error) {
        // The next connection asks again.
        if (error instanceof LostError || !isWanted()) return
        setAsked({ key: question.key, answer: undefined, error: reasonOf(error) })
      }
    })
    return again
  }, [])

  useEffect(() => {
    if (isLive) ask()
  }, [key, cause, isLive])
  useEffect(
    () => () => {
      isGone.current = true
    },
    [],
  )
  return asked.key === key ? asked : NOTHING
}

const CAUSES = { always: revision, second: now, undone: undos }

const NOTHING = { answer: undefined, error: undefined }
