import * as z from 'zod'
import { formatStatus } from '../../json/formatStatus.ts'
import { flag, params, wanted } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

const options = z.strictObject({ ticks: flag().optional() }, wanted('an object'))

/** Restarts both clocks from where they stopped; with `{ ticks: false }` only sealing. */
export default defineMethod({
  params: params(options.optional()),
  browser: false,
  async handle(context, [given]) {
    await context.clocks.resume({ ticks: given?.ticks !== false })
    return formatStatus(context)
  },
})
