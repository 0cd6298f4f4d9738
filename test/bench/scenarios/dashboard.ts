import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { packageRoot } from '../../../devnet/primitives/packageRoot.ts'
import { launch } from '../../full/browser/chromium.ts'
import { sendAtRate } from '../load.ts'
import { call } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { TickWatch, timesOf } from '../tickWatch.ts'
import { Traffic } from '../traffic.ts'
import { batches, sendUntilVisible, singles } from '../visibility.ts'

const COUNT = 100_000
const BLOCK = 500
const BATCH = 50
/** Transactions a second. */
const RATE = 500
/** s; the window has 150 ticks, so that its p99 is not the slowest of them. */
const WARM_UP = 3
const WINDOW = 30

/** Notes when the first row is there, and how long the main thread is taken at a time. */
const WATCH = `
  window.longTasks = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks += duration
  }).observe({ type: 'longtask' })
  new MutationObserver((_, observer) => {
    if (document.querySelector('tr[data-row]') === null) return
    window.firstRow = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
`

/** What the dashboard costs a browser and the node. Needs Debian's chromium. */
export const dashboard: Scenario = {
  name: 'dashboard',
  about:
    'its page with 100,000 transactions (budgets: 60 kB, first rows in 1 s, 60 rows, 80 MB), and the ticks with a dashboard open at 500 transfers a second (10 ms, p99)',
  peers: ['ours'],
  rounds: 1,
  async measure() {
    const browser = await launch()
    try {
      return [size(), ...(await longList(browser)), ...(await underLoad(browser))]
    } finally {
      await browser.close()
    }
  },
}

function size(): Measurement {
  const folder = new URL('dist/devnet/dashboard/browser/', packageRoot)
  const bytes = ['page.js', 'page.css'].map(
    (name) => gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length,
  )
  const value = bytes.reduce((sum, each) => sum + each, 0) / 1_000
  return { metric: 'JS and CSS, gzip', unit: 'kB', better: 'lower', value }
}

async function longList(browser: Browser): Promise<readonly Measurement[]> {
  await using devnet = await TickWatch.start()
  const connections = devnet.connect(8)
  const [connection] = connections
  if (connection === undefined) throw new Error('No connection')
  const traffic = new Traffic()
  for (let sent = 0; sent < COUNT; sent += BLOCK) {
    const list = batches(traffic.transfers(BLOCK), BATCH)
    await sendUntilVisible(connections, list, traffic.nonces)
    await call(connection, { method: 'preconf_seal' })
  }
  const page = await openPage(browser, devnet.dashboardUrl)
  await page.goto(devnet.dashboardUrl.replace('/#', '/txs#'))
  await page.locator('tr[data-row]').first().waitFor()
  const firstRows = await page.evaluate<number>('window.firstRow')
  for (let step = 1; step <= 40; step += 1) {
    await page.evaluate(`scrollTo(0, ${step} / 40 * document.body.scrollHeight)`)
    await page.locator('tr[data-row]').first().waitFor()
  }
  const rows = await page.locator('tr[data-row]').count()
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await page.context().close()
  return [
    { metric: 'first rows', unit: 'ms', better: 'lower', value: firstRows },
    { metric: 'rows in the DOM', unit: '', better: 'lower', value: rows },
    {
      metric: 'heap after scrolling to the end',
      unit: 'MB',
      better: 'lower',
      value: usedSize / 1e6,
    },
  ]
}

async function underLoad(browser: Browser): Promise<readonly Measurement[]> {
  const requests = singles(new Traffic().transfers(RATE * (WARM_UP + WINDOW)))
  await using devnet = await TickWatch.start()
  const page = await openPage(browser, devnet.dashboardUrl)
  const sending = sendAtRate(devnet.connect(4), (index) => requests[index], 1000 / RATE)
  await Promise.race([sleep(WARM_UP * 1000), sending])
  devnet.begin()
  const before = await page.evaluate<number>('window.longTasks')
  await sending
  const { lateness } = await devnet.end()
  const taken = (await page.evaluate<number>('window.longTasks')) - before
  await page.context().close()
  return [
    ...timesOf('view published late, dashboard open', lateness),
    {
      metric: 'main thread in long tasks',
      unit: '%',
      better: 'lower',
      value: (100 * taken) / (WINDOW * 1_000),
    },
  ]
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.addInitScript(WATCH)
  await page.goto(url)
  await page.locator('[data-link="live"]').waitFor()
  return page
}
