import { useEffect, useRef, useState } from 'preact/hooks'
import { type Answer, LostError, type Method, type Params } from './apiClient.ts'
import { call, link, revision, undos } from './store.ts'

interface Asked<Name extends Method> {
  readonly answer: Answer<Name> | undefined
  /** The node's sentence, if it refused. */
  readonly error: string | undefined
}

/**
 * Asks the node, and again with each change of the chain: one question at a time, so that a slow
 * answer delays the next question instead of piling them up.
 *
 * @param when - `always`, or only after blocks or transactions were taken back
 * @param isPartial - whether an answer says that the next one has more: then it is asked at once
 */
export function useAnswer<Name extends Method>(
  method: Name,
  params: Params<Name>,
  when: 'always' | 'undone' = 'always',
  isPartial: (answer: Answer<Name>) => boolean = () => false,
): Asked<Name> {
  const key = `${method} ${JSON.stringify(params)}`
  const [asked, setAsked] = useState<Asked<Name> & { readonly key?: string }>(NOTHING)
  const wanted = useRef({ key, method, params })
  wanted.current = { key, method, params }
  const work = useRef({ isAsking: false, isStale: false, isGone: false })
  const cause = when === 'always' ? revision.value : undos.value
  const isLive = link.value === 'live'

  async function ask(): Promise<void> {
    work.current.isAsking = true
    while (work.current.isStale && !work.current.isGone) {
      work.current.isStale = false
      const question = wanted.current
      const isWanted = () => !work.current.isGone && wanted.current.key === question.key
      try {
        const answer = await call(question.method, question.params)
        if (isWanted()) {
          setAsked({ key: question.key, answer, error: undefined })
          if (isPartial(answer)) work.current.isStale = true
        }
      } catch (error) {
        // The next connection asks again.
        if (error instanceof LostError) continue
        const sentence = error instanceof Error ? error.message : String(error)
        if (isWanted()) setAsked({ key: question.key, answer: undefined, error: sentence })
      }
    }
    work.current.isAsking = false
  }

  useEffect(() => {
    if (!isLive) return
    work.current.isStale = true
    if (!work.current.isAsking) ask()
  }, [key, cause, isLive])
  useEffect(
    () => () => {
      work.current.isGone = true
    },
    [],
  )
  return asked.key === key ? asked : NOTHING
}

const NOTHING = { answer: undefined, error: undefined }
