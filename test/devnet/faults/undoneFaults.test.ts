import { expect, test } from 'vitest'
import type { Status } from '../../../devnet/types.ts'
import { account, fired, nodeUnder } from './faultyNode.ts'

/** Commands that take back what came since, with what each needs from before. */
const UNDOS = [
  ['evm_revert', 'evm_snapshot'],
  ['hardhat_reset', undefined],
  ['anvil_loadState', 'anvil_dumpState'],
] as const

/** A transfer whose bytes are the same each time. */
const SAME = { nonce: '0x0', gas: '0x5208', gasPrice: '0x77359400' }

test.each(UNDOS)('%s ends a hold, also of the same transaction', async (undo, before) => {
  const node = await nodeUnder([{ kind: 'hold', next: 1 }])
  const state = before === undefined ? [] : [await node.call(before)]
  const hash = await node.send(0, SAME)
  const { faults } = await node.tick()
  expect(faults?.held).toEqual([{ hash, rule: 0 }])
  await node.call(undo, ...state)
  expect((await node.call<Status>('preconf_status')).faults?.held).toEqual([])
  expect(await node.send(0, SAME)).toBe(hash)
  const { pending } = await node.tick()
  expect(pending.transactions).toMatchObject([{ hash }])
})

test('what waits on is held on', async () => {
  const node = await nodeUnder([{ kind: 'hold', from: account(0), next: 1 }])
  await node.seal()
  const hash = await node.send(0)
  await node.tick()
  await node.call('anvil_rollback', 1)
  const { pending, faults } = await node.tick()
  expect(pending.transactions).toEqual([])
  expect(faults?.held).toEqual([{ hash, rule: 0 }])
})

test.each([...UNDOS, ['anvil_rollback', undefined]] as const)(
  '%s ends a stall',
  async (undo, before) => {
    const node = await nodeUnder([{ kind: 'stall', blocks: 9, next: 1 }])
    await node.seal()
    const state = before === undefined ? [] : [await node.call(before)]
    await node.send(0)
    expect((await node.tick()).faults?.stall).toBe(0)
    await node.call(undo, ...state)
    await node.send(1)
    const { pending, faults } = await node.tick()
    expect(pending.transactions.length).toBeGreaterThan(0)
    expect(faults?.stall).toBeNull()
  },
)

test.each([...UNDOS, ['anvil_reorg', undefined]] as const)(
  'after %s, ticks count from those of the block',
  async (undo, before) => {
    const node = await nodeUnder([])
    await node.seal()
    await node.call('preconf_faults', { rules: [{ kind: 'skipTick', tick: 0 }] })
    const state = before === undefined ? [] : [await node.call(before)]
    expect(fired(await node.tick())).toEqual([1])
    await node.call(undo, ...(undo === 'anvil_reorg' ? [1, []] : state))
    if (undo === 'hardhat_reset' || undo === 'anvil_loadState') await node.seal()
    expect(fired(await node.tick())).toEqual([2])
  },
)
