import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { describeInBrowser } from './browser/chromium.ts'
import {
  DashboardStage,
  openDashboard,
  play,
  type Scene,
  viewUrl,
} from './browser/dashboardStage.ts'
import { COLOR_RULES, violationsOf } from './browser/violations.ts'

/** All views, each with its path. */
const VIEWS: readonly (readonly [name: string, pathOf: (scene: Scene) => string])[] = [
  ['Now', () => '/'],
  ['Transactions', () => '/txs'],
  ['a transaction', ({ deposit }) => `/tx/${deposit}`],
  ['a transaction that reverted', ({ reverted }) => `/tx/${reverted}`],
  ['Blocks', () => '/blocks'],
  ['a block', () => '/block/14'],
  ['Mempool', () => '/mempool'],
  ['Accounts', () => '/accounts'],
  ['an account', ({ vault }) => `/address/${vault.address}`],
  ['Contracts', () => '/contracts#Vault'],
  ['Gas', () => '/gas'],
  ['Log', () => '/log'],
]

/** Shows a view, and waits until it has its content. */
async function show(page: Page, stage: DashboardStage, path: string): Promise<void> {
  await page.goto(viewUrl(stage, path))
  await page.locator('main :is(table, dl, details, .empty, .lines)').first().waitFor()
}

/** The element with the focus, in words. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    `(() => {
      const { activeElement: own } = document
      return own.getAttribute('aria-label') ?? own.textContent.trim()
    })()`,
  )
}

describeInBrowser('dashboard, for everybody', (open) => {
  describe.each([
    ['light', undefined],
    ['dark', COLOR_RULES],
  ] as const)('in the %s theme', (colorScheme, rules) => {
    test('axe finds nothing in any view', async () => {
      await using stage = await DashboardStage.start()
      const scene = await play(stage)
      await using opened = await open({ colorScheme, reducedMotion: 'reduce' })
      const { page } = opened
      await openDashboard(page, stage)
      for (const [name, pathOf] of VIEWS) {
        await show(page, stage, pathOf(scene))
        expect(await violationsOf(page, rules), name).toEqual([])
      }
    })

    test('axe finds nothing in the list of keys, the control panel, and without a token', async () => {
      await using stage = await DashboardStage.start()
      await using opened = await open({ colorScheme, reducedMotion: 'reduce' })
      const { page } = opened
      await page.goto(viewUrl(stage, '/'))
      await page.getByLabel('Address or token').waitFor()
      expect(await violationsOf(page, rules)).toEqual([])
      await openDashboard(page, stage)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      expect(await violationsOf(page, rules)).toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('Shift+C')
      await page.getByRole('button', { name: 'Take snapshot' }).waitFor()
      expect(await violationsOf(page, rules)).toEqual([])
    })
  })

  test.each([
    [320, 640],
    [720, 900],
    [1199, 800],
    [2560, 1440],
  ])('at %i px no view scrolls sideways', async (width, height) => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open({ viewport: { width, height } })
    const { page } = opened
    await openDashboard(page, stage)
    for (const path of VIEWS.map(([, pathOf]) => pathOf(scene))) {
      await show(page, stage, path)
      const [whole, shown] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )
      expect(whole, `${path} at ${width}`).toBeLessThanOrEqual(shown)
    }
  })

  test('a person with a keyboard alone finds a revert, and freezes and seals', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    await openDashboard(page, stage)
    const { keyboard } = page
    await keyboard.press('Tab')
    expect(await focused(page)).toBe('To the view')
    await keyboard.press('g')
    await keyboard.press('t')
    await page.getByRole('heading', { name: 'Transactions' }).waitFor()
    await keyboard.press('/')
    expect(await focused(page)).toBe('Search')
    await keyboard.type(scene.reverted)
    await keyboard.press('Enter')
    // The list tells the reason, too.
    await expect.poll(() => page.url()).toContain(scene.reverted)
    await page.getByText('InsufficientShares').first().waitFor()
    await keyboard.press('{')
    await expect.poll(() => page.url()).not.toContain(scene.reverted)
    await page.getByText('Vault.').first().waitFor()
    await keyboard.press('g')
    await keyboard.press('t')
    await page.locator('tr[data-row]').first().waitFor()
    await keyboard.press('j')
    await keyboard.press('j')
    await keyboard.press('k')
    const hash = await page.evaluate<string>('document.activeElement.dataset.row')
    await keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(viewUrl(stage, `/tx/${hash}`))

    await keyboard.press('s')
    await expect.poll(async () => (await stage.devnet.clock.status()).latest.number).toBe(21)
    // Keys are letters in a field.
    await keyboard.press('/')
    await keyboard.type('seal')
    await keyboard.press('Escape')
    await keyboard.press('Escape')
    expect((await stage.devnet.clock.status()).latest.number).toBe(21)
    await keyboard.press('f')
    await expect.poll(async () => (await stage.devnet.clock.status()).sealing.running).toBe(true)
    // The key turns what the page shows, and the node knows first.
    await page.getByText('Both clocks run.').first().waitFor()
    await keyboard.press('Shift+F')
    await expect.poll(async () => (await stage.devnet.clock.status()).ticks.running).toBe(false)
    // All single keys can be switched off.
    await keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.getByLabel('Single keys are on').press('Space')
    await keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' })
    await keyboard.press('g')
    await keyboard.press('b')
    expect(page.url()).toBe(viewUrl(stage, `/tx/${hash}`))
  })

  test('the picture is one tab stop, in which arrows move and Escape closes the words', async () => {
    await using stage = await DashboardStage.start()
    await play(stage)
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    await openDashboard(page, stage)
    const picture = page.getByRole('group', { name: /^Ticks and blocks/ })
    await picture.locator('a').first().waitFor()
    expect(await picture.locator('[tabindex="0"]').count()).toBe(1)
    await picture.locator('[tabindex="0"]').focus()
    // Tab leads out of it at once, and back to the same place.
    await page.keyboard.press('Tab')
    expect(await picture.locator('a:focus').count()).toBe(0)
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toMatch(/^Block 21, pending: 6 transactions, 1 reverted/)
    await page.keyboard.press('Shift+Tab')
    expect(await picture.locator('a:focus').count()).toBe(0)
    await page.keyboard.press('Tab')
    await page.getByRole('tooltip').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toMatch(/^Tick \d+ of block 21, pending/)
    await page.keyboard.press('Home')
    expect(await focused(page)).toMatch(/^Tick 0 of block 1:/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Block #1' }).waitFor()
  })

  test('the picture has one tab stop, also after a seal and a revert', async () => {
    await using stage = await DashboardStage.start()
    await play(stage)
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    await openDashboard(page, stage)
    const stops = page.locator('.picture [tabindex="0"]')
    await stops.focus()
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toMatch(/^Tick \d+ of block 21, pending/)
    await stage.seal()
    await page.getByRole('link', { name: /^Block 21, sealed/ }).waitFor({ state: 'attached' })
    expect(await stops.count()).toBe(1)
    expect(await focused(page)).toMatch(/^Tick \d+ of block 21:/)
    // The tick that had the focus is gone.
    await stage.rpc('evm_revert', '0x1')
    await page.getByRole('link', { name: /^Block 21, pending: 0/ }).waitFor({ state: 'attached' })
    expect(await stops.count()).toBe(1)
  })

  test('the row of the pending block keeps the focus when it is sealed', async () => {
    await using stage = await DashboardStage.start()
    await play(stage)
    await stage.seal()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    await page.goto(viewUrl(stage, '/blocks'))
    const row = page.locator('tr:focus')
    await page.getByRole('cell', { name: 'Pre-confirmed #22' }).waitFor()
    await page.keyboard.press('j')
    expect(await row.innerText()).toContain('#22')
    await stage.devnet.clock.advance({ blocks: 2 })
    await page.getByRole('cell', { name: 'Pre-confirmed #24' }).waitFor()
    expect(await row.innerText()).toContain('#24')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Block #24' }).waitFor()
  })

  test('a screen reader is told of each seal, if a person wants that', async () => {
    await using stage = await DashboardStage.start()
    await play(stage)
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    await page.keyboard.press('?')
    await page.getByLabel('A screen reader is told of each seal').check()
    await page.keyboard.press('Escape')
    await stage.seal()
    const said = page.locator('[aria-live="polite"]')
    await expect.poll(() => said.innerText()).toBe('Block 21 is sealed: 6 transactions.')
  })

  test('with reduced motion nothing moves', async () => {
    await using stage = await DashboardStage.start({ frozenTicks: false })
    await using opened = await open({ reducedMotion: 'reduce' })
    const { page } = opened
    await openDashboard(page, stage)
    await stage.send({ from: 0, to: stage.accounts[1] as `0x${string}`, value: 1n })
    await page.locator('.cell').first().waitFor()
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
  })

  test('the theme follows the system until one is chosen, and that is kept', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open({ colorScheme: 'dark' })
    const { page } = opened
    await openDashboard(page, stage)
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(await ground()).toBe('rgb(16, 22, 20)')
    await page.getByRole('button', { name: 'Theme: system' }).click()
    expect(await ground()).toBe('rgb(244, 246, 245)')
    await page.reload()
    await page.getByRole('button', { name: 'Theme: light' }).waitFor()
    expect(await ground()).toBe('rgb(244, 246, 245)')
  })
})
