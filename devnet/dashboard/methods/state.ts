import { currentInstanceId, packageVersion } from '../../rpc/nodeInfo.ts'
import { formatCounts, formatDashboardStatus, formatSnapshots } from '../formatState.ts'
import { defineQuery, fields } from '../query.ts'

/** What the page needs first. */
export default defineQuery('state', fields({}), async (dashboard, _params, { signal }) => {
  const { context } = dashboard.node
  await dashboard.index.sync(signal)
  return {
    sequence: 0,
    status: formatDashboardStatus(dashboard),
    chainId: context.chain.engine.chainId,
    version: packageVersion,
    instance: currentInstanceId(context),
    oldest: context.chain.history.oldest,
    artifacts: { folder: null, contracts: 0 },
    snapshots: formatSnapshots(dashboard),
    counts: formatCounts(dashboard),
    follows: context.options.follow ?? null,
    names: {},
  }
})
