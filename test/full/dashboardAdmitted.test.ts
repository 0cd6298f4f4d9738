import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeInBrowser } from './browser/chromium.ts'
import {
  calldata,
  DashboardStage,
  openDashboard,
  play,
  type Scene,
  viewUrl,
} from './browser/dashboardStage.ts'

/** Gas for 100 kB of calldata (EIP-7623). */
const MUCH_GAS = '0xb71b00'

/** Runs in the page: asks the node at `path` with the token that the page keeps. */
const ASK = `(path, method, params) => fetch(path, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    authorization: 'Bearer ' + localStorage.getItem('devnet-dashboard-token'),
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})`

/** Bytes of the page's heap after a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

describeInBrowser('dashboard, with a token', (open) => {
  test('whatever contracts say, what page and node keep of it is bounded', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    await page.goto(viewUrl(stage, '/log'))
    await page.locator('[data-link="live"]').waitFor()
    const talker = await stage.deploy('Talker', ['x'])
    const data = calldata(talker, 'talk', 'x'.repeat(40_000), 1n)
    const call = { from: stage.accounts[1], to: talker.address, data, gas: MUCH_GAS }
    for (let count = 0; count < 220; count += 1) await stage.rpc('eth_call', call, 'pending')
    await page.locator('.lines').getByText('xxxx').first().waitFor()
    await expect
      .poll(() => page.evaluate<number>("document.querySelectorAll('.lines > *').length"))
      .toBeLessThanOrEqual(200)
    const longest = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('.lines > *')].map((line) => line.textContent.length))",
    )
    expect(longest).toBeLessThan(17_000)
    const kept = await page.evaluate<number>(
      `(${ASK})('/dashboard/api', 'log', {}).then((answer) => answer.text()).then((text) => text.length)`,
    )
    // 220 lines of 16,384 characters, of 40,000 that were said.
    expect(kept).toBeLessThan(3_800_000)
    expect(await heapOf(page)).toBeLessThan(80_000_000)

    const sent = calldata(talker, 'talk', 'y'.repeat(100_000), 1n)
    const hash = String(await stage.rpc('eth_sendTransaction', { ...call, data: sent }))
    await stage.tick()
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    await page.getByText('Talker.').first().waitFor()
    await page.getByText('Executing it again').waitFor({ state: 'detached' })
    // All but the raw answer of the node, which is as long as the transaction.
    const shown = await page.evaluate<number>(`(() => {
      document.querySelector('.raw').remove()
      return document.body.textContent.length
    })()`)
    // The line that the transaction logged, and at most 4,000 characters beside it.
    expect(shown).toBeLessThan(16_384 + 4_000)
  })

  test('no number of tabs or questions holds up the clocks', async () => {
    await using stage = await DashboardStage.start()
    await play(stage)
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    // One socket is the page's own.
    const states = await page.evaluate(`(async () => {
      const token = localStorage.getItem('devnet-dashboard-token')
      const ended = Array.from({ length: 12 }, () => new Promise((resolve) => {
        const opened = new WebSocket('ws://' + location.host + '/dashboard/api')
        opened.onopen = () => {
          opened.send(JSON.stringify({ token }))
          opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'transactions', params: {} }))
        }
        opened.onmessage = () => resolve('admitted')
        opened.onclose = () => resolve('refused')
      }))
      return (await Promise.all(ended)).sort()
    })()`)
    expect(states).toEqual([...Array(7).fill('admitted'), ...Array(5).fill('refused')])
    await page.evaluate(`(() => {
      window.answered = 0
      for (let count = 0; count < 300; count += 1) {
        (${ASK})('/dashboard/api', 'transactions', {}).then(() => { window.answered += 1 })
      }
    })()`)
    const { latest } = await stage.devnet.clock.status()
    await stage.devnet.clock.advance({ blocks: 3 })
    expect((await stage.devnet.clock.status()).latest.number).toBe(latest.number + 3)
    // The node has moved its clocks before it was through with the questions.
    expect(await page.evaluate('window.answered')).toBeLessThan(300)
    await expect.poll(() => page.evaluate('window.answered'), { timeout: 40_000 }).toBe(300)
  })

  test('its token opens neither the wallet nor the node, and its API is a fixed list', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    const codes = await page.evaluate(`(async () => {
      const ask = ${ASK}
      const codeOf = async (path, method, params = []) => {
        const answer = await ask(path, method, params)
        return answer.status === 200 ? (await answer.json()).error?.code : answer.status
      }
      return {
        wallet: await codeOf('/wallet/control', 'control_state'),
        walletHere: await codeOf('/dashboard/api', 'control_state'),
        send: await codeOf('/dashboard/api', 'eth_sendTransaction'),
        cheat: await codeOf('/dashboard/api', 'hardhat_setBalance'),
        inherited: await codeOf('/dashboard/api', 'constructor'),
        otherCommand: await codeOf('/dashboard/api', 'command', { name: 'setBalance' }),
        // As to any page of another tool: commands are for scripts.
        node: await codeOf('/', 'preconf_seal'),
      }
    })()`)
    expect(codes).toEqual({
      wallet: 401,
      walletHere: -32601,
      send: -32601,
      cheat: -32601,
      inherited: -32601,
      otherCommand: -32602,
      node: -32000,
    })
    expect((await stage.devnet.clock.status()).latest.number).toBe(0)
  })

  test('no view is told a key, a phrase or the token of the wallet', async () => {
    const mnemonic = `${'abandon '.repeat(11)}about`
    await using stage = await DashboardStage.start({ mnemonic })
    const scene = await play(stage)
    await using opened = await open()
    const { page } = opened
    const heard: string[] = []
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => heard.push(String(payload)))
    })
    await openDashboard(page, stage)
    for (const path of pathsOf(scene, String(stage.accounts[1]))) {
      await page.goto(viewUrl(stage, path))
      await page.locator('main :is(table, dl, details, .empty, .lines)').first().waitFor()
      heard.push(await page.content())
    }
    const all = heard.join('\n')
    expect(all).toContain(stage.accounts[1])
    expect(all).not.toContain(mnemonic)
    expect(all).not.toContain(stage.devnet.wallet.token)
    for (const { privateKey } of stage.devnet.accounts) {
      expect(all).not.toContain(privateKey.slice(2))
    }
  })
})

function pathsOf({ vault, deposit }: Scene, account: string): readonly string[] {
  return [
    '/',
    '/txs',
    `/tx/${deposit}`,
    '/blocks',
    '/block/14',
    '/mempool',
    '/accounts',
    `/address/${account}`,
    `/address/${vault.address}`,
    '/contracts#Vault',
    '/log',
  ]
}
