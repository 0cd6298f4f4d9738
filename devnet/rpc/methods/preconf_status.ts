import { formatStatus } from '../format/status.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  browser: false,
  handle: (context) => formatStatus(context),
})
