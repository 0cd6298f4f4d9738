import { currentInstanceId } from '../../json/instanceId.ts'
import { askContracts } from '../../rpc/naming/contractNames.ts'
import { packageVersion } from '../../rpc/nodeInfo.ts'
import { first } from '../chainIndex.ts'
import { formatCounts, formatDashboardStatus, formatSnapshots } from '../formatState.ts'
import type { DashboardNode } from '../handle.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of contracts that are named. */
const MOST_NAMES = 100

/** First needs of the page. */
export default defineQuery(fields({}), async (dashboard, _params, { signal }) => {
  const { context } = dashboard.node
  const { index, feed } = dashboard
  const { naming } = dashboard.work(signal)
  const contracts = await askContracts(dashboard.naming, (source) => source.all())
  await index.sync(signal)
  const creations = first(index.creations(), MOST_NAMES)
  await naming.nameAll([
    ...dashboard.accountNames.keys(),
    ...creations.map(({ address }) => address),
  ])
  await index.sync(signal)
  return {
    /** {@link Changed.sequence} of the newest push; the next one has a number higher by one. */
    sequence: feed.sequence,
    status: formatDashboardStatus(dashboard),
    chainId: context.chain.engine.chainId,
    version: packageVersion,
    /** Changes with every start of the node, unless it keeps its state. */
    instance: currentInstanceId(context),
    /** Oldest block that is kept. */
    oldest: context.chain.history.oldest,
    /** The folder is `null` if the node was given no contracts. */
    artifacts: { folder: context.options.contracts?.folder ?? null, contracts: contracts.length },
    /** Oldest first. */
    snapshots: formatSnapshots(dashboard),
    counts: formatCounts(dashboard),
    /** URL of the node that this one follows, which refuses commands then; otherwise `null`. */
    follows: context.options.follow ?? null,
    /** `null` without a wallet. */
    walletPage: approvalPage(dashboard.node.wallet),
    /** Of the unlocked accounts, and of contracts that were found so far. */
    names: naming.names,
  }
})

/** Without the token of approvals, which the node tells on its terminal only. */
function approvalPage(wallet: DashboardNode['wallet']): string | null {
  return wallet?.url === undefined ? null : `${wallet.url}/`
}
