import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { TransactionDetails } from '../../../devnet/dashboard/methods/transaction.ts'
import { ALICE, BOB, startDashboard, type TestDashboard } from './support.ts'

/** 2026-11-25 22:38:58.412 UTC. */
const ACCEPTED = 1_795_646_338_412

/** A wall clock that stands still until it is told the time. */
function wallClock() {
  const spy = vi.spyOn(Date, 'now').mockReturnValue(ACCEPTED)
  onTestFinished(() => spy.mockRestore())
  return { set: (ms: number) => spy.mockReturnValue(ms) }
}

async function send({ rpc }: TestDashboard, from = ALICE): Promise<Hex> {
  return (await rpc('eth_sendTransaction', { from, to: BOB, value: '0x1' })) as Hex
}

async function timesOf({ ask }: TestDashboard, hash: Hex): Promise<TransactionDetails['times']> {
  const answer = await ask('transaction', { hash })
  if (!answer.found) throw new Error(`${hash} is not known`)
  return answer.times
}

describe('times of a transaction', () => {
  test('accepted, pre-confirmed and sealed, in ms of the wall clock, as they come', async () => {
    const clock = wallClock()
    const dashboard = await startDashboard({ frozen: true })
    const hash = await send(dashboard)
    expect(await timesOf(dashboard, hash)).toEqual({
      accepted: ACCEPTED,
      preconfirmed: null,
      sealed: null,
    })
    clock.set(ACCEPTED + 143)
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    clock.set(ACCEPTED + 1_600)
    const before = { accepted: ACCEPTED, preconfirmed: ACCEPTED + 143 }
    expect(await timesOf(dashboard, hash)).toEqual({ ...before, sealed: null })
    await dashboard.rpc('preconf_seal')
    clock.set(ACCEPTED + 9_000)
    expect(await timesOf(dashboard, hash)).toEqual({ ...before, sealed: ACCEPTED + 1_600 })
  })

  test('a drop before it keeps the time of its pre-confirmation', async () => {
    const clock = wallClock()
    const dashboard = await startDashboard({ frozen: true })
    const dropped = await send(dashboard)
    const hash = await send(dashboard, BOB)
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    clock.set(ACCEPTED + 500)
    await dashboard.rpc('hardhat_dropTransaction', dropped)
    expect(await timesOf(dashboard, hash)).toMatchObject({ preconfirmed: ACCEPTED })
  })

  test('they are unknown after a restart from a saved state', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'times-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const state = join(folder, 'state.json')
    const first = await startDashboard({ frozen: true, state })
    const hash = await send(first)
    await first.rpc('preconf_advance', { ticks: 1 })
    await first.rpc('preconf_seal')
    await first.devnet.stop()
    const second = await startDashboard({ frozen: true, state, timestamp: 1_900_000_100 })
    expect(await timesOf(second, hash)).toEqual({
      accepted: null,
      preconfirmed: null,
      sealed: null,
    })
  })
})
