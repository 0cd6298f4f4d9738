import type { Page } from 'playwright-core'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { describeInBrowser, type Open } from './browser/chromium.ts'
import {
  calldata,
  DashboardStage,
  openDashboard,
  type Performance,
  play,
  type Scene,
  showStage,
  viewUrl,
} from './browser/dashboardStage.ts'

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

/** A stage with its traffic, and a page that shows it. */
async function perform(open: Open): Promise<Performance & { readonly scene: Scene }> {
  const stage = await DashboardStage.start()
  const scene = await play(stage)
  return { scene, ...(await showStage(open, stage)) }
}

describeInBrowser('dashboard', (open) => {
  test('Now shows the clocks, what is pending and what waits, and its buttons move them', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await page.getByText('Time stands still at').waitFor()
    await page.getByText('6 runnable').waitFor({ state: 'detached' })
    await page.getByText('3 runnable, 2 behind a gap').waitFor()
    await page.getByText('nonce 0 is missing').waitFor()
    const pending = page.getByRole('region', { name: 'Pending block #21' })
    expect(await pending.locator('tbody tr').count()).toBe(3)

    await page.getByRole('button', { name: 'Tick' }).click()
    await expect.poll(() => pending.locator('tbody tr').count()).toBe(4)
    await page.getByText('2 behind a gap', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Seal', exact: true }).click()
    await page.getByRole('region', { name: 'Pending block #22' }).waitFor()
    await page.getByLabel('How many to advance').fill('3')
    await page.getByRole('button', { name: 'Advance' }).click()
    await expect.poll(() => headsOf(page)).toContain('#24 sealed')
    const { time } = await stage.devnet.clock.status()
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByText('Time stands still at').waitFor({ state: 'detached' })
    await expect.poll(async () => (await stage.devnet.clock.status()).time).toBeGreaterThan(time)
  })

  test('instant mode is switched on and off', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await page.getByLabel('Seal each transaction at once').check()
    await expect.poll(async () => (await stage.devnet.clock.status()).instant).toBe(true)
    const hash = await stage.send({ from: 5, to: stage.accounts[6] as Hex, value: 1n })
    await page.locator(`[data-row="${hash}"]`).getByText('Sealed').waitFor({ state: 'attached' })
    await page.locator('.side').getByText('with each transaction').first().waitFor()
    await page.getByLabel('Seal each transaction at once').uncheck()
    await expect.poll(async () => (await stage.devnet.clock.status()).instant).toBe(false)
  })

  test('a revert asks once more, marks the picture, and keeps what was read', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await show(page, viewUrl(stage, `/tx/${scene.reverted}`))
    await page.getByText('InsufficientShares').first().waitFor()
    await page.getByRole('button', { name: 'Revert' }).last().click()
    await page.keyboard.press('Escape')
    expect((await stage.devnet.clock.status()).pending.transactions).not.toHaveLength(0)
    await page.getByRole('button', { name: 'Revert' }).last().click()
    await page.keyboard.press('Enter')
    await page.getByText('A revert took this transaction away.').waitFor()
    await page.getByText('withdraw').first().waitFor()
    expect((await stage.devnet.clock.status()).pending.transactions).toHaveLength(0)
    await show(page, viewUrl(stage, '/'))
    await page.getByText('Nothing is pre-confirmed.').waitFor()
    const scheduled = page.getByRole('link', { name: /^Block 21, pending: 0 transactions/ })
    await scheduled.waitFor({ state: 'attached' })
  })

  test('a failed command says why, until the next one', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    // Taken away by someone else in the meantime.
    const [first] = await snapshotIds(stage)
    await page.getByRole('button', { name: 'Revert' }).first().waitFor()
    await stage.rpc('evm_revert', first)
    await expect.poll(() => page.getByRole('button', { name: 'Revert' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Take snapshot' }).click()
    await page.getByRole('button', { name: 'Revert' }).waitFor()
    await page.getByLabel('How many to advance').fill('999999999')
    await page.getByRole('combobox', { name: 'Advance ticks or blocks' }).selectOption('ticks')
    await page.getByRole('button', { name: 'Advance' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).not.toBe('')
    await page.getByRole('button', { name: 'Tick' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('a failed command is in view on a narrow page, whether the panel is open or not', async () => {
    await using performance = await perform(open)
    const { page } = performance
    await page.setViewportSize({ width: 800, height: 600 })
    await page.keyboard.press('Shift+C')
    await page.getByLabel('How many to advance').fill('999999999')
    await page.getByRole('combobox', { name: 'Advance ticks or blocks' }).selectOption('ticks')
    await page.getByRole('button', { name: 'Advance' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    await page.getByRole('button', { name: 'Control panel' }).click()
    await page.getByRole('button', { name: 'Take snapshot' }).waitFor({ state: 'hidden' })
    await page.mouse.wheel(0, 400)
    const { y = -1, height = 0 } = (await alert.boundingBox()) ?? {}
    expect(y).toBeGreaterThan(0)
    expect(y + height).toBeLessThan(600)
    await alert.getByRole('button', { name: 'Close' }).click()
    await alert.waitFor({ state: 'detached' })
  })

  test('no view has more than 60 rows, and pages of blocks lead through all of them', async () => {
    await using stage = await DashboardStage.start()
    const { accounts } = stage
    for (let count = 0; count < 130; count += 1) {
      await stage.send({ from: 0, to: accounts[1] as Hex, value: 1n })
      await stage.tick()
      await stage.seal()
    }
    for (let count = 0; count < 70; count += 1) {
      const address = `0x${String(count + 1).padStart(40, '0')}`
      await stage.rpc('hardhat_impersonateAccount', address)
      await stage.send({ from: count % 9, to: accounts[9] as Hex, value: 1n, nonce: 400 + count })
    }
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    await openDashboard(page, stage)
    for (const path of ['/txs', '/blocks', '/mempool', '/accounts', `/address/${accounts[0]}`]) {
      await show(page, viewUrl(stage, path))
      await page.locator('main tr[data-row]').first().waitFor()
      expect(await page.locator('main tr[data-row]').count(), path).toBeLessThanOrEqual(60)
    }
    const names = async (path: string, pattern: RegExp, older: string) => {
      const seen: string[] = []
      await show(page, viewUrl(stage, path))
      for (;;) {
        const row = page.locator('main tr[data-row]')
        await row.first().waitFor()
        const texts = await row.allInnerTexts()
        seen.push(...texts.map((text) => pattern.exec(text)?.[1] ?? ''))
        const next = page.getByRole('link', { name: older })
        if ((await next.count()) === 0) return seen.map(Number)
        const href = await next.getAttribute('href')
        await next.click()
        await expect.poll(() => page.url()).toContain(href ?? 'nowhere')
        await expect.poll(() => row.allInnerTexts()).not.toEqual(texts)
      }
    }
    // The pending block, and 130 others.
    const all = Array.from({ length: 130 }, (_, index) => 130 - index)
    expect(await names('/blocks', /#(\d+)/, 'Older blocks')).toEqual([131, ...all])
    const history = `/address/${accounts[0]}`
    expect(await names(history, /#(\d+) · 0/, 'Older transactions')).toEqual(all)
    expect(opened.problems).toEqual([])
  })

  test('the picture keeps what a person scrolled back to, and has no hole', async () => {
    await using stage = await DashboardStage.start()
    const send = async () => {
      await stage.send({ from: 0, to: stage.accounts[1] as Hex, value: 1n })
      await stage.tick()
      await stage.seal()
    }
    for (let count = 0; count < 150; count += 1) await send()
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    await openDashboard(page, stage)
    await page.locator('.block').first().waitFor()
    const numbers = () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('[data-lane="blocks"]')].map((one) => Number(one.dataset.key.slice(1)))`,
      )
    const oldest = async () => (await numbers())[0] ?? 0
    const before = await oldest()
    await page.evaluate(`document.querySelector('.scroller').scrollLeft = 0`)
    await expect.poll(oldest).toBeLessThan(before)
    const fetched = await oldest()
    const left = () => page.evaluate<number>(`document.querySelector('.scroller').scrollLeft`)
    await expect.poll(left).toBeGreaterThan(1_000)
    for (let count = 0; count < 5; count += 1) await send()
    await page.getByRole('button', { name: '5 new' }).waitFor()
    const shown = await numbers()
    expect(shown[0]).toBeLessThanOrEqual(fetched)
    expect(shown).toEqual(shown.map((_, index) => (shown[0] ?? 0) + index))
    expect(shown.at(-1)).toBe(156)
  })

  test('the raw answer is asked for when it is opened, and what is sealed once', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    const asked: string[] = []
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        asked.push(JSON.parse(String(payload)).method ?? 'token')
      })
    })
    await show(page, viewUrl(stage, `/tx/${scene.deposit}`))
    const calls = page.getByRole('region', { name: 'Calls' })
    await calls.getByText(/^Token\.mint\(/).click()
    await expect.poll(() => calls.locator('details[open]').count()).toBe(2)
    expect(asked).not.toContain('raw')
    await page.locator('.raw summary').click()
    await page.locator('.raw pre').getByText(scene.deposit).first().waitFor()
    await stage.seal()
    await page.getByText('Sealed in #21').waitFor()
    // What was opened stays open.
    expect(await calls.locator('details[open]').count()).toBe(2)
    const count = () => asked.filter((method) => method === 'transaction').length
    const once = count()
    for (let block = 22; block < 25; block += 1) {
      await stage.seal()
      await expect.poll(() => headsOf(page)).toContain(`#${block} sealed`)
    }
    expect(count()).toBe(once)
  })

  test('dropped transactions are in the one list, and the search finds them', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await stage.rpc('hardhat_dropTransaction', scene.behindGap)
    await show(page, viewUrl(stage, '/txs'))
    const row = page.locator(`tr[data-row="${scene.behindGap}"]`)
    await row.getByText('dropped by hardhat_dropTransaction').waitFor()
    await page.getByLabel('Search').fill(scene.behindGap)
    await page.keyboard.press('Enter')
    await page.getByText('This transaction was dropped at').waitFor()
  })

  test('a link with a broken name of a contract shows the list', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await show(page, viewUrl(stage, '/contracts#%'))
    await page.locator('details.contract').first().waitFor()
  })

  test('the list has all 1,000 transactions of a burst, newest first, few in the page', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await show(page, viewUrl(stage, '/txs'))
    await page.locator('tr[data-row]').first().waitFor()
    const before = await rowCount(page)
    const hashes: Hex[] = []
    for (let index = 0; index < 1_000; index += 1) {
      hashes.push(
        await stage.send({ from: index % 3, to: stage.accounts[8] as Hex, value: BigInt(index) }),
      )
    }
    await stage.tick()
    await stage.seal()
    await expect.poll(() => rowCount(page)).toBe(before + 1_000)
    expect(await page.locator('main tr[data-row]').count()).toBeLessThanOrEqual(60)
    const seen = new Set<string>()
    const height = await page.evaluate<number>('document.body.scrollHeight')
    for (let top = 0; top < height; top += 500) {
      await scrollTo(page, top)
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      for (const hash of await rowHashes(page)) seen.add(hash)
    }
    expect(hashes.filter((hash) => !seen.has(hash))).toEqual([])
  })

  test('away from the top the list stays as it is, and says how many are new', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await show(page, viewUrl(stage, '/txs'))
    await page.locator('tr[data-row]').first().waitFor()
    await page.mouse.move(600, 500)
    await page.mouse.wheel(0, 700)
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(400)
    const shown = await rowHashes(page)
    for (let index = 0; index < 5; index += 1) {
      await stage.send({ from: 6, to: stage.accounts[8] as Hex, value: 1n })
    }
    await stage.tick()
    await page.getByRole('button', { name: '8 new' }).click()
    await expect.poll(() => page.evaluate('scrollY')).toBe(0)
    await expect.poll(async () => (await rowHashes(page))[0]).not.toBe(shown[0])
    await page.getByRole('button', { name: 'new' }).waitFor({ state: 'detached' })
  })

  test('the filter stands in the address, and comes from chips and words', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    await show(page, viewUrl(stage, '/txs'))
    await page.getByRole('button', { name: 'Reverted' }).click()
    await expect.poll(() => page.url()).toBe(viewUrl(stage, '/txs?reverted=true'))
    await expect
      .poll(async () => (await callTexts(page)).every((text) => /withdraw/.test(text)))
      .toBe(true)
    await page.getByRole('button', { name: 'Reverted' }).click()
    await page.getByLabel('Filter transactions').fill('Vault.deposit')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(viewUrl(stage, '/txs?q=Vault.deposit'))
    await expect
      .poll(async () => (await callTexts(page)).every((text) => /deposit/.test(text)))
      .toBe(true)
    await page.goBack()
    await expect.poll(() => page.getByLabel('Filter transactions').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Queued' }).click()
    await expect.poll(async () => (await rowHashes(page)).length).toBe(5)
  })

  test('a transaction has its life, its error, its calls and what they changed', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await show(page, viewUrl(stage, `/tx/${scene.deposit}`))
    await page.getByText('Tick 0 of #21').first().waitFor()
    await page.getByText('Not sealed yet').waitFor()
    const calls = page.getByRole('region', { name: 'Calls' })
    await calls.getByText(/^Token\.mint\(/).waitFor()
    // Events stand at their places: that of the token before the vault's own.
    const emitted = calls.locator('summary').filter({ hasText: 'event' })
    expect(await emitted.allInnerTexts()).toEqual([
      expect.stringMatching(/Transfer\(from: .*to: Account #1, .*\)/),
      expect.stringMatching(/Deposited\(/),
    ])
    await page
      .getByRole('region', { name: 'console.log' })
      .getByText('deposits 2000000000000000000 wei')
      .waitFor()
    await page.getByRole('region', { name: 'Balance changes' }).getByText('Vault').waitFor()
    await page
      .getByRole('region', { name: 'State changes' })
      .getByText('sharesOf[Account #')
      .waitFor()
    await stage.seal()
    await page.getByText('Sealed in #21').waitFor()

    await show(page, viewUrl(stage, `/tx/${scene.reverted}`))
    const reason = page.getByRole('region', { name: 'Why it failed' })
    await reason.getByText('InsufficientShares', { exact: true }).waitFor()
    await reason.getByText('10,000,000,000,000,000,000', { exact: true }).waitFor()

    await show(page, viewUrl(stage, `/tx/${scene.behindGap}`))
    await page.getByText('waits: nonce 0 is missing').waitFor()
  })

  test('an unknown transaction says where it was looked for, and appears when it comes', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const snapshot = await stage.rpc('evm_snapshot')
    const sent = { from: 8, to: stage.accounts[1] as Hex, value: 5n }
    const hash = await stage.send(sent)
    await stage.rpc('evm_revert', snapshot)
    await show(page, viewUrl(stage, `/tx/${hash}`))
    await page.getByText(/Looked in the mempool \(5 waiting\), the pending block #21/).waitFor()
    expect(await stage.send(sent)).toBe(hash)
    await page.getByText('waits for the next tick').waitFor()
    await show(page, viewUrl(stage, '/tx/0x12'))
    await page.getByText('This is not the hash of a transaction.').waitFor()
    await show(page, viewUrl(stage, '/block/7777'))
    await page.getByText('Not found.').waitFor()
  })

  test('the mempool draws the gap, and a dropped transaction moves to its list', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await show(page, viewUrl(stage, '/mempool'))
    await page.getByText('Nonce 0 is missing: 2 transactions wait for it.').waitFor()
    expect(await page.locator('.chip.missing').allInnerTexts()).toEqual(['0'])
    const row = page.locator(`.sender tr[data-row="${scene.behindGap}"]`)
    await row.getByRole('button', { name: 'Drop' }).click()
    await page.keyboard.press('Enter')
    await row.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('.chip.missing').allInnerTexts()).toEqual(['0', '1'])
    expect(await stage.rpc('eth_getTransactionByHash', scene.behindGap)).toBe(null)
  })

  test('accounts and contracts answer as sealed and as pending, side by side', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await show(page, viewUrl(stage, '/accounts'))
    const vault = page.locator(`tr[data-row="${scene.vault.address}"]`)
    await vault.locator('.differs').first().waitFor()
    await vault.click()
    await expect.poll(() => page.url()).toBe(viewUrl(stage, `/address/${scene.vault.address}`))
    await page.getByRole('heading', { name: 'Vault' }).waitFor()
    await page.getByText('Created by').waitFor()
    await page.getByRole('link', { name: 'Vault', exact: true }).last().waitFor()

    await show(page, viewUrl(stage, '/contracts#Vault'))
    const read = page.locator('details.function').filter({ hasText: 'sharesOf' })
    await read.locator('summary').click()
    await read.getByRole('combobox').fill('Account #1')
    await read.getByRole('button', { name: 'Read' }).click()
    await read.locator('.differs').waitFor()
    expect(await read.locator('td').allInnerTexts()).toEqual([
      expect.stringMatching(/^500,000,000,000,000,000 = 5e17$/),
      expect.stringMatching(/^2,500,000,000,000,000,000 = 2.5e18$/),
    ])
  })

  test('the log has console.log and failed requests as they come', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await show(page, viewUrl(stage, '/log'))
    await stage.send({
      from: 1,
      to: scene.vault.address,
      data: calldata(scene.vault, 'deposit'),
      value: 77n,
    })
    await stage.tick()
    await page.locator('.lines').getByText('deposits 77 wei').waitFor()
  })

  test.each([
    ['a block number', () => '14', (_: Scene) => '/block/14'],
    ['a transaction', ({ deposit }: Scene) => deposit, ({ deposit }: Scene) => `/tx/${deposit}`],
    [
      'an address with upper-case letters',
      ({ vault }: Scene) => `0x${vault.address.slice(2).toUpperCase()}`,
      ({ vault }: Scene) => `/address/${vault.address}`,
    ],
    [
      'an address of another explorer',
      ({ deposit }: Scene) => `https://etherscan.io/tx/${deposit}`,
      ({ deposit }: Scene) => `/tx/${deposit}`,
    ],
  ])('the search takes %s', async (_, text, path) => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    await page.getByLabel('Search').fill(text(scene))
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(viewUrl(stage, path(scene)))
  })

  test('the search says when it finds nothing, and offers names', async () => {
    await using performance = await perform(open)
    const { page } = performance
    await page.getByLabel('Search').fill('Nowhere')
    await page.keyboard.press('Enter')
    await page.getByText('No match').waitFor()
    await page.getByLabel('Search').fill('deposit')
    await page.keyboard.press('Enter')
    await expect
      .poll(
        async () => page.url().includes('deposit') || (await page.getByRole('option').count()) > 0,
      )
      .toBe(true)
  })

  test('links as of EIP-3091 find an admitted page', async () => {
    await using performance = await perform(open)
    const { stage, scene, page } = performance
    for (const [path, words] of [
      [`/tx/${scene.deposit}`, 'Tick 0 of #21'],
      ['/block/14', 'Block #14'],
      [`/address/${scene.token.address}`, 'Created by'],
      [`/token/${scene.token.address}`, 'Created by'],
    ] as const) {
      await show(page, viewUrl(stage, path))
      await page.locator('main').getByText(words).first().waitFor()
    }
  })

  test('two tabs show the same, whoever commands', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const second = await page.context().newPage()
    await show(second, viewUrl(stage, '/'))
    await page.getByRole('button', { name: 'Seal', exact: true }).click()
    await expect.poll(() => headsOf(second)).toContain('#21 sealed')
  })

  test('nothing is loaded from elsewhere', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open()
    const { page } = opened
    const foreign: string[] = []
    await page.context().route('**', (route) => {
      const { origin } = new URL(route.request().url())
      if (origin !== stage.devnet.url) foreign.push(route.request().url())
      return route.continue()
    })
    await openDashboard(page, stage)
    for (const path of ['/', '/txs', `/tx/${scene.deposit}`, '/blocks', '/contracts', '/log']) {
      await show(page, viewUrl(stage, path))
      await page.locator('main :is(table, dl, details, .empty, .lines)').first().waitFor()
    }
    expect(foreign.filter((url) => !url.startsWith('data:'))).toEqual([])
    expect(opened.problems).toEqual([])
  })

  test('what a contract or a transaction says is text, and nothing hides in it', async () => {
    await using performance = await perform(open)
    const { stage, page } = performance
    const hostile = `${HOSTILE}\u202egnp\u200b`
    const talker = await stage.deploy('Talker', ['x'])
    await show(page, viewUrl(stage, '/log'))
    const hash = await stage.send({
      from: 1,
      to: talker.address,
      data: calldata(talker, 'talk', hostile, 1n),
    })
    await stage.tick()
    const shown = `${HOSTILE}⟨U+202E⟩gnp⟨U+200B⟩`
    await page.locator('.lines').getByText(shown).first().waitFor()
    await show(page, viewUrl(stage, `/tx/${hash}`))
    await page.getByText(shown).first().waitFor()
    expect(await page.locator('img, script:not([src])').count()).toBe(0)
    await show(page, viewUrl(stage, `/txs?function=${encodeURIComponent(hostile)}`))
    // Quotes enclose names there.
    await page.getByText(shown.replaceAll('"', '')).first().waitFor()
    await show(page, viewUrl(stage, '/txs'))
    await page.locator('tr[data-row]').first().waitFor()
    expect(await page.title()).not.toBe('owned')
    expect(await page.locator('img, script:not([src])').count()).toBe(0)
  })
})

describeInBrowser('dashboard, admission', (open) => {
  test('without a token nothing of the node is shown, and a pasted address opens it', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await page.goto(viewUrl(stage, '/'))
    await page.getByText('Open this page by the address that the node printed.').waitFor()
    expect(await page.locator('.shell').count()).toBe(0)
    expect(await page.locator('.heads').count()).toBe(0)
    await page.getByLabel('Address or token').fill(stage.pageUrl)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('[data-link="live"]').waitFor()
  })

  test('the token leaves the address at once, and all tabs of the node have it', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    expect(page.url()).toBe(viewUrl(stage, '/'))
    await page.goto('about:blank')
    await page.goBack()
    await page.locator('[data-link="live"]').waitFor()
    const second = await page.context().newPage()
    await show(second, viewUrl(stage, '/blocks'))
  })

  test('a wrong token in a link does not take the place of the right one', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    await page.goto('about:blank')
    await show(page, viewUrl(stage, '/blocks#token=wrong'))
    expect(page.url()).toBe(viewUrl(stage, '/blocks'))
    await page.reload()
    await page.locator('[data-link="live"]').waitFor()
  })

  test('no link commands anything', async () => {
    await using stage = await DashboardStage.start()
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    const before = await stage.devnet.clock.status()
    for (const path of ['/?name=seal', '/txs?command=seal', '/blocks#seal', '/?snapshot']) {
      await show(page, viewUrl(stage, path))
      await page.locator('[data-link="live"]').waitFor()
    }
    expect(await stage.devnet.clock.status()).toEqual(before)
  })

  test('after a lost connection the page goes on; of another run it is not admitted', async () => {
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    const first = await DashboardStage.start()
    await first.send({ from: 0, to: first.accounts[1] as Hex, value: 1n })
    await openDashboard(page, first)
    await show(page, viewUrl(first, '/mempool'))
    await page.getByRole('button', { name: 'Drop' }).waitFor()
    const port = Number(new URL(first.devnet.url).port)
    await first.devnet.stop()
    await page.getByText('Connection lost').waitFor()
    await page.getByText('This page is trying again each second').waitFor()
    expect(await page.getByRole('button', { name: 'Tick' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Drop' }).isDisabled()).toBe(true)
    await using second = await DashboardStage.start({ port })
    await page.getByText('Not admitted').waitFor()
    expect(await page.locator('.shell').count()).toBe(0)
    await page.goto(second.pageUrl)
    await page.locator('[data-link="live"]').waitFor()
  })
})

/** Ids of the snapshots, oldest first, as the panel shows them. */
async function snapshotIds(stage: DashboardStage): Promise<readonly string[]> {
  const id = await stage.rpc('evm_snapshot')
  // An id is a quantity; those before have the numbers before.
  return Array.from({ length: Number(id) - 1 }, (_, index) => `0x${(index + 1).toString(16)}`)
}

/** Opens a view, and waits until the page has the node's answers. */
async function show(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('[data-link="live"]').waitFor()
}

/** The newest block, sealed and pending, as the top of the page says it. */
async function headsOf(page: Page): Promise<string> {
  return (await page.locator('.heads').innerText()).replace(/\s+/g, ' ')
}

/** Rows of the list, those that are not in the page too. */
function rowCount(page: Page): Promise<number> {
  return page.evaluate<number>(
    `Number(document.querySelector('table.transactions').getAttribute('aria-rowcount')) - 1`,
  )
}

/** Scrolls the page, and waits until it is drawn. */
async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate(
    `new Promise((drawn) => {
      scrollTo(0, ${top})
      requestAnimationFrame(() => requestAnimationFrame(drawn))
    })`,
  )
}

function rowHashes(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('table.transactions tr[data-row]')].map((row) => row.dataset.row)`,
  )
}

function callTexts(page: Page): Promise<string[]> {
  return page.locator('table.transactions tbody .c-call').allInnerTexts()
}
