import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ArtifactFolder } from '../../plugin/artifacts/artifact-folder.ts'
import { type BuiltProject, buildProject } from '../support/builtProject.ts'
import { describeInBrowser } from './browser/chromium.ts'
import {
  DashboardStage,
  openDashboard,
  play,
  type Scene,
  viewUrl,
} from './browser/dashboardStage.ts'

/** Where all pictures go, to be looked at; git ignores it. */
const ALL = new URL('./pictures/', import.meta.url)
/** Where those in the README lie. */
const SHOWN = new URL('../../devnet/', import.meta.url)

/** The views, each with words that must be in its picture. */
function viewsOf(scene: Scene): readonly (readonly [name: string, path: string, words: string])[] {
  return [
    ['now', '/', 'nonce 0 is missing'],
    ['transactions', '/txs', 'Vault.deposit'],
    ['transactions-reverted', '/txs?reverted=true', 'Vault.withdraw'],
    ['transaction', `/tx/${scene.deposit}`, 'Balance changes'],
    ['transaction-reverted', `/tx/${scene.reverted}`, 'contracts/Vault.sol:'],
    ['transaction-queued', `/tx/${scene.behindGap}`, 'nonce 0 is missing'],
    ['blocks', '/blocks', 'empty blocks'],
    ['block', '/block/14', 'Header'],
    ['block-pending', '/block/pending', 'sealing frozen'],
    ['mempool', '/mempool', 'Nonce 0 is missing'],
    ['accounts', '/accounts', 'Account #0'],
    ['address', `/address/${scene.vault.address}`, 'Created by'],
    ['contracts', '/contracts#Vault', 'sharesOf'],
    ['log', '/log', 'deposits 2000000000000000000 wei'],
    ['unknown', `/tx/0x${'ab'.repeat(32)}`, 'Not found'],
  ]
}

describeInBrowser('pictures of the dashboard', (open) => {
  describe.each([
    ['light', 'desktop', 1280, 932],
    ['dark', 'desktop', 1280, 932],
    ['light', 'phone', 390, 844],
    ['dark', 'phone', 390, 844],
  ] as const)('%s, %s', (colorScheme, size, width, height) => {
    test('each view shows the traffic, and nothing is wider than the page', async () => {
      const project = compiledProject()
      const contracts = new ArtifactFolder(project.artifacts)
      await using stage = await DashboardStage.start({ contracts }, project.contract)
      await using opened = await open({
        viewport: { width, height },
        colorScheme,
        timezoneId: 'UTC',
        locale: 'en-US',
        reducedMotion: 'reduce',
      })
      const { page } = opened
      // Open while it happens: only then it is known how many waited after each tick.
      await openDashboard(page, stage)
      await page.getByText('No transactions yet.').waitFor()
      await take(page, `empty-${colorScheme}-${size}`)
      const scene = await play(stage)
      for (const [name, path, words] of viewsOf(scene)) {
        await page.goto(viewUrl(stage, path))
        await page.locator('main').getByText(words).first().waitFor()
        const taken = await take(page, `${name}-${colorScheme}-${size}`)
        expect(await sidewaysOf(page), path).toEqual([])
        if (colorScheme === 'light' && size === 'desktop') show(name, taken)
      }
      await page.goto(viewUrl(stage, '/'))
      await page.getByText('nonce 0 is missing').first().waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      await take(page, `keys-${colorScheme}-${size}`)
      await page.keyboard.press('Escape')
      if (size === 'phone') {
        await page.getByRole('button', { name: 'Control panel' }).click()
        await page.getByRole('button', { name: 'Take snapshot' }).waitFor()
        await take(page, `control-${colorScheme}-${size}`)
        await page.keyboard.press('Escape')
      }
      await stage.devnet.stop()
      await page.getByText('Connection lost').waitFor({ state: 'attached' })
      await take(page, `lost-${colorScheme}-${size}`)
      expect(opened.problems).toEqual([])
    })
  })
})

/** The contracts of the traffic as a project has them, with their sources. */
function compiledProject(): BuiltProject {
  const sources = ['Token', 'Vault', 'Talker'].map((name) => {
    const file = new URL(`../support/contracts/${name}.sol`, import.meta.url)
    return [`contracts/${name}.sol`, readFileSync(file, 'utf8')] as const
  })
  const console = new URL('../../node_modules/hardhat/console.sol', import.meta.url)
  return buildProject(
    { ...Object.fromEntries(sources), 'hardhat/console.sol': readFileSync(console, 'utf8') },
    { remappings: ['hardhat/=project/hardhat/'] },
  )
}

/** Pictures in the README: taken anew with UPDATE_PICTURE=1, else compared by their size. */
function show(name: string, taken: Buffer): void {
  const file = { now: 'dashboard-now.png', 'transaction-reverted': 'dashboard-reverted.png' }[name]
  if (file === undefined) return
  const place = new URL(file, SHOWN)
  if (process.env.UPDATE_PICTURE === '1') writeFileSync(place, taken)
  const kept = readFileSync(place)
  expect(sizeOf(taken)).toEqual(sizeOf(kept))
  expect(kept.length).toBeLessThan(180_000)
}

async function take(page: Page, name: string): Promise<Buffer> {
  const taken = await page.screenshot({ animations: 'disabled' })
  mkdirSync(ALL, { recursive: true })
  writeFileSync(new URL(`${name}.png`, ALL), taken)
  // Of a list only the rows in view are there.
  const isLong = await page.evaluate<boolean>(
    `document.body.scrollHeight > innerHeight && document.querySelector('.rows') === null`,
  )
  if (isLong) {
    const whole = await page.screenshot({ animations: 'disabled', fullPage: true })
    writeFileSync(new URL(`${name}-whole.png`, ALL), whole)
  }
  return taken
}

/** What is wider than its place: the page, or a panel or table in it. */
function sidewaysOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    `[document.documentElement, ...document.querySelectorAll('.scroll-x, .panel')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ innerText }) => innerText)`,
  )
}

/** Width and height of a PNG, in pixels. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}
