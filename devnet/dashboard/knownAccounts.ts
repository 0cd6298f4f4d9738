import type { Hex } from '../primitives/hex.ts'
import type { Dashboard } from './dashboard.ts'

export type AccountKind = 'dev' | 'impersonated' | 'contract'

export interface AccountSources {
  readonly accountNames: Dashboard['accountNames']
  readonly impersonated: Iterable<Hex>
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
): { readonly kinds: ReadonlyMap<Hex, AccountKind>; readonly omitted: number } {
  const all = new Map<Hex, AccountKind>()
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
