import { setImmediate as turn } from 'node:timers/promises'
import { encodeDeployData } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import type { ContractSource } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { JSON_HEADERS } from '../server/support.ts'
import { ALICE, BOB, openPage, startDashboard, type TestDashboard } from './support.ts'

const pay = ({ rpc }: TestDashboard) => rpc('eth_sendTransaction', { from: ALICE, to: BOB })

describe('push', () => {
  test('default: what a command changes comes at once, before its answer', async () => {
    const dashboard = await startDashboard({ frozen: true })
    const page = await openPage(dashboard)
    await pay(dashboard)
    await page.ask('command', { name: 'tick' })
    expect(page.pushed.at(-1)).toMatchObject({
      status: { pending: { number: 1, transactions: 1 } },
      groups: [{ kind: 'block', number: 1, hash: null, ticks: [{ tick: 0, transactions: 1 }] }],
      counts: { first: 0, end: 1, waiting: 0 },
      undo: null,
    })
    const seen = page.pushed.at(-1)?.groups.at(-1)
    expect(seen?.kind === 'block' && seen.ticks[0]?.seen).toMatchObject({ waiting: 0 })
    await page.ask('command', { name: 'seal' })
    expect(page.pushed.at(-1)).toMatchObject({
      status: { latest: { number: 1 } },
      groups: [
        { kind: 'block', number: 1, hash: expect.stringMatching(/^0x/) },
        { kind: 'block', number: 2, hash: null, transactions: 0 },
      ],
    })
    const numbers = page.pushed.map(({ sequence }) => sequence)
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
    expect(await page.ask('state')).toMatchObject({ sequence: numbers.at(-1) })
  })

  test('an undo is told, with what stands after it', async () => {
    const dashboard = await startDashboard({ frozen: true })
    const page = await openPage(dashboard)
    await page.ask('command', { name: 'snapshot' })
    await pay(dashboard)
    await page.ask('command', { name: 'advance', blocks: 2 })
    await page.ask('command', { name: 'revert', id: '0x1' })
    expect(page.pushed.at(-1)).toMatchObject({
      undo: { command: 'revert', latest: 0 },
      status: { latest: { number: 0 } },
      counts: { end: 0 },
      snapshots: [],
      lines: [{ kind: 'undo', text: expect.stringContaining('block 0 is the newest now') }],
    })
  })

  test('a fault that fires is a line', async () => {
    const dashboard = await startDashboard()
    const page = await openPage(dashboard)
    await dashboard.devnet.faults({ rules: [{ kind: 'skipTick' }] })
    await dashboard.devnet.clock.advance({ ticks: 1 })
    const lines = () => page.pushed.flatMap((one) => one.lines ?? [])
    await expect
      .poll(lines)
      .toContainEqual(
        expect.objectContaining({ kind: 'fault', text: 'Fault 0 (skipTick) fired in block 1' }),
      )
  })

  test('a client that misses on latest what is pre-confirmed is told, in the status and a line', async () => {
    const dashboard = await startDashboard()
    const page = await openPage(dashboard)
    expect(await page.ask('state')).toMatchObject({ status: { hint: null } })
    const hints: string[] = []
    dashboard.devnet.on('hint', ({ text }) => hints.push(text))
    const [from] = dashboard.devnet.accounts
    await pay(dashboard)
    await dashboard.devnet.clock.advance({ ticks: 1 })
    const params = [from?.address, 'latest']
    await dashboard.devnet.provider.request({ method: 'eth_getTransactionCount', params })
    expect(hints).toEqual([expect.stringContaining(`A client has read ${from?.address}`)])
    await expect.poll(() => page.pushed.at(-1)?.status.hint).toBe(hints[0])
    expect(page.pushed.flatMap((one) => one.lines ?? [])).toContainEqual(
      expect.objectContaining({ kind: 'hint', text: hints[0] }),
    )
  })

  test('a request that waits in the wallet is told, and where it is decided', async () => {
    const dashboard = await startDashboard({ wallet: { policy: 'hold' } })
    const page = await openPage(dashboard)
    const { wallet } = dashboard.devnet
    expect(await page.ask('state')).toMatchObject({
      walletPage: `${wallet.url}/`,
      status: { walletRequests: 0 },
    })
    expect(await wallet.state()).toMatchObject({
      dashboardUrl: `${dashboard.devnet.url}/dashboard/`,
    })
    const waiting = () => page.pushed.at(-1)?.status.walletRequests
    const told: unknown[] = []
    dashboard.devnet.on('walletRequest', (event) => told.push(event))
    const asked = fetch(wallet.url, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_requestAccounts"}',
    })
    await expect.poll(waiting).toBe(1)
    const [request] = await wallet.pending()
    await wallet.reject(request?.id ?? '')
    await asked
    await expect.poll(waiting).toBe(0)
    expect(told).toEqual([{ waiting: 1, page: `${wallet.url}/` }])
  })

  test('without a wallet, nothing waits in it', async () => {
    const dashboard = await startDashboard({ wallet: false })
    expect(await dashboard.ask('state', {})).toMatchObject({
      walletPage: null,
      status: { walletRequests: 0 },
    })
  })

  test('at most five a second, whatever the tick interval', async () => {
    const dashboard = await startDashboard({ frozenTicks: false, tickInterval: 0, frozen: true })
    const page = await openPage(dashboard)
    const start = performance.now()
    for (let count = 0; count < 300; count++) await pay(dashboard)
    const end = () => page.pushed.at(-1)?.counts.end
    await expect.poll(end, { timeout: 10_000 }).toBe(300)
    const elapsed = performance.now() - start
    expect(page.pushed.length).toBeLessThanOrEqual(Math.ceil(elapsed / 200) + 1)
  })

  test('after another one it waits for a tick that comes soon', async () => {
    const clocks = { frozenTicks: false, frozen: true, tickInterval: 300, timestamp: undefined }
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const dashboard = await startDashboard(clocks)
    const page = await openPage(dashboard)
    // Unlike a poll, it hardly moves the time.
    const untilPushed = async (count: number) => {
      while (page.pushed.length < count) {
        await turn()
        await vi.advanceTimersByTimeAsync(1)
      }
    }
    await pay(dashboard)
    // The engine is loaded then, and the next tick comes after a whole interval.
    await dashboard.devnet.clock.advance({ ticks: 1 })
    await untilPushed(1)
    const first = page.pushed.length
    await pay(dashboard)
    // Longer than the interval of pushes.
    await vi.advanceTimersByTimeAsync(250)
    await dashboard.ask('state', {})
    expect(page.pushed.length).toBe(first)
    await untilPushed(first + 1)
    expect(page.pushed.at(-1)).toMatchObject({
      status: { pending: { ticks: 2 } },
      counts: { end: 2, waiting: 0 },
    })
  })

  test('what is idle is silent', async () => {
    const dashboard = await startDashboard({ frozenTicks: false, frozen: true, tickInterval: 5 })
    const page = await openPage(dashboard)
    await page.ask('command', { name: 'seal' })
    const before = page.pushed.length
    let ticks = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setInterval(() => {
      if (++ticks > 100) resolve()
    }, 5)
    await promise
    clearInterval(timer)
    expect(
      page.pushed.slice(before).filter(({ status }) => status.pending.transactions > 0),
    ).toEqual([])
  })

  test('failed requests are in the log, without secrets, and calls that succeed too', async () => {
    const dashboard = await startDashboard()
    const page = await openPage(dashboard)
    const ask = (method: string, ...params: unknown[]) =>
      fetch(dashboard.devnet.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    await ask('eth_getBalance', 'nobody')
    await ask('personal_unlockAccount', ALICE, 'my password')
    await ask('eth_chainId')
    const { lines } = await dashboard.ask('log', {})
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['failed', expect.stringContaining('eth_getBalance ["nobody"]: invalid argument 0')],
      ['failed', expect.stringContaining('personal_unlockAccount: the method')],
      ['request', expect.stringContaining('eth_chainId')],
    ])
    expect(JSON.stringify(lines)).not.toContain('my password')
    await expect.poll(() => page.pushed.flatMap((one) => one.lines).length).toBe(3)
    const last = lines.at(-1)?.id ?? 0
    expect((await dashboard.ask('log', { after: last - 1 })).lines).toEqual(lines.slice(-1))
  })

  test('failures among many requests are pushed', async () => {
    const dashboard = await startDashboard()
    const page = await openPage(dashboard)
    const batch = Array.from({ length: 100 }, (_, id) => {
      return { jsonrpc: '2.0', id, method: id < 40 ? 'eth_wrong' : 'eth_chainId' }
    })
    const body = JSON.stringify(batch)
    await fetch(dashboard.devnet.url, { method: 'POST', headers: JSON_HEADERS, body })
    const pushed = () => page.pushed.flatMap(({ lines }) => lines)
    await expect.poll(() => pushed().at(-1)?.id).toBe(100)
    expect(pushed().filter(({ kind }) => kind === 'failed')).toHaveLength(40)
  })

  test('what is sealed while a push looks for names is pushed by the next', async () => {
    const source = sourceOf('Bazaar')
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const contracts: ContractSource = {
      ...source,
      async deployedAs(code) {
        asked.resolve()
        await gate.promise
        return source.deployedAs(code)
      },
    }
    const dashboard = await startDashboard({ frozen: true, contracts })
    const page = await openPage(dashboard)
    const { abi, bytecode } = artifact('Bazaar')
    const data = encodeDeployData({ abi, bytecode, args: ['x'] })
    await dashboard.rpc('eth_sendTransaction', { from: ALICE, data })
    await dashboard.rpc('preconf_advance', { blocks: 1 })
    await asked.promise
    for (let count = 0; count < 3; count++) {
      await pay(dashboard)
      await dashboard.rpc('preconf_advance', { blocks: 1 })
    }
    await pay(dashboard)
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    gate.resolve()
    await expect.poll(() => page.pushed.at(-1)?.status.latest.number).toBe(4)
    const blocks = page.pushed.flatMap(({ groups }) => groups)
    for (const number of [1, 2, 3, 4]) {
      expect(blocks).toContainEqual(
        expect.objectContaining({ number, hash: expect.stringMatching(/^0x/), transactions: 1 }),
      )
    }
    // All of a push is of one moment.
    for (const { status, counts, groups } of page.pushed) {
      const { pending, latest } = status
      expect(counts.end).toBe(latest.number + pending.transactions)
      expect(groups.at(-1)).toMatchObject({
        number: pending.number,
        transactions: pending.transactions,
      })
    }
  })

  test('requests that succeed are no lines once the last page is closed', async () => {
    const dashboard = await startDashboard()
    const [one, other] = [await openPage(dashboard), await openPage(dashboard)]
    one.socket.close()
    other.socket.close()
    await Promise.all([one, other].map(({ socket }) => closed(socket)))
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
    await fetch(dashboard.devnet.url, { method: 'POST', headers: JSON_HEADERS, body })
    const { lines } = await dashboard.ask('log', {})
    expect(lines).toEqual([])
  })
})

function closed(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve(undefined)
    else socket.once('close', resolve)
  })
}
