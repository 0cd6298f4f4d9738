import { formatStatus } from '../../json/formatStatus.ts'
import { defineCommand } from '../method.ts'

/** Ticks if a transaction is runnable and ticks are not frozen, then seals the pending block. */
export default defineCommand({
  run: ({ clocks }) => clocks.seal(),
  answer: formatStatus,
})
