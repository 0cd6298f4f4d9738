import { untilKnown } from '../../rpc/untilKnown.ts'
import { bothStates } from '../accountState.ts'
import type { AccountRow } from '../api.ts'
import { defineQuery, fields } from '../query.ts'

/** How many accounts are listed. */
const MOST = 500

/** The accounts that the node knows: unlocked, impersonated, and created contracts. */
export default defineQuery('accounts', fields({}), async (dashboard, _params, { signal }) => {
  const { index, accountNames, node } = dashboard
  await index.sync(signal)
  const kinds = new Map<AccountRow['address'], AccountRow['kind']>()
  for (const address of accountNames.keys()) kinds.set(address, 'dev')
  const { impersonated } = node.context.chain.settings
  for (const address of impersonated) if (!kinds.has(address)) kinds.set(address, 'impersonated')
  for (const { address } of index.creations())
    if (!kinds.has(address)) kinds.set(address, 'contract')
  const { naming } = dashboard.work(signal)
  const accounts: AccountRow[] = []
  for (const [address, kind] of [...kinds].slice(0, MOST)) {
    const states = await untilKnown(() => bothStates(dashboard, address), signal)
    accounts.push({ address, kind, ...states })
    await naming.name(address)
  }
  return { accounts, omitted: kinds.size - accounts.length, names: naming.names }
})
