import type { Locator, Page } from 'playwright-core'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { describeInBrowser } from './browser/chromium.ts'
import {
  DashboardStage,
  openDashboard,
  play,
  type Scene,
  viewUrl,
} from './browser/dashboardStage.ts'
import { violationsOf } from './browser/violations.ts'

/** The form of a function, opened. */
async function openForm(page: Page, name: string): Promise<Locator> {
  const row = page.locator('details.function').filter({ hasText: `${name}(` })
  await row.locator('summary').click()
  await row.locator('form').waitFor()
  return row
}

/** A page that shows the vault. */
async function openVault(page: Page, stage: DashboardStage, { vault }: Scene): Promise<void> {
  await openDashboard(page, stage)
  await page.goto(viewUrl(stage, `/address/${vault.address}`))
  await page.getByRole('heading', { name: 'Functions that write' }).waitFor()
}

describeInBrowser('forms of contracts', (open) => {
  test('a person fills in a form, simulates, sends, and sees the life of the transaction', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open({ viewport: { width: 1440, height: 900 } })
    const { page } = opened
    await openVault(page, stage, scene)
    const deposit = await openForm(page, 'deposit')
    await deposit.getByLabel('Value').fill('1.5 ether')
    await deposit.getByText('1,500,000,000,000,000,000 = 1.5e18').waitFor()
    await deposit.getByLabel('From').fill('account #8')
    await deposit.getByRole('button', { name: 'Simulate' }).click()
    const simulation = deposit.getByRole('status', { name: 'Simulation' })
    await simulation.getByText('It would succeed').waitFor()
    expect(await simulation.innerText()).toContain('−1.5 ETH')
    expect(await simulation.innerText()).toContain('Deposited')
    await deposit.getByRole('button', { name: 'Send' }).click()
    const sent = deposit.getByRole('region', { name: 'Sent' })
    await sent.getByText('Not executed yet').waitFor()
    await stage.tick()
    await sent.getByText(/Tick \d+ of #21/).waitFor()
    await stage.seal()
    await sent.getByText('Sealed in #21').waitFor()
    const balance = (await stage.rpc('eth_getBalance', scene.vault.address, 'latest')) as Hex
    expect(BigInt(balance)).toBeGreaterThan(15n * 10n ** 17n)
    expect(opened.problems).toEqual([])
  })

  test('what fails says why, before and after it is sent', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open()
    const { page } = opened
    await openVault(page, stage, scene)
    const withdraw = await openForm(page, 'withdraw')
    await withdraw.getByRole('button', { name: 'Simulate' }).click()
    await withdraw.getByText('This field is empty.').waitFor()
    await withdraw.getByLabel('shares').fill('1.5')
    await withdraw.getByText('uint256 wants a whole number').waitFor()
    expect(await withdraw.getByLabel('shares').getAttribute('aria-invalid')).toBe('true')
    await withdraw.getByLabel('shares').fill('9e18')
    await withdraw.getByRole('button', { name: 'Simulate' }).click()
    await withdraw.getByText('It would fail').waitFor()
    await withdraw.getByText('InsufficientShares').waitFor()
    await withdraw.getByRole('button', { name: 'Send' }).click()
    const sent = withdraw.getByRole('region', { name: 'Sent' })
    await stage.tick()
    await sent.getByText('InsufficientShares').waitFor()
    // The node's words: this address has no ether.
    await withdraw.getByLabel('From').fill(`0x${'ab'.repeat(20)}`)
    await withdraw.getByText('It impersonates the address for this transaction alone').waitFor()
    await withdraw.getByRole('button', { name: 'Send' }).click()
    await withdraw.getByRole('alert').getByText('funds').waitFor()
  })

  test('a keyboard is enough', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open()
    const { page } = opened
    const { keyboard } = page
    await openVault(page, stage, scene)
    await page.locator('details.function summary', { hasText: 'withdraw' }).focus()
    await keyboard.press('Enter')
    await page.locator('details.function form').waitFor()
    await keyboard.press('Tab')
    await keyboard.type('1 gwei')
    await keyboard.press('Tab')
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type('Account #1')
    await keyboard.press('Enter')
    await page.getByText('It would succeed').waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByText('Not executed yet').waitFor()
    // Letters in the fields were no commands.
    expect((await stage.devnet.clock.status()).latest.number).toBe(20)
  })

  test('functions without parameters are answered, and asked again only after a change', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open()
    const { page } = opened
    await openDashboard(page, stage)
    await page.goto(viewUrl(stage, '/contracts#Token'))
    const row = page.locator('.getters tr').filter({ hasText: 'totalSupply' })
    await row.locator('.differs').waitFor()
    await stage.seal()
    await row.getByText('same').waitFor()
    expect(await page.getByText('read again').count()).toBe(0)
    const before = await row.innerText()
    await stage.devnet.clock.advance({ blocks: 3 })
    expect(await row.innerText()).toBe(before)
    await stage.send({ from: 1, to: scene.vault.address, data: '0xd0e30db0', value: 100n })
    await stage.tick()
    await row.locator('.differs').waitFor()
  })

  test('a filled form can be copied for cast and curl', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = opened
    await openVault(page, stage, scene)
    const withdraw = await openForm(page, 'withdraw')
    await withdraw.getByLabel('shares').fill('1e18')
    await withdraw.getByLabel('From').fill('Account #2')
    await withdraw.getByRole('button', { name: 'cast' }).click()
    await withdraw.getByText('Copied for cast').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(`--from ${stage.accounts[2]}`)
    expect(copied).toContain(`${scene.vault.address} 'withdraw(uint256)' '1000000000000000000'`)
  })

  test.each(['light', 'dark'] as const)(
    'axe finds nothing in the %s theme',
    async (colorScheme) => {
      await using stage = await DashboardStage.start()
      const scene = await play(stage)
      await using opened = await open({ colorScheme, reducedMotion: 'reduce' })
      const { page } = opened
      await openVault(page, stage, scene)
      const withdraw = await openForm(page, 'withdraw')
      await withdraw.getByLabel('shares').fill('9e18')
      await withdraw.getByRole('button', { name: 'Simulate' }).click()
      await withdraw.getByText('It would fail').waitFor()
      const deposit = await openForm(page, 'deposit')
      await deposit.getByRole('button', { name: 'Send' }).click()
      await deposit.getByText('Not executed yet').waitFor()
      const read = await openForm(page, 'sharesOf')
      await read.getByRole('button', { name: 'Read' }).click()
      await read.getByText('This field is empty.').waitFor()
      expect(await violationsOf(page)).toEqual([])
    },
  )

  test('at 390 px nothing scrolls sideways', async () => {
    await using stage = await DashboardStage.start()
    const scene = await play(stage)
    await using opened = await open({ viewport: { width: 390, height: 844 } })
    const { page } = opened
    await openVault(page, stage, scene)
    const deposit = await openForm(page, 'deposit')
    await deposit.getByRole('button', { name: 'Simulate' }).click()
    await deposit.getByText('It would succeed').waitFor()
    await deposit.getByRole('button', { name: 'Send' }).click()
    await deposit.getByText('Not executed yet').waitFor()
    const [whole, shown] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )
    expect(whole).toBeLessThanOrEqual(shown)
  })

  test('of a hostile contract nothing runs, and its getters come 30 at a time', async () => {
    const script = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
    const code: Hex = '0x00'
    const getters = Array.from({ length: 300 }, (_, index) => ({
      type: 'function',
      name: `getter${index}`,
      stateMutability: 'view',
      inputs: [],
      outputs: [],
    }))
    const evil = {
      type: 'function',
      name: `${script}\u202e`,
      stateMutability: 'payable',
      inputs: [
        { type: 'tuple[]', name: script, components: [{ type: 'bool', name: '__proto__' }] },
        { type: 'uint8<img src=x>', name: 'constructor' },
      ],
    }
    const known = [{ name: script, abi: [evil, ...getters], initCodeLength: 0 }]
    await using stage = await DashboardStage.start({
      contracts: {
        deployedAs: async (deployed) => (deployed === code ? known : []),
        createdBy: async () => [],
        all: async () => known,
      },
    })
    const address = `0x${'ec'.repeat(20)}`
    await stage.rpc('hardhat_setCode', address, code)
    await using opened = await open()
    const { page } = opened
    const asked: string[] = []
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => asked.push(String(payload))),
    )
    await openDashboard(page, stage)
    await page.goto(viewUrl(stage, `/address/${address}`))
    await page.getByText('1 to 30 of 299').waitFor()
    await page.locator('.getters').getByText('nothing').first().waitFor()
    await page.getByText('and 1 more').waitFor()
    const row = page.locator('details.function')
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Add [0]' }).click()
    await row.getByRole('combobox').first().selectOption('true')
    await row.getByLabel('constructor').fill('1')
    await row.getByRole('button', { name: 'Simulate' }).click()
    await row.getByText('no type uint8').waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.title()).not.toBe('owned')
    const reads = asked.filter((text) => text.includes('"method":"read"'))
    expect(reads.length).toBeGreaterThan(0)
    for (const text of reads) expect(text.match(/getter/g)?.length).toBe(30)
    expect(opened.problems).toEqual([])
  })
})
