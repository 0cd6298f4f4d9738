import { formatStatus } from '../../json/formatStatus.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  browser: false,
  handle: (context) => formatStatus(context),
})
