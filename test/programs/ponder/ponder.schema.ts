import { onchainTable } from 'ponder'

export const balance = onchainTable('balance', (t) => ({
  owner: t.hex().primaryKey(),
  value: t.bigint().notNull(),
}))
