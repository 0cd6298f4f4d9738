import type { AccountRow } from './apiTypes/accountTypes.ts'
import type { Dashboard } from './dashboard.ts'

type Kinds = ReadonlyMap<AccountRow['address'], AccountRow['kind']>

export interface AccountSources {
  readonly accountNames: Dashboard['accountNames']
  readonly impersonated: Iterable<AccountRow['address']>
  readonly index: Pick<Dashboard['index'], 'creations' | 'creationCount'>
}

/**
 * The accounts that the node knows: unlocked and impersonated ones, and the newest contracts. The
 * time does not grow with the number of contracts.
 *
 * @param most - how many at most
 */
export function knownAccounts(
  { accountNames, impersonated, index }: AccountSources,
  most: number,
): { readonly kinds: Kinds; readonly omitted: number } {
  const all = new Map<AccountRow['address'], AccountRow['kind']>()
  for (const address of accountNames.keys()) all.set(address, 'dev')
  for (const address of impersonated) if (!all.has(address)) all.set(address, 'impersonated')
  let left = index.creationCount
  for (const { address } of index.creations()) {
    if (all.size >= most) break
    if (!all.has(address)) all.set(address, 'contract')
    left--
  }
  const kinds = new Map([...all].slice(0, most))
  return { kinds, omitted: all.size - kinds.size + left }
}
