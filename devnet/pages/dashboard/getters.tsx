import { useEffect, useRef, useState } from 'preact/hooks'
import type { FunctionCall } from '../../dashboard/contractCalls.ts'
import type { ContractFunction } from '../../dashboard/contractRows.ts'
import type { ReadResult } from '../../dashboard/methods/read.ts'
import { Untrusted } from '../kit/elements.tsx'
import { Arguments, FailureText, Value } from './decoded.tsx'
import { Pager, usePages } from './pages.tsx'
import { Alert } from './sentCall.tsx'
import { useReads } from './useReads.ts'

/** Number of functions that are asked at once. */
const ROWS = 30

interface GettersProps {
  readonly address: `0x${string}`
  readonly functions: readonly ContractFunction[]
}

/** Answers of the functions without parameters that only read. */
export function Getters({ address, functions }: GettersProps) {
  const pages = usePages(functions.length, ROWS)
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, see] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => see(seen.at(-1)?.isIntersecting === true))
    if (place.current !== null) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const calls = functions
    .slice(pages.first, pages.end)
    .map(({ signature }) => ({ function: signature, args: [] }))
  return (
    <div ref={place}>
      <Results address={address} calls={calls} isPaused={!isSeen} />
      {pages.pages > 1 && <Pager of={pages} />}
    </div>
  )
}

interface ResultsProps {
  readonly address: `0x${string}`
  readonly calls: readonly FunctionCall[]
  /** True if what was answered stays as it is. */
  readonly isPaused?: boolean
}

/** Answers of calls as sealed and as pending, side by side; they follow the chain. */
export function Results({ address, calls, isPaused = false }: ResultsProps) {
  const { results, error } = useReads(address, calls, isPaused)
  return (
    <>
      <table class="getters">
        <thead>
          <tr>
            <th>Function</th>
            <th>Sealed</th>
            <th>Pending</th>
          </tr>
        </thead>
        <tbody>
          {calls.map(({ function: signature }, index) => {
            const { sealed, pending } = results?.[index] ?? {}
            const isSame = JSON.stringify(sealed) === JSON.stringify(pending)
            return (
              <tr key={signature}>
                <th scope="row">
                  <Untrusted within="code" text={signature.replace(/\(.*$/s, '')} />
                </th>
                <td>{sealed === undefined ? '…' : <Result result={sealed} />}</td>
                <td class={isSame ? 'note' : ''}>
                  {sealed !== undefined && isSame && 'same'}
                  {pending !== undefined && !isSame && (
                    <div class="differs">
                      <Result result={pending} />
                    </div>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <Alert text={error} />
    </>
  )
}

/** Result of a call, or why there is none. */
function Result({ result }: { readonly result: ReadResult }) {
  if ('isLate' in result) return <span class="note">It takes too long among others.</span>
  if ('failure' in result) return <FailureText failure={result.failure} />
  const [first, second] = result.values
  if (first === undefined) return <span class="note">nothing</span>
  if (second !== undefined || typeof first.value === 'object') {
    return <Arguments list={result.values} />
  }
  return <Value type={first.type} text={first.value} />
}
