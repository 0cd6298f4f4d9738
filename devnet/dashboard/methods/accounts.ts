import type { Hex } from '../../primitives/hex.ts'
import { untilKnown } from '../../rpc/untilKnown.ts'
import { bothStates } from '../accountState.ts'
import { type AccountKind, knownAccounts } from '../knownAccounts.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of accounts that are listed. */
const MOST = 500

export interface AccountRow extends ReturnType<typeof bothStates> {
  readonly address: Hex
  readonly kind: AccountKind
}

/** The accounts that the node knows: unlocked, impersonated, and created contracts. */
export default defineQuery(fields({}), async (dashboard, _params, { signal }) => {
  const { index, accountNames, node } = dashboard
  await index.sync(signal)
  const { impersonated } = node.context.chain.settings
  const { kinds, omitted } = knownAccounts({ accountNames, impersonated, index }, MOST)
  const { naming } = dashboard.work(signal)
  const accounts: AccountRow[] = []
  for (const [address, kind] of kinds) {
    const states = await untilKnown(() => bothStates(dashboard, address), signal)
    accounts.push({ address, kind, ...states })
    await naming.name(address)
  }
  return {
    /** Dev accounts in their order, impersonated ones, contracts newest first. */
    accounts,
    /** Number of those not listed; a contract that was created twice counts twice. */
    omitted,
    names: naming.names,
  }
})
