import { expect, test, vi } from 'vitest'
import { failing, UpstreamProxy } from '../support/upstreamProxy.ts'
import { describeInBrowser } from './browser/chromium.ts'
import { DashboardStage, openDashboard, play, viewUrl } from './browser/dashboardStage.ts'

/** Runs in the page: the edges of the first element of each selector, in px. */
const EDGES = `(...selectors) => selectors.map((one) => {
  const { left, right } = document.querySelector(one).getBoundingClientRect()
  return { left, right }
})`

describeInBrowser('dashboard, its shell', (open) => {
  test('scripts and styles come packed, under names that browsers may keep', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page, problems } = opened
    const parts: Record<string, string>[] = []
    page.on('response', (response) => {
      if (/\.(?:js|css)$/.test(response.url())) {
        parts.push({ ...response.headers(), name: response.url().replace(/^.*\//, '') })
      }
    })
    await openDashboard(page, stage)
    expect(parts.length).toBeGreaterThanOrEqual(2)
    for (const part of parts) {
      expect(part).toMatchObject({
        name: expect.stringMatching(/^[a-zA-Z]+-[A-Z0-9]{8}\.(?:js|css)$/),
        'content-encoding': 'gzip',
        'cache-control': 'max-age=31536000, immutable',
      })
    }
    expect(problems).toEqual([])
  })

  test('a page that is open goes on after a restart with the same token, and else says what to do', async () => {
    const name = 'PENDING_NODE_DASHBOARD_TOKEN'
    vi.stubEnv(name, 'of-several-runs-0123456789')
    try {
      const first = await DashboardStage.start()
      const port = Number(new URL(first.devnet.url).port)
      await using opened = await open()
      const { page } = opened
      await openDashboard(page, first)
      await first.devnet.stop()
      await page.locator('[data-link="lost"]').waitFor()
      const second = await DashboardStage.start({ port })
      await page.locator('[data-link="live"]').waitFor()
      await second.devnet.stop()
      vi.stubEnv(name, 'of-another-run-0123456789')
      await using third = await DashboardStage.start({ port })
      await page.getByText('The node was restarted with another token').waitFor()
      await page.getByText('npx pending-node --open').waitFor()
      await page.getByLabel('Address or token').fill(third.pageUrl)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.locator('[data-link="live"]').waitFor()
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('an unknown path is a page with a way back', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    const response = await page.goto(viewUrl(stage, '/nothing/here'))
    expect(response?.status()).toBe(404)
    await page.getByText('There is no such view.').waitFor()
    await page.getByRole('link', { name: 'To the dashboard' }).click()
    await page.getByText('There is no such view.').waitFor({ state: 'detached' })
    expect(page.url()).toBe(viewUrl(stage, '/'))
  })

  test('header and body have the same edges on a wide page, and the sidebar has room for its words', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open({ viewport: { width: 1920, height: 900 } })
    const { page } = opened
    await openDashboard(page, stage)
    await page.goto(viewUrl(stage, '/txs'))
    await page.locator('.nav [aria-current]').waitFor()
    type Edges = { readonly left: number; readonly right: number }
    const edges = await page.evaluate<Edges[]>(
      `(${EDGES})('.logo', '.nav .icon', '.panel-toggle, .top > :nth-last-child(2)', '.side > *')`,
    )
    const [logo, icon, last, side] = edges
    expect(logo?.left).toBeCloseTo(icon?.left ?? 0, 0)
    expect(last?.right).toBeCloseTo(side?.right ?? 0, 0)
    const widths = await page.evaluate<number[]>(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('.nav [aria-current] .word')
      return [scrollWidth, clientWidth]
    })()`)
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0)
  })

  test('with forced colours, dots and cards have colours of the system', async () => {
    await using stage = await DashboardStage.start({ wallet: { policy: 'hold' } })
    await play(stage)
    await using opened = await open({ forcedColors: 'active', colorScheme: 'dark' })
    const { page } = opened
    await openDashboard(page, stage)
    const dots = await page.evaluate<string[]>(`[
      getComputedStyle(document.querySelector('.top .link'), '::before').backgroundColor,
      getComputedStyle(document.querySelector('.lamp')).backgroundColor,
      getComputedStyle(document.body).backgroundColor,
    ]`)
    const [live, lamp, ground] = dots
    expect([live, lamp]).not.toContain(ground)
    await page.goto(viewUrl(stage, '/accounts'))
    await page.locator('.square').first().waitFor()
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.square')).backgroundImage`),
    ).toMatch(/^linear-gradient/)
    await page.goto(stage.devnet.wallet.pageUrl)
    await page.locator('[data-link="live"]').waitFor()
    const dot = await page.evaluate(
      `getComputedStyle(document.querySelector('.link'), '::before').backgroundColor`,
    )
    expect(dot).toBe(live)
  })

  test('a request that waits in the wallet is told in the header, with the way there', async () => {
    await using stage = await DashboardStage.start({ wallet: { policy: 'hold' } })
    await using opened = await open()
    const { page } = opened
    // The dashboard does not know the token of the wallet, which the browser keeps.
    await page.goto(stage.devnet.wallet.pageUrl)
    await page.locator('[data-link="live"]').waitFor()
    await openDashboard(page, stage)
    expect(await page.getByText('request waits').count()).toBe(0)
    const asked = fetch(stage.devnet.wallet.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_requestAccounts"}',
    })
    const link = page.getByRole('link', { name: '1 request waits' })
    const [approval] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await approval.locator('[data-link="live"]').waitFor()
    expect(approval.url()).not.toContain(stage.devnet.wallet.token)
    const [request] = await stage.devnet.wallet.pending()
    await stage.devnet.wallet.reject(request?.id ?? '')
    await asked
    await link.waitFor({ state: 'detached' })
  })
})

describeInBrowser('dashboard of a fork', (open) => {
  test('of what it is a fork stands in the header, and what is older comes from the upstream', async () => {
    await using upstream = await DashboardStage.start()
    const { token, deposit } = await play(upstream)
    const secret = 'a-key-in-the-path'
    const proxy = await UpstreamProxy.start(upstream.devnet.url)
    await upstream.seal()
    await using stage = await DashboardStage.start({
      fork: `${proxy.url}/${secret}`,
      noForkCache: true,
      forkTimeout: 3_000,
      timestamp: undefined,
    })
    try {
      const { latest } = await stage.devnet.clock.status()
      await stage.devnet.clock.advance({ blocks: 2 })
      await using opened = await open()
      const { page, problems } = opened
      await openDashboard(page, stage)
      const host = new URL(proxy.url).host
      const chip = page.getByRole('link', { name: `Fork of ${host} at #${latest.number}` })
      await chip.waitFor()
      await page.goto(viewUrl(stage, '/blocks'))
      await page.getByText('empty blocks').waitFor()
      const asked = proxy.items('eth_getBlockByNumber')
      await page.getByRole('link', { name: 'Older blocks: from the upstream' }).click()
      await page
        .getByRole('link', { name: `#${latest.number}`, exact: true })
        .last()
        .waitFor()
      expect(proxy.items('eth_getBlockByNumber')).toBeLessThanOrEqual(asked + 10)
      await page.getByRole('link', { name: 'Older blocks' }).click()
      await page.getByText("These blocks are the upstream's.").waitFor()
      await page.getByRole('link', { name: '#2', exact: true }).waitFor()

      await page.goto(viewUrl(stage, `/block/${latest.number}`))
      await page.getByText('from the upstream').waitFor()
      await page.locator(`a[href="/dashboard/tx/${deposit}"]`).click()
      await page.getByRole('heading', { name: 'Transaction', exact: true }).waitFor()
      await page.getByText('from the upstream').waitFor()
      await page.getByText('Vault.deposit').first().waitFor()
      await page.goto(viewUrl(stage, '/block/1'))
      await page.getByRole('heading', { name: 'Block #1' }).waitFor()
      await page.goto(viewUrl(stage, `/address/${token.address}`))
      await page.getByText('Token').first().waitFor()

      const method = 'eth_getTransactionByHash'
      const once = proxy.items(method)
      await stage.devnet.clock.advance({ blocks: 3 })
      await page.goto(viewUrl(stage, `/tx/0x${'12'.repeat(32)}`))
      await page.getByText('the upstream was asked').waitFor()
      await stage.devnet.clock.advance({ blocks: 1 })
      // Once for however many changes of the chain.
      expect(proxy.items(method)).toBe(once + 1)
      proxy.play(failing({ code: -32_000, message: 'out of credits' }))
      await page.goto(viewUrl(stage, '/block/0'))
      await page.getByText('out of credits').waitFor()
      expect(await page.content()).not.toContain(secret)
      expect(problems).toEqual([])
    } finally {
      await proxy.stop()
    }
  })
})
