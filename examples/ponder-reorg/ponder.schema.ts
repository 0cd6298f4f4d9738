import { onchainTable } from 'ponder'

export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(),
  to: t.hex().notNull(),
  value: t.bigint().notNull(),
  block: t.bigint().notNull(),
}))
