import { MAX_TICKS } from '../../clock/advance.ts'
import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { fail, integer, mapped, objectOf, optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

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
export default defineMethod({
  params: params(span),
  browser: false,
  async handle(context, [{ ticks, blocks }]) {
    if (ticks !== undefined) await context.clocks.advanceTicks(ticks)
    if (blocks !== undefined) await context.clocks.advanceBlocks(blocks)
    return formatStatus(context)
  },
})
