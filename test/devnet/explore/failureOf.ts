import { ExploreError } from '../../../plugin/explore.ts'

/** The first failure that a search finds. */
export async function failureOf(search: Promise<unknown>): Promise<ExploreError> {
  const error = await search.then(
    () => new Error('It passes'),
    (reason: unknown) => reason,
  )
  if (error instanceof ExploreError) return error
  throw error
}
