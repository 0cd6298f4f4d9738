import { ponder } from 'ponder:registry'
import { transfer } from 'ponder:schema'

ponder.on('Token:Transfer', async ({ event, context }) => {
  const { to, value } = event.args
  await context.db.insert(transfer).values({ id: event.id, to, value, block: event.block.number })
})
