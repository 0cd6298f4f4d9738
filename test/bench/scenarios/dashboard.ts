import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launch } from '../../full/browser/chromium.ts'
import { pageParts, readPart } from '../../support/pageParts.ts'
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
/** s; the window has 300 ticks, so that its p99 is not the slowest of them. */
const WARM_UP = 3
const WINDOW = 60
/** s for which an open filter is watched. */
const WATCHED = 10

/** Notes when the first row is there, how long the main thread is taken, and what moves. */
const WATCH = `
  window.shifts = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shifts += value
  }).observe({ type: 'layout-shift' })
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
    'its page with 100,000 transactions (budgets: 60 kB, first rows in 1 s, 60 rows, 80 MB), a filter (the oldest in 3 s, 5 % of a core), and the ticks with a dashboard open at 500 transfers a second (10 ms, p99; layout shift 0.05 in 60 s)',
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
  const bytes = pageParts('dashboard').first.map(
    (name) => gzipSync(readPart('dashboard', name), { level: 9 }).length,
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
  let oldest = ''
  for (let sent = 0; sent < COUNT; sent += BLOCK) {
    const signed = traffic.transfers(BLOCK)
    if (sent === 0) oldest = signed[0]?.recipient ?? ''
    const list = batches(signed, BATCH)
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
  // The rows of where it stands now are on their way.
  await page.waitForSelector('.loading', { state: 'detached' })
  const rows = await page.locator('tr[data-row]').count()
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await page.context().close()
  return [
    ...(await search(browser, devnet, traffic, oldest)),
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

/** A filter for the oldest of many transactions, while others come. */
async function search(
  browser: Browser,
  devnet: TickWatch,
  traffic: Traffic,
  oldest: string,
): Promise<readonly Measurement[]> {
  const requests = singles(traffic.transfers(RATE * (2 * WARM_UP + 3 * WATCHED)))
  const sending = sendAtRate(devnet.connect(4), (index) => requests[index], 1000 / RATE)
  const page = await openPage(browser, devnet.dashboardUrl)
  const cpuShare = async () => {
    devnet.begin()
    await sleep(WATCHED * 1000)
    const { cpu, lateness } = await devnet.end()
    return { lateness, share: (100 * cpu) / (WATCHED * 1000) }
  }
  await page.goto(devnet.dashboardUrl.replace('/#', '/contracts#'))
  await sleep(WARM_UP * 1000)
  const without = await cpuShare()
  devnet.begin()
  const filtered = devnet.dashboardUrl.replace('/#', `/txs?q=to:${oldest}#`)
  const start = performance.now()
  await page.goto(filtered)
  await page.locator('tr[data-row]').first().waitFor()
  const found = performance.now() - start
  const searching = await devnet.end()
  const following = await cpuShare()
  await sending
  await page.context().close()
  return [
    { metric: 'oldest of 100,000 found at 500 tx/s', unit: 'ms', better: 'lower', value: found },
    {
      metric: 'an open filter, of a core of the node',
      unit: '%',
      better: 'lower',
      value: following.share - without.share,
    },
    ...timesOf('view published late, filter searching', searching.lateness),
    ...timesOf('view published late, filter open', following.lateness),
  ]
}

async function underLoad(browser: Browser): Promise<readonly Measurement[]> {
  const requests = singles(new Traffic().transfers(RATE * (WARM_UP + WINDOW)))
  await using devnet = await TickWatch.start()
  const page = await openPage(browser, devnet.dashboardUrl)
  const sending = sendAtRate(devnet.connect(4), (index) => requests[index], 1000 / RATE)
  await Promise.race([sleep(WARM_UP * 1000), sending])
  devnet.begin()
  const watched = () => page.evaluate<[number, number]>('[window.longTasks, window.shifts]')
  const before = await watched()
  await sending
  const { lateness } = await devnet.end()
  const after = await watched()
  await page.context().close()
  return [
    ...timesOf('view published late, dashboard open', lateness),
    {
      metric: 'main thread in long tasks',
      unit: '%',
      better: 'lower',
      value: (100 * (after[0] - before[0])) / (WINDOW * 1_000),
    },
    { metric: 'layout shift in 60 s', unit: '', better: 'lower', value: after[1] - before[1] },
  ]
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.addInitScript(WATCH)
  await page.goto(url)
  await page.locator('[data-link="live"]').waitFor()
  return page
}
