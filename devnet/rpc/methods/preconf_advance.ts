import { MAX_TICKS } from '../../clock/advance.ts'
import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { fail, integer, mapped, objectOf, optional } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

const span = mapped(
  objectOf({
    fields: {
      ticks: optional(integer({ min: 1, max: MAX_TICKS })),
      blocks: optional(integer({ min: 1 })),
    },
    isStrict: true,
  }),
  (fields, context) =>
    (fields.ticks === undefined) === (fields.blocks === undefined)
      ? fail(context, 'want either ticks or blocks')
      : fields,
)

/**
 * Advances virtual time by `ticks` tick intervals, each with a tick, or by `blocks` seal intervals,
 * each with a tick and a seal.
 */
export default defineCommand({
  params: params(span),
  async run({ clocks }, [{ ticks, blocks }]) {
    if (ticks !== undefined) await clocks.advanceTicks(ticks)
    if (blocks !== undefined) await clocks.advanceBlocks(blocks)
  },
  answer: formatStatus,
})
