import { expect, test } from 'vitest'
import { ask, noteEvents } from './browser/asking.ts'
import { describeInBrowser } from './browser/chromium.ts'
import { startStage } from './browser/stage.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

describeInBrowser('provider script', (open) => {
  test('the result comes first, then what it changed', async () => {
    await using stage = await startStage()
    await using dapp = await open()
    await stage.wallet.policy({ default: 'approve' })
    await dapp.page.goto(stage.site.url)
    await ask(dapp.page, 'eth_chainId')
    const read = await noteEvents(dapp.page)
    await dapp.page.evaluate(
      `(async () => {
        noted.push(['result', await ethereum.request({ method: 'eth_requestAccounts' })])
      })()`,
    )
    await expect.poll(read).toEqual([
      ['result', [ALICE]],
      ['accountsChanged', [ALICE]],
    ])
    await stage.wallet.disconnect()
    await expect.poll(async () => (await read()).at(-1)).toEqual(['accountsChanged', []])
  })

  test('where a policy of the page forbids WebSockets, it posts', async () => {
    await using stage = await startStage()
    await using dapp = await open()
    await stage.wallet.policy({ default: 'approve' })
    const { origin } = new URL(stage.wallet.url)
    await dapp.page.route(`${stage.site.url}/strict`, async (route) => {
      const response = await route.fetch()
      const policy = `connect-src ${origin}`
      await route.fulfill({ response, headers: { 'content-security-policy': policy } })
    })
    await dapp.page.context().grantPermissions(['local-network-access'])
    await dapp.page.goto(`${stage.site.url}/strict`)
    const read = await noteEvents(dapp.page)
    expect(await ask(dapp.page, 'eth_requestAccounts')).toEqual({ result: [ALICE] })
    await expect.poll(read).toContainEqual(['accountsChanged', [ALICE]])
    await stage.wallet.disconnect()
    await expect.poll(read, { timeout: 5_000 }).toContainEqual(['accountsChanged', []])
  })

  test('on a public https page, a function of the test carries the requests', async () => {
    await using stage = await startStage()
    await using dapp = await open()
    const { page } = dapp
    await page.exposeFunction('toWallet', async (body: string) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(stage.wallet.url, { method: 'POST', headers, body })
      return response.text()
    })
    const content = await stage.wallet.providerScript({ bridge: 'toWallet' })
    await page.addInitScript({ content })
    await page.route('https://app.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': "default-src 'none'" },
        body: '<!doctype html><title>Public</title>',
      }),
    )
    await page.goto('https://app.example/')
    const asked = ask(page, 'eth_requestAccounts')
    const { id, origin } = await stage.wallet.waitFor({ method: 'eth_requestAccounts' })
    expect(origin).toBeNull()
    await stage.wallet.approve(id)
    expect(await asked).toEqual({ result: [ALICE] })
    expect(dapp.problems).toEqual([])
  })

  test('subscriptions arrive as message events', async () => {
    await using stage = await startStage()
    await using dapp = await open()
    await dapp.page.goto(stage.site.url)
    await dapp.page.evaluate(
      `window.heads = []
      ethereum.on('message', ({ type, data }) => heads.push([type, data.subscription, data.result.number]))`,
    )
    const asked = await ask(dapp.page, 'eth_subscribe', ['newHeads'])
    await stage.node.clock.advance({ blocks: 1 })
    await expect
      .poll(() => dapp.page.evaluate('heads'))
      .toEqual([['eth_subscription', 'result' in asked && asked.result, '0x1']])
  })
})
