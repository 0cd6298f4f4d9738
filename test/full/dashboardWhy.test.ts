import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { encodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'
import type { OptionsInput } from '../../devnet/index.ts'
import { ArtifactFolder } from '../../plugin/artifacts/artifact-folder.ts'
import { placeOf, SOURCES } from '../integration/dashboard/project.ts'
import { buildProject } from '../support/builtProject.ts'
import { describeInBrowser, type Open } from './browser/chromium.ts'
import { DashboardStage, openDashboard, viewUrl } from './browser/dashboardStage.ts'

/** A node that knows a project, with its vault and router, and a page. */
async function perform(open: Open, options: OptionsInput = {}) {
  const project = buildProject(SOURCES)
  const contracts = new ArtifactFolder(project.artifacts)
  const stage = await DashboardStage.start({ contracts, ...options })
  const send = async (to: Hex | undefined, data: Hex) => {
    const hash = await stage.rpc('eth_sendTransaction', {
      from: stage.accounts[0],
      to,
      data,
      gas: '0x500000',
    })
    await stage.tick()
    return hash as Hex
  }
  const deploy = async (name: string, ...args: unknown[]) => {
    const data = project.creation(name, ...args).replace(/__\$.{34}\$__/g, '11'.repeat(20)) as Hex
    const receipt = await stage.rpc('eth_getTransactionReceipt', await send(undefined, data))
    return (receipt as { contractAddress: Hex }).contractAddress
  }
  const call = (name: string, to: Hex, functionName: string, ...args: unknown[]) =>
    send(to, encodeFunctionData({ abi: project.contract(name).abi, functionName, args }))
  const vault = await deploy('Vault', 5n)
  const router = await deploy('Router')
  const opened = await open({ viewport: { width: 1280, height: 932 } })
  await openDashboard(opened.page, stage)
  return {
    stage,
    project,
    vault,
    router,
    call,
    page: opened.page,
    async [Symbol.asyncDispose]() {
      expect(opened.problems).toEqual([])
      await opened[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}

const why = (page: Page) => page.getByRole('region', { name: 'Why it failed' })
const calls = (page: Page) => page.getByRole('region', { name: 'Calls' })

async function picture(page: Page, name: string) {
  mkdirSync(new URL('./pictures/', import.meta.url), { recursive: true })
  const taken = await page.screenshot({ animations: 'disabled', fullPage: true })
  writeFileSync(new URL(`./pictures/${name}.png`, import.meta.url), taken)
}

describeInBrowser('why a transaction failed', (open) => {
  test('the line that failed stands among its neighbours, and the calls are open down to it', async () => {
    await using performance = await perform(open)
    const { stage, page, project, vault, router, call } = performance
    const hash = await call('Router', router, 'swap', vault, 7n)
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    const { file, line } = placeOf('custom')
    await why(page).getByText('SwapFailed', { exact: true }).waitFor()
    await why(page).getByText('NotEnoughShares', { exact: true }).waitFor()
    const hit = why(page).locator('.hit').first()
    expect(await hit.innerText()).toContain('revert NotEnoughShares(owner, amount')
    expect(await hit.innerText()).toMatch(new RegExp(`^${line}`))
    const shown = await why(page).locator('pre').first().locator('div').count()
    expect(shown).toBe(6)
    expect(await why(page).locator('summary strong').allInnerTexts()).toEqual([
      'Vault._take',
      'Vault.withdraw',
      'Router.swap',
    ])
    const link = why(page).getByRole('link', { name: 'Open in VS Code' }).first()
    expect(await link.getAttribute('href')).toBe(
      `vscode://file${join(project.root, file)}:${line}:20`,
    )
    expect(await calls(page).locator('details[open]').count()).toBe(2)
    expect(await calls(page).locator('summary').allInnerTexts()).toEqual([
      expect.stringMatching(/CALL\s+Router\.swap\(vault: Vault, amount: 7\)[\s\S]*SwapFailed/),
      expect.stringMatching(/CALL\s+Vault\.withdraw\(amount: 7\)[\s\S]*NotEnoughShares/),
    ])
    await picture(page, 'why-failed')
    await page.setViewportSize({ width: 390, height: 844 })
    await picture(page, 'why-failed-phone')
  })

  test('without artifacts, an unknown custom error has its selector and its words', async () => {
    await using performance = await perform(open, { contracts: undefined })
    const { stage, page, vault, call } = performance
    const hash = await call('Vault', vault, 'withdraw', 7n)
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    await why(page)
      .getByText(/^Unrecognized custom error 0x[0-9a-f]{8}$/)
      .waitFor()
    expect(await why(page).locator('.words li').allInnerTexts()).toEqual([
      `0x${(stage.accounts[0] ?? '').slice(2).padStart(64, '0')}`,
      `0x${'7'.padStart(64, '0')}`,
      `0x${'0'.padStart(64, '0')}`,
    ])
    await why(page).getByText('compile the project').first().waitFor()
    expect(await why(page).locator('pre').count()).toBe(0)
  })

  test('a transaction that waits, and one whose trace is refused, show call and events', async () => {
    await using performance = await perform(open, { keepBlocks: 2 })
    const { stage, page, project, vault, router } = performance
    const { abi } = project.contract('Router')
    const note = encodeFunctionData({ abi, functionName: 'note', args: [vault] })
    const sent = { from: stage.accounts[1], to: router, data: note, gas: '0x100000' }
    const hash = String(await stage.rpc('eth_sendTransaction', sent))
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    const summaries = calls(page).locator('summary')
    await calls(page).getByText('Router.note(vault: Vault)').waitFor()
    expect(await summaries.count()).toBe(1)
    await stage.tick()
    await calls(page).getByText('Vault.limit()').waitFor()
    await stage.seal()
    await stage.seal()
    await page.reload()
    await calls(page).getByText('the state before it is not kept').waitFor()
    expect(await summaries.allInnerTexts()).toEqual([
      expect.stringContaining('Router.note(vault: Vault)'),
      expect.stringContaining('Asked(vault: Vault, amount: 1)'),
      expect.stringContaining('Done(amount: 2)'),
    ])
  })

  test('the page begins with the facts, and nothing moves when the trace comes', async () => {
    await using performance = await perform(open)
    const { stage, page, router, vault, call } = performance
    const hash = await call('Router', router, 'swap', vault, 7n)
    await page.addInitScript(`
      window.moved = 0
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.moved += value
      }).observe({ type: 'layout-shift', buffered: true })
    `)
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    await why(page).getByText('Router.swap').waitFor()
    await page.getByRole('region', { name: 'State changes' }).waitFor()
    expect(await page.locator('main .panel h2').allInnerTexts()).toEqual([
      'Outcome',
      'Why it failed',
      'Calls',
      'Balance changes',
      'State changes',
    ])
    const first = page.getByRole('region', { name: 'Outcome' })
    expect(await first.innerText()).toContain(stage.accounts[0])
    expect(await first.innerText()).toContain(router)
    expect(await page.evaluate<number>('window.moved')).toBeLessThan(0.05)
    await page.getByRole('button', { name: 'Raw' }).click()
    await page.locator('.raw pre').getByText(hash).first().waitFor()
  })

  test('deep calls stay in the page with their depth, and all can be opened', async () => {
    await using performance = await perform(open)
    const { stage, page, project, router, call } = performance
    const { abi } = project.contract('Router')
    let data: Hex = '0x12345678'
    for (let depth = 0; depth < 20; depth += 1) {
      data = encodeFunctionData({ abi, functionName: 'multicall', args: [[data]] })
    }
    const hash = await call('Router', router, 'multicall', [data])
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(viewUrl(stage, `/tx/${hash}`))
      const rows = calls(page).locator('summary.frame')
      await expect.poll(() => rows.count()).toBe(22)
      // That of the transaction, and the one in which it began.
      expect(await calls(page).locator('details[open]').count()).toBe(2)
      expect(await rows.last().locator('..').getAttribute('open')).not.toBeNull()
      await rows.last().scrollIntoViewIfNeeded()
      expect(await rows.last().locator('.badge').first().textContent()).toBe('21')
      const lefts = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.frame')].map((row) => parseFloat(getComputedStyle(row).paddingLeft))`,
      )
      expect(lefts).toEqual(lefts.toSorted((one, other) => one - other))
      expect(new Set(lefts).size).toBe(22)
      expect(lefts.at(-1)).toBeLessThan(width / 3)
      await picture(page, `why-deep-${width}`)
      await page.getByRole('button', { name: 'Expand all' }).click()
      await expect.poll(() => calls(page).locator('details[open]').count()).toBe(22)
    }
  })

  test('long bytes are folded, and a transaction is copied with all of its data', async () => {
    await using performance = await perform(open)
    const { stage, page, vault } = performance
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const data: Hex = `0x12345678${'ab'.repeat(2_000)}`
    const sent = { from: stage.accounts[0], to: vault, data, gas: '0x100000' }
    const hash = String(await stage.rpc('eth_sendTransaction', sent))
    await page.goto(viewUrl(stage, `/tx/${hash}`))
    const code = calls(page).locator('.bytes code')
    expect(await code.textContent()).toBe(`${data.slice(0, 66)}…`)
    await calls(page).getByText('and 980 more bytes').waitFor()
    await calls(page).getByRole('button', { name: 'Show all 1,024' }).click()
    expect(await code.textContent()).toBe(data.slice(0, 2_050))
    await page.getByRole('button', { name: 'curl' }).click()
    await page.getByText('Copied for curl').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(`"data":"${data}"`)
  })

  test('buttons that copy are seen on a screen without a pointer', async () => {
    await using performance = await perform(open)
    const { stage, vault, call } = performance
    const hash = await call('Vault', vault, 'withdraw', 7n)
    await using phone = await open({ hasTouch: true, isMobile: true })
    await openDashboard(phone.page, stage)
    await phone.page.goto(viewUrl(stage, `/tx/${hash}`))
    await phone.page.getByRole('button', { name: 'Copy address' }).first().waitFor()
    const opacities = await phone.page.evaluate<string[]>(
      `[...document.querySelectorAll('.copy')].map((one) => getComputedStyle(one).opacity)`,
    )
    expect(new Set(opacities)).toEqual(new Set(['1']))
  })
})
