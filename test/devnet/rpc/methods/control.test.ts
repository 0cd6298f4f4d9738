import { expect, test } from 'vitest'
import type { Status } from '../../../../devnet/types.ts'
import { START } from '../../../support/chain.ts'
import { createRpcChain, INSTANCE, SLOW_CLOCKS } from './rpcChain.ts'

test('default: preconf_status', async () => {
  const { call, chain, account } = await createRpcChain()
  const from = account(0).address
  const to = account(1).address
  const transfer = await call('eth_sendTransaction', { from, to })
  const failing = await call('eth_sendTransaction', { from, data: '0xfe', gas: '0xf4240' })
  await call('preconf_advance', { ticks: 2 })
  await call('eth_sendTransaction', { from, to })
  await call('eth_sendTransaction', { from, to, nonce: '0x9' })
  expect(await call('preconf_status')).toEqual({
    instanceId: INSTANCE,
    time: START * 1000 + 400,
    ticks: { interval: 200, running: false, next: null },
    sealing: { interval: 2000, running: false, next: null },
    instant: false,
    latest: { number: 0, hash: chain.head.hash, timestamp: START },
    pending: {
      number: 1,
      timestamp: START + 2,
      ticks: 2,
      gasUsed: 1_021_000,
      transactions: [
        { hash: transfer, from, to, nonce: 0, gasUsed: 21_000, status: 'success', tick: 0 },
        {
          hash: failing,
          from,
          to: null,
          nonce: 1,
          gasUsed: 1_000_000,
          status: 'reverted',
          tick: 0,
        },
      ],
    },
    mempool: { runnable: 1, waiting: 1 },
    modes: { receipts: 'preconfirmed', latest: 'sealed' },
    dropped: [],
    reexecuted: [],
  })
})

test('default: preconf_seal ticks first, unless ticks are frozen', async () => {
  const { call, account } = await createRpcChain(SLOW_CLOCKS)
  const from = account(0).address
  const send = () => call('eth_sendTransaction', { from, to: from })
  const sealed = async () => {
    const { mempool, pending } = await call<Status>('preconf_seal')
    expect(pending.transactions).toEqual([])
    const block = await call<{ transactions: unknown[] }>('eth_getBlockByNumber', 'latest')
    return [block.transactions, mempool.runnable]
  }
  const first = await send()
  expect(await sealed()).toEqual([[first], 0])
  await call('preconf_freeze', { ticks: true })
  await send()
  expect(await sealed()).toEqual([[], 1])
})

test('each command answers the status after its work', async () => {
  const { call, chain } = await createRpcChain()
  const commands: [string, ...unknown[]][] = [
    ['preconf_advance', { ticks: 3 }],
    ['preconf_advance', { blocks: 2 }],
    ['preconf_seal'],
    ['preconf_freeze'],
    ['preconf_freeze', {}],
    ['preconf_freeze', { ticks: true }],
  ]
  for (const [method, ...params] of commands) {
    const answer = await call(method, ...params)
    expect(answer).toEqual(await call('preconf_status'))
  }
  expect(chain.head.number).toBe(3)
})

test('default: preconf_freeze stops sealing, and with ticks both; preconf_resume starts it, or both', async () => {
  const { call } = await createRpcChain(SLOW_CLOCKS)
  const running = async (method: string, ...params: unknown[]) => {
    const { ticks, sealing } = await call<Status>(method, ...params)
    expect([ticks.next === null, sealing.next === null]).toEqual([!ticks.running, !sealing.running])
    return [ticks.running, sealing.running]
  }
  expect(await running('preconf_status')).toEqual([true, true])
  expect(await running('preconf_freeze')).toEqual([true, false])
  expect(await running('preconf_freeze', { ticks: false })).toEqual([true, false])
  expect(await running('preconf_resume')).toEqual([true, true])
  expect(await running('preconf_freeze', { ticks: true })).toEqual([false, false])
  expect(await running('preconf_resume', { ticks: false })).toEqual([false, true])
  expect(await running('preconf_resume', { ticks: true })).toEqual([true, true])
  expect(await running('preconf_freeze')).toEqual([true, false])
  expect(await running('preconf_resume', { ticks: false })).toEqual([true, true])
})

test('ticks on arrival have no next one', async () => {
  const { call } = await createRpcChain({ ...SLOW_CLOCKS, tickInterval: 0 })
  expect((await call<Status>('preconf_status')).ticks).toEqual({
    interval: 0,
    running: true,
    next: null,
  })
})

test('args: preconf_advance', async () => {
  const { call } = await createRpcChain()
  const state = async (by: object) => {
    const { time, latest, pending } = await call<Status>('preconf_advance', by)
    return { time: time - START * 1000, latest: latest.number, ticks: pending.ticks }
  }
  expect(await state({ ticks: 4 })).toEqual({ time: 800, latest: 0, ticks: 4 })
  expect(await state({ blocks: 3 })).toEqual({ time: 6800, latest: 3, ticks: 0 })
})

test('arguments that are none', async () => {
  const { failure, call } = await createRpcChain()
  const before = await call('preconf_status')
  const refused = async (method: string, ...params: unknown[]) => {
    const error = await failure(method, ...params)
    expect(error).toMatchObject({ code: -32602 })
    return (error as { message: string }).message
  }
  expect(await refused('preconf_advance')).toBe('missing value for required argument 0')
  expect(await refused('preconf_advance', {})).toBe(
    'invalid argument 0: want either ticks or blocks',
  )
  expect(await refused('preconf_advance', { ticks: 1, blocks: 1 })).toBe(
    'invalid argument 0: want either ticks or blocks',
  )
  expect(await refused('preconf_advance', { ticks: 0 })).toBe(
    'invalid argument 0: ticks: want at least 1',
  )
  expect(await refused('preconf_advance', { ticks: 1_000_001 })).toBe(
    'invalid argument 0: ticks: want at most 1000000',
  )
  expect(await refused('preconf_advance', { blocks: 5e12 })).toBe(
    `timestamp ${START + 1e13} is too late: it is in seconds, and at most 8640000000000`,
  )
  expect(await refused('preconf_advance', { blocks: Number.MAX_SAFE_INTEGER })).toMatch(
    'timestamp 18014400309481982 is too late',
  )
  expect(await refused('preconf_advance', { ticks: 1.5 })).toMatch(/integer/)
  expect(await refused('preconf_advance', { ticks: '0x1' })).toMatch(/integer/)
  expect(await refused('preconf_advance', { tick: 1 })).toBe(
    'invalid argument 0: unknown field "tick"',
  )
  expect(await refused('preconf_advance', 5)).toBe(
    'invalid argument 0: want an object, got a number',
  )
  expect(await refused('preconf_freeze', { tick: true })).toBe(
    'invalid argument 0: unknown field "tick"',
  )
  expect(await refused('preconf_freeze', { ticks: 1 })).toBe(
    'invalid argument 0: ticks: want true or false, got a number',
  )
  expect(await refused('preconf_resume', { tick: false })).toBe(
    'invalid argument 0: unknown field "tick"',
  )
  for (const method of ['preconf_seal', 'preconf_status']) {
    expect(await refused(method, {})).toBe('too many arguments, want at most 0')
  }
  expect(await call('preconf_status')).toEqual(before)
})

test('web pages are refused', async () => {
  const { callAs, chain } = await createRpcChain()
  const page = { origin: 'http://localhost:3000' }
  await expect(callAs(page, 'preconf_seal')).rejects.toMatchObject({ code: -32000 })
  await expect(callAs(page, 'evm_mine')).rejects.toMatchObject({ code: -32000 })
  await expect(callAs(page, 'hardhat_mine')).rejects.toMatchObject({ code: -32000 })
  expect(chain.head.number).toBe(0)
  expect(await callAs(page, 'hardhat_getAutomine')).toBe(false)
})
