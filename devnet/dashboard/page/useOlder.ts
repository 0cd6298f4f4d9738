import { useEffect, useState } from 'preact/hooks'
import { failure, undos } from './store.ts'

interface Page<Row> {
  /** All older rows by now. */
  readonly rows: readonly Row[]
  /** Where the rows before these begin; `null` if there are none. */
  readonly next: number | null
}

interface Older<Row> {
  readonly older: readonly Row[]
  /** Where the next page begins; `null` if there is none. */
  readonly before: number | null
  showOlder(): Promise<void>
}

/**
 * The rows that a person has asked for beyond those that follow the chain. They are forgotten when
 * blocks or transactions are taken back.
 *
 * @param first - where the first page begins
 * @param load - adds the page that begins at `before` to the older rows
 */
export function useOlder<Row>(
  first: number | null,
  load: (before: number, older: readonly Row[]) => Promise<Page<Row>>,
): Older<Row> {
  const [older, setOlder] = useState<readonly Row[]>([])
  const [next, setNext] = useState<number | null | undefined>(undefined)
  const undone = undos.value
  useEffect(() => {
    setOlder([])
    setNext(undefined)
  }, [undone])
  const before = next === undefined ? first : next

  async function showOlder(): Promise<void> {
    if (before === null) return
    try {
      const page = await load(before, older)
      setOlder(page.rows)
      setNext(page.next)
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    }
  }

  return { older, before, showOlder }
}
