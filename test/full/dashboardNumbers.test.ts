import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { describeInBrowser, type Open } from './browser/chromium.ts'
import {
  DashboardStage,
  type Performance,
  play,
  showStage,
  viewUrl,
} from './browser/dashboardStage.ts'

/** Adds up the shifts of the layout, those after a click or a key included. */
const WATCH_SHIFTS = `
  window.shifts = 0
  window.shifted = []
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      window.shifts += value
      window.shifted.push(...sources.map(({ node }) => node?.className ?? node?.nodeName))
    }
  }).observe({ type: 'layout-shift', buffered: false })
`

async function perform(open: Open): Promise<Performance> {
  const stage = await DashboardStage.start()
  await play(stage)
  return showStage(open, stage)
}

/** Ticks of transfers, of which each is shown before the next begins; every tenth one seals. */
async function flood({ stage, page }: Performance, ticks: number): Promise<void> {
  const to = stage.accounts[9] as Hex
  for (let tick = 1; tick <= ticks; tick += 1) {
    const sent = Array.from({ length: 20 }, () => stage.send({ from: 8, to, value: 1n }))
    await Promise.all(sent)
    await stage.tick()
    if (tick % 10 === 0) await stage.seal()
    const { latest, pending } = await stage.devnet.clock.status()
    const heads = page.locator('.heads')
    await heads.getByText(`#${latest.number}`).first().waitFor()
    const words = `${pending.transactions.length} pre-confirmed`
    if (
      !(await page
        .locator('.kept')
        .first()
        .evaluate((one) => one.matches(':hover')))
    ) {
      await page.getByText(words, { exact: true }).waitFor()
    }
  }
}

describeInBrowser('numbers over time', (open) => {
  test('Now draws latency, rate, gas and base fee, and says the latest of each', async () => {
    await using performance = await perform(open)
    const { page } = performance
    const numbers = page.getByRole('region', { name: 'Numbers over time' })
    const picture = (name: RegExp) => numbers.getByRole('img', { name })
    // At once, of what was there before the page.
    await picture(
      /^Accepted to pre-confirmed over \d+ ticks: [\d.]+ m?s p50, [\d.]+ m?s p95$/,
    ).waitFor()
    await picture(/^Transactions a second over the last 2 minutes: \d+ now, \d+ at most$/).waitFor()
    await picture(/^Gas a block over 21 blocks: [\d,]+ in #20, (?:<\s)?\d+\s%$/).waitFor()
    await picture(/^Base fee over 21 blocks: [\d.]+ gwei in #20$/).waitFor()
    expect(await numbers.getByRole('img').count()).toBe(4)
    await performance.stage.seal()
    await picture(/^Base fee over 22 blocks: [\d.]+ gwei in #21$/).waitFor()
  })

  test('nothing moves by itself, whatever is pre-confirmed and sealed', async () => {
    await using performance = await perform(open)
    const { page } = performance
    await page.getByRole('img', { name: /^Base fee over 21/ }).waitFor()
    await page.locator('.newest li').nth(7).waitFor()
    await page.evaluate(WATCH_SHIFTS)
    await flood(performance, 25)
    const [shifts, shifted] = await page.evaluate<[number, string[]]>(
      '[window.shifts, window.shifted]',
    )
    expect(shifts, [...new Set(shifted)].join('; ')).toBeLessThan(0.05)
  })

  test('rows stay while they are pointed at, and say how many are new', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const first = page.locator('.newest li').first()
    await first.hover()
    const before = await first.getAttribute('data-row')
    await flood(performance, 2)
    const panel = page.getByRole('region', { name: 'Newest transactions' })
    await panel.getByText(/^\d+ new$/).waitFor()
    expect(await first.getAttribute('data-row')).toBe(before)
    await page.mouse.move(5, 5)
    await panel.getByText(/^\d+ new$/).waitFor({ state: 'detached' })
    await expect.poll(() => first.getAttribute('data-row')).not.toBe(before)
    // What a command takes back is not held.
    await first.hover()
    const gone = await first.getAttribute('data-row')
    await stage.rpc('evm_revert', '0x1')
    await expect.poll(() => first.getAttribute('data-row')).not.toBe(gone)
  })

  test('gas by function is sorted by what one clicks', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await page.goto(viewUrl(stage, '/gas'))
    const names = () => page.locator('main tbody td:first-child > bdi').allInnerTexts()
    await page.getByText('Token.transfer').waitFor()
    await page.getByText(/^\d+ transactions$/).waitFor()
    await page.getByRole('button', { name: 'Calls' }).click()
    const column = page.getByRole('columnheader', { name: 'Calls' })
    expect(await column.getAttribute('aria-sort')).toBe('descending')
    const byCalls = await names()
    expect(byCalls[0]).toBe('Token.transfer')
    await page.getByRole('button', { name: 'Calls' }).click()
    expect(await column.getAttribute('aria-sort')).toBe('ascending')
    expect((await names()).at(-1)).toBe('Token.transfer')
    await page.getByRole('button', { name: 'Reverted' }).click()
    await page.getByRole('columnheader', { name: 'Reverted' }).waitFor()
    expect((await names())[0]).toBe('Vault.withdraw')
  })

  test('the life of a transaction is told in ms, and goes on while one looks', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const hash = await stage.send({ from: 8, to: stage.accounts[9] as Hex, value: 1n })
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    const life = page.locator('.life li')
    await life
      .first()
      .getByText(/^\d\d:\d\d:\d\d\.\d{3}, waits for the next tick$/)
      .waitFor()
    await stage.tick()
    await life
      .nth(1)
      .getByText(/^pre-confirmed \+[\d.]+ m?s, place \d+$/)
      .waitFor()
    await stage.seal()
    // The blocks of this stage are dated 2027.
    await life
      .nth(2)
      .getByText(/^\+[\d.]+ m?s, dated 2027-01-15 /)
      .waitFor()
    expect(await life.first().locator('time').getAttribute('title')).toMatch(/\d{4} at \d\d:/)
  })

  test('every gap of a sender is said, with age, value and fee of what waits', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const to = stage.accounts[9] as Hex
    for (const nonce of [5, 6, 9]) await stage.send({ from: 11, to, value: 3n, nonce })
    await page.goto(viewUrl(stage, '/mempool'))
    const sender = page.getByRole('region', { name: `Sender ${stage.accounts[11]}` })
    await sender
      .getByText('Nonces 0 to 4 and 7 to 8 are missing: 3 transactions wait for them.')
      .waitFor()
    const row = sender.locator('tbody tr').last()
    await row.getByText('behind 2 gaps').waitFor()
    await row.getByText(/gwei$/).waitFor()
    await row.getByText(/^(?:now|\d+ s)$/).waitFor()
    await page.getByText(/^base fee/).waitFor()
  })
})
