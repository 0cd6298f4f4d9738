import { expect, test } from 'vitest'
import { ticksOf } from '../../../devnet/dashboard/groups.ts'
import { SeenTicks } from '../../../devnet/dashboard/seenTicks.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'

test('two answers at once have the ticks of their own view of the block', async () => {
  const { chain, call, account } = await createRpcChain()
  const from = account(0).address
  const tick = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      await call('eth_sendTransaction', { from, to: from, value: '0x1' })
    }
    await call('preconf_advance', { ticks: 1 })
    return chain.pending
  }
  const seen = new SeenTicks()
  // The older answer pauses after a batch, and the newer one adds up the rest meanwhile.
  const older = await tick(1_100)
  const gate = Promise.withResolvers<undefined>()
  const slow = ticksOf(older, { seen, scheduler: { yieldIfDue: () => gate.promise }, most: 9 })
  const newer = await tick(3)
  const quick = { seen, scheduler: { yieldIfDue: () => undefined }, most: 9 }
  const transactions = ({ ticks }: Awaited<typeof slow>) => ticks.map((one) => one.transactions)
  expect(transactions(await ticksOf(newer, quick))).toEqual([1_100, 3])
  gate.resolve(undefined)
  expect(transactions(await slow)).toEqual([1_100])
  expect(transactions(await ticksOf(older, quick))).toEqual([1_100])
  expect(transactions(await ticksOf(newer, quick))).toEqual([1_100, 3])
})
