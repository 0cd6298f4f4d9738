import { useEffect, useState } from 'preact/hooks'
import { reasonOf } from '../../primitives/errors.ts'
import type { FunctionsProps } from './contractFunctions.tsx'

/** The functions of a contract, whose code comes once somebody looks at one. */
export function ContractPart(props: FunctionsProps) {
  const [part, setPart] =
    useState<Pick<typeof import('./contractFunctions.tsx'), 'ContractFunctions'>>()
  const [error, setError] = useState('')
  useEffect(() => {
    import('./contractFunctions.tsx').then(setPart, (cause) => setError(reasonOf(cause)))
  }, [])
  if (part !== undefined) return <part.ContractFunctions {...props} />
  if (error === '') return <p class="note">Loading…</p>
  return <p class="alert">{`The forms did not load (${error}). Load this page again.`}</p>
}
