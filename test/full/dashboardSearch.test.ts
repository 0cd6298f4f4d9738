import type { Page } from 'playwright-core'
import { encodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { sourceOf } from '../support/contractSource.ts'
import { describeInBrowser, type Open } from './browser/chromium.ts'
import {
  calldata,
  DashboardStage,
  type Deployed,
  play,
  showStage,
  viewUrl,
} from './browser/dashboardStage.ts'

async function perform(open: Open, width = 1440) {
  const stage = await DashboardStage.start({
    contracts: sourceOf('Token', 'Vault', 'Talker', ['Coupon', 'Gift Coupon']),
  })
  return showStage(open, stage, width)
}

async function show(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('[data-link="live"]').waitFor()
}

/** Pays many times, 250 in a block; the last block stays pending. */
async function payOften(stage: DashboardStage, count: number, from = 6): Promise<void> {
  const to = stage.accounts[8] as Hex
  for (let sent = 0; sent < count; sent += 250) {
    await stage.seal()
    const block = Array.from({ length: Math.min(250, count - sent) })
    await Promise.all(block.map(() => stage.send({ from, to, value: 1n })))
    await stage.tick()
  }
}

function rowHashes(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('table.transactions tr[data-row]')].map((row) => row.dataset.row)`,
  )
}

/** Hash of the row at a point of the window. */
function rowAt(page: Page, x: number, y: number): Promise<string | undefined> {
  return page.evaluate<string | undefined>(
    `document.elementFromPoint(${x}, ${y})?.closest('[data-row]')?.dataset.row`,
  )
}

/** Questions for transactions that the page has asked. */
function watchQuestions(page: Page): { readonly asked: Readonly<Record<string, unknown>>[] } {
  const asked: Record<string, unknown>[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const { method, params } = JSON.parse(String(payload))
      if (method === 'transactions') asked.push(params)
    }),
  )
  return { asked }
}

/** The row of a hash. */
function row(page: Page, hash: Hex) {
  return page.locator(`tr[data-row="${hash}"]`)
}

describeInBrowser('the filter', (open) => {
  test('finds the oldest of a long chain while new ones come, and looks at nothing twice', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const vault = await stage.deploy('Vault', [stage.accounts[0]])
    const withdraw = (shares: bigint) =>
      stage.send({ from: 1, to: vault.address, data: calldata(vault, 'withdraw', shares) })
    const oldest = await withdraw(7n)
    await stage.tick()
    await payOften(stage, 3_000)
    const { asked } = watchQuestions(page)
    let isFound = false
    const traffic = (async () => {
      while (!isFound) await payOften(stage, 20)
    })()
    await show(page, viewUrl(stage, '/txs?function=withdraw'))
    await row(page, oldest).waitFor()
    await row(page, oldest).getByText('InsufficientShares(wanted: 7, left: 0)').waitFor()
    isFound = true
    await traffic
    // Older ones are asked for from where the last answer ended.
    const older = asked.flatMap(({ from, since }) =>
      typeof from === 'number' && since === undefined ? [from] : [],
    )
    expect(older).toEqual([...new Set(older)].sort((one, other) => other - one))
    const firsts = asked.filter(({ from, since }) => from === undefined && since === undefined)
    expect(firsts).toHaveLength(1)

    asked.length = 0
    const newest = await withdraw(8n)
    await stage.tick()
    await row(page, newest).waitFor()
    await stage.seal()
    await row(page, newest).getByText('Sealed').waitFor({ state: 'attached' })
    expect(asked.filter(({ since }) => since === undefined)).toEqual([])
    expect(await rowHashes(page)).toEqual([newest, oldest])
  })

  test('says how far it is, and that nothing is there', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await payOften(stage, 500)
    await stage.seal()
    const seen = Promise.withResolvers<void>()
    let answers = 0
    await page.routeWebSocket('**/dashboard/api', (socket) => {
      const server = socket.connectToServer()
      socket.onMessage((message) => server.send(message))
      server.onMessage(async (message) => {
        const { id, result } = JSON.parse(String(message))
        if (result?.searchedTo === undefined || answers++ > 1) return socket.send(message)
        // The first answer is as if the chain were too long for one; the second waits.
        const part = { ...result, next: 125, searchedTo: 1 }
        if (answers > 1) await seen.promise
        socket.send(answers > 1 ? message : JSON.stringify({ jsonrpc: '2.0', id, result: part }))
      })
    })
    await show(page, viewUrl(stage, '/txs?q=nobody'))
    await page.getByText('Searching: block 1 of 3').waitFor()
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('0.748')
    seen.resolve()
    await page.getByText('No transaction passes this filter.').waitFor()
    await page.getByText('nobody Looked at all 500; new ones appear here.').waitFor()
  })

  test('filters while one types, stands in the address, and keeps older links', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await play(stage)
    await show(page, viewUrl(stage, '/txs'))
    await page.locator('tr[data-row]').first().waitFor()
    const field = page.getByLabel('Filter transactions')
    await field.pressSequentially('from:Account #9')
    await expect.poll(() => rowHashes(page).then(({ length }) => length)).toBe(2)
    expect(page.url()).toBe(viewUrl(stage, '/txs?q=from%3AAccount+%239'))
    await page.reload()
    expect(await field.inputValue()).toBe('from:Account #9')
    await field.fill('sender:x')
    await page.getByText('There is no sender: here, but from:, to:').waitFor()
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe('')
    await show(page, viewUrl(stage, '/txs?contract=Vault&function=withdraw&reverted=true'))
    expect(await field.inputValue()).toBe('contract:Vault function:withdraw')
    const calls = page.locator('table.transactions tbody .c-call')
    await calls.first().waitFor()
    for (const text of await calls.allInnerTexts()) expect(text).toContain('Vault.withdraw')
    await page.getByRole('button', { name: 'All' }).click()
    await expect
      .poll(() => page.url())
      .toBe(viewUrl(stage, '/txs?contract=Vault&function=withdraw'))
  })

  test('suggests names, events and keys, chosen by arrows, Enter and Escape', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await stage.deploy('Coupon')
    await stage.seal()
    await show(page, viewUrl(stage, '/txs'))
    const field = page.getByLabel('Filter transactions')
    const options = page.locator('.filter-field').getByRole('option')
    const type = async (text: string, option: string) => {
      await field.fill(text)
      await options.filter({ hasText: option }).first().waitFor()
    }
    const chosen = () => page.locator('.filter-field [aria-selected="true"]').innerText()
    await type('gif', 'Gift Coupon')
    expect(await field.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowDown')
    expect(await chosen()).toBe('Gift Coupon contract')
    expect(await field.getAttribute('aria-activedescendant')).toBe('filter-0')
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('contract:"Gift Coupon" ')
    await row(page, (await rowHashes(page))[0] as Hex).waitFor()
    await type('event:trans', 'Transfer')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toMatch(/^event:Transfer/)
    await type('COI', 'COIN')
    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'hidden' })
    expect(await field.inputValue()).toBe('COI')
    await type('from:acc', 'Account #9')
    await options.filter({ hasText: 'Account #9' }).first().click()
    expect(await field.inputValue()).toBe('from:"Account #9" ')
    await type('status:r', 'reverted')
    await type('sta', 'status:')
  })
})

describeInBrowser('the search of the header', (open) => {
  test('suggests while one types, opens the best with Enter, and says if there is none', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const token = await stage.deploy('Coupon')
    await stage.deploy('Vault', [token.address])
    const field = page.getByLabel('Search')
    const options = page.locator('.search').getByRole('option')
    await field.fill('vau')
    await options.filter({ hasText: 'Vault contract' }).waitFor()
    await field.fill('Vault')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('/contracts#Vault')
    await field.fill('vault')
    await options.filter({ hasText: /^vault in transactions$/ }).waitFor()
    const count = await options.count()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await field.getAttribute('aria-activedescendant')).toBe(`search-${count - 1}`)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(viewUrl(stage, '/txs?q=vault'))
    await field.fill('coin')
    await options.filter({ hasText: 'COIN token' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(viewUrl(stage, `/address/${token.address}`))
    await field.fill('Nowhere')
    await page.keyboard.press('Enter')
    await page.getByText('No match').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('No match').waitFor({ state: 'hidden' })
  })
})

describeInBrowser('the list of transactions', (open) => {
  test('rows stay under the pointer and the focus, and a pill brings the newest', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await payOften(stage, 100)
    for (const path of ['/txs', '/txs?q=0x']) {
      await page.mouse.move(5, 5)
      await show(page, viewUrl(stage, path))
      await page.locator('tr[data-row]').first().waitFor()
      const { x = 0, y = 0 } = (await page.locator('tr[data-row]').nth(3).boundingBox()) ?? {}
      await page.mouse.move(x + 200, y + 10)
      const under = await rowAt(page, x + 200, y + 10)
      expect(under).toBeDefined()
      for (const total of [4, 8, 12]) {
        await payOften(stage, 4)
        await page.getByRole('button', { name: `${total} new` }).waitFor()
        expect(await rowAt(page, x + 200, y + 10)).toBe(under)
      }
      await page.getByRole('button', { name: '12 new' }).click()
      await expect.poll(() => rowAt(page, x + 200, y + 10)).not.toBe(under)
      await page.getByRole('button', { name: 'new' }).waitFor({ state: 'detached' })

      await page.mouse.move(5, 5)
      await page.locator('tr[data-row]').nth(2).focus()
      const focused = await rowHashes(page)
      await payOften(stage, 4)
      await page.getByRole('button', { name: '4 new' }).waitFor()
      expect(await rowHashes(page)).toEqual(focused)
      // Nobody is about to use a row any more: the newest come by themselves.
      await page.locator('main h1').click()
      await page.mouse.move(5, 5)
      await expect.poll(() => rowHashes(page).then(([first]) => first)).not.toBe(focused[0])
    }
  })

  test('Back leads to the same rows at the same place, whatever has come', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await payOften(stage, 400)
    for (const path of ['/txs', '/txs?q=0x']) {
      await show(page, viewUrl(stage, path))
      await page.locator('tr[data-row]').first().waitFor()
      await page.mouse.move(600, 500)
      await page.mouse.wheel(0, 3_000)
      await expect.poll(() => page.evaluate('scrollY')).toBe(3_000)
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      const shown = await rowAt(page, 600, 500)
      await page.mouse.click(600, 500)
      await expect.poll(() => page.url()).toContain('/tx/')
      expect(await page.evaluate('scrollY')).toBe(0)
      await payOften(stage, 30)
      await page.goBack()
      await expect.poll(() => page.evaluate('scrollY')).toBe(3_000)
      await expect.poll(() => rowAt(page, 600, 500)).toBe(shown)
      await page.getByRole('button', { name: '30 new' }).waitFor()
      await page.goForward()
      await expect.poll(() => page.url()).toContain('/tx/')
      await expect.poll(() => page.evaluate('scrollY')).toBe(0)
    }
  })

  test('a place in another list is kept, too', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    for (let block = 0; block < 60; block += 1) {
      await stage.send({ from: 0, to: stage.accounts[1] as Hex, value: 1n })
      await stage.tick()
      await stage.seal()
    }
    await show(page, viewUrl(stage, '/blocks'))
    await page.locator('main tr[data-row]').first().waitFor()
    await page.mouse.move(600, 500)
    await page.mouse.wheel(0, 600)
    await expect.poll(() => page.evaluate('scrollY')).toBe(600)
    const shown = await rowAt(page, 600, 500)
    await page.mouse.click(600, 500)
    await page.locator('h1').filter({ hasText: 'Block #' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY')).toBe(600)
    expect(await rowAt(page, 600, 500)).toBe(shown)
  })

  test('nothing that tells rows apart is cut, and a row is one stop for Tab', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const vault = await stage.deploy('Vault', [stage.accounts[0]])
    await fillRows(stage, vault)
    await stage.seal()
    await stage.rpc('evm_increaseTime', 35 * 60)
    await stage.seal()
    await show(page, viewUrl(stage, '/txs'))
    for (const width of [1920, 1440, 1366, 1280, 1200, 1100, 820]) {
      await page.setViewportSize({ width, height: 900 })
      await page
        .locator('tr[data-row]')
        .first()
        .getByText(/^\d\d min$/)
        .waitFor()
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('table.transactions tbody :is(.c-from a, .c-age, .c-value, .c-place)')]
          .filter((cell) => cell.scrollWidth > cell.clientWidth && cell.clientWidth > 0)
          .map((cell) => cell.innerText)`,
      )
      expect(cut, String(width)).toEqual([])
      const room = await page.evaluate<number>(
        `document.querySelector('table.transactions tbody .c-call').clientWidth`,
      )
      expect(room, String(width)).toBeGreaterThan(110)
    }
    const stops = await page.evaluate<number[]>(
      `[...document.querySelectorAll('table.transactions tr[data-row]')].map((row) =>
        [...row.querySelectorAll('a, button')].filter(({ tabIndex }) => tabIndex === 0).length)`,
    )
    expect(new Set(stops)).toEqual(new Set([1]))
  })

  test('on a phone the call and the reason of a revert have room', async () => {
    await using performance = await perform(open, 390)
    const { stage, page } = performance
    const vault = await stage.deploy('Vault', [stage.accounts[0]])
    await fillRows(stage, vault)
    await show(page, viewUrl(stage, '/txs'))
    await page.getByText('InsufficientShares').first().waitFor()
    const calls = await page.evaluate<number[]>(
      `[...document.querySelectorAll('table.transactions tbody .c-call')].map((cell) => cell.clientWidth)`,
    )
    expect(Math.min(...calls)).toBeGreaterThan(150)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })
})

/** A revert, a large amount, and one of 3 wei, from an account with a long name. */
async function fillRows(stage: DashboardStage, vault: Deployed): Promise<void> {
  const [, to] = stage.accounts
  const data = encodeFunctionData({ abi: vault.abi, functionName: 'withdraw', args: [9_999n] })
  await stage.send({ from: 10, to: vault.address, data })
  await stage.send({ from: 10, to: to as Hex, value: 3n })
  await stage.send({ from: 11, to: to as Hex, value: 1_234_567_890_123_456_789n })
  await stage.tick()
}
