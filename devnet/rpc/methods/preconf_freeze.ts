import * as z from 'zod'
import { formatStatus } from '../../json/formatStatus.ts'
import { flag, params, wanted } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

const options = z.strictObject({ ticks: flag().optional() }, wanted('an object'))

/** Stops sealing, and with `{ ticks: true }` the ticks too. */
export default defineMethod({
  params: params(options.optional()),
  browser: false,
  async handle(context, [given]) {
    await context.clocks.freeze({ ticks: given?.ticks === true })
    return formatStatus(context)
  },
})
