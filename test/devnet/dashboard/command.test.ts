import { describe, expect, test } from 'vitest'
import type { Command } from '../../../devnet/dashboard/methods/command.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

describe('commands', () => {
  test('each does what the node calls so, and answers the status', async () => {
    const { ask, rpc, devnet } = await startDashboard({ frozenTicks: false })
    const run = async (command: Command) => (await ask('command', command)).status
    expect(await run({ name: 'freeze' })).toMatchObject({
      ticks: { running: true },
      sealing: { running: false },
    })
    expect((await run({ name: 'freeze', ticks: true })).ticks.running).toBe(false)
    await rpc('eth_sendTransaction', { from: ALICE, to: BOB })
    expect((await run({ name: 'tick' })).pending.transactions).toBe(1)
    expect(await run({ name: 'seal' })).toMatchObject({ latest: { number: 1 } })
    expect((await run({ name: 'advance', ticks: 2 })).pending.ticks).toBe(2)
    expect((await run({ name: 'advance', blocks: 3 })).latest.number).toBe(4)
    const taken = await ask('command', { name: 'snapshot' })
    expect(taken.snapshots).toMatchObject([{ id: '0x1', block: 4, pending: 0, waiting: 0 }])
    expect(taken.snapshots[0]?.time).toBe(taken.status.time)
    await run({ name: 'seal' })
    expect((await run({ name: 'revert', id: '0x1' })).latest.number).toBe(4)
    await expect(run({ name: 'revert', id: '0x1' })).rejects.toThrow('no snapshot 0x1 any more')
    expect((await run({ name: 'resume' })).ticks.running).toBe(true)
    expect((await run({ name: 'instant', enabled: true })).instant).toBe(true)
    expect((await run({ name: 'instant', enabled: false })).instant).toBe(false)
    expect((await run({ name: 'reset' })).latest.number).toBe(0)
    expect((await devnet.clock.status()).latest.number).toBe(0)
  })

  test.each([
    { name: 'eth_sendTransaction' },
    { name: 'hardhat_setBalance' },
    { name: 'constructor' },
    { name: 'seal', hash: '0x' },
    { name: 'seal', method: 'evm_mine' },
    { name: 'advance', ticks: 1_000_001 },
    { name: 'advance', blocks: -1 },
    { name: 'drop' },
    { name: 'revert' },
    { name: 'instant' },
    {},
    [],
    'seal',
  ])('nothing else is a command: %j', async (params) => {
    const { ask, rpc } = await startDashboard()
    // What only a program of its own would send.
    const answer = ask('command', params as Command)
    await expect(answer).rejects.toMatchObject({ code: -32602 })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })

  test.each(['eth_sendTransaction', 'preconf_seal', 'constructor', '__proto__', 'toString'])(
    '%s is no method of the API',
    async (method) => {
      const { ask } = await startDashboard()
      await expect(ask(method as never, {} as never)).rejects.toMatchObject({ code: -32601 })
    },
  )

  test('a node that follows another one refuses, in its own words', async () => {
    const followed = await startDashboard()
    const { ask } = await startDashboard({
      follow: followed.devnet.flashblocksUrl,
      frozenTicks: false,
      timestamp: undefined,
    })
    expect((await ask('state', {})).follows).toBe(followed.devnet.flashblocksUrl)
    const refused = ask('command', { name: 'seal' })
    await expect(refused).rejects.toThrow('send transactions and commands to that node')
  })
})
