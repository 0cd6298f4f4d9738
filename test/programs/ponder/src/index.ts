import { ponder } from 'ponder:registry'
import { balance } from 'ponder:schema'

// Reads the balance in the block of the event, as an index of tokens does.
ponder.on('Token:Transfer', async ({ event, context }) => {
  const owner = event.args.to
  const { abi, address } = context.contracts.Token
  const value = await context.client.readContract({
    abi,
    address,
    functionName: 'balanceOf',
    args: [owner],
  })
  await context.db.insert(balance).values({ owner, value }).onConflictDoUpdate({ value })
})
