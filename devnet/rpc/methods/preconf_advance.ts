import * as z from 'zod'
import { MAX_TICKS } from '../../clock/advance.ts'
import { formatStatus } from '../../json/formatStatus.ts'
import { params, wanted } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

const count = z.int(wanted('an integer')).min(1, 'want at least 1')
const ticks = count.max(MAX_TICKS, `want at most ${MAX_TICKS}`)

const span = z
  .strictObject({ ticks: ticks.optional(), blocks: count.optional() }, wanted('an object'))
  .refine(({ ticks, blocks }) => (ticks === undefined) !== (blocks === undefined), {
    error: 'want either ticks or blocks',
  })

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
