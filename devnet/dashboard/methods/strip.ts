import { integerWithin, optional, orElse } from '../../primitives/reader.ts'
import { groupSource, groupsOf } from '../groups.ts'
import { defineQuery, fields } from '../query.ts'
import { foreignBlocks } from '../upstreamBlocks.ts'

/** Groups of blocks, newest last. */
export default defineQuery(
  fields({
    /**
     * Only groups before this block, those of the upstream if it is not above the block after the
     * fork block. Default: up to the pending block
     */
    before: optional(integerWithin(0)),
    limit: orElse(integerWithin(1, 200), 200),
  }),
  async (dashboard, range, { signal }) => {
    const { before } = range
    const { origin } = dashboard.node.context.chain
    if (origin !== undefined && before !== undefined && before <= origin.number + 1) {
      return groupsOf(dashboard, await foreignBlocks(dashboard, before, signal), signal)
    }
    await dashboard.index.sync(signal)
    return groupsOf(dashboard, groupSource(dashboard, range), signal)
  },
)
