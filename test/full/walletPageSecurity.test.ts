import { expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import { ask, networkOf } from './browser/asking.ts'
import { describeInBrowser } from './browser/chromium.ts'
import { Person } from './browser/person.ts'
import { SECOND_CHAIN, startStage } from './browser/stage.ts'

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

describeInBrowser('approval page, attacked', (open) => {
  test('what a stranger writes is text, and nothing hides in it', async () => {
    await using stage = await startStage()
    await using opened = await open()
    await using dapp = await open()
    const person = new Person(opened.page)
    await person.page.goto(stage.wallet.pageUrl)
    await dapp.page.goto(stage.site.url)
    const name = `${HOSTILE}\u202egnp\u200b`
    const asked = ask(
      dapp.page,
      'wallet_addEthereumChain',
      networkOf(SECOND_CHAIN, name, stage.second.url),
    )
    const card = person.card('wallet_addEthereumChain')
    const shown = `${HOSTILE}⟨U+202E⟩gnp⟨U+200B⟩`
    await card.getByText(shown).first().waitFor()
    await card.getByText('Raw request').click()
    await person.answer('wallet_addEthereumChain', 'Approve')
    expect(await asked).toEqual({ result: null })
    await expect.poll(() => person.rows('chains')).toContain(shown)
    await person.page.locator('#history summary').first().click()
    expect(await person.page.locator('img, script:not([src])').count()).toBe(0)
    expect(await person.page.title()).toBe('Devnet wallet')
    expect(await person.page.content()).not.toContain('<img')
    expect(opened.problems).toEqual([])
  })

  test.each([
    ['no token', '', 'No token'],
    [
      'the token of another run',
      '#0123456789abcdef0123456789abcdef',
      'Access token missing or wrong',
    ],
  ])('with %s it shows nothing', async (_, fragment, title) => {
    await using stage = await startStage()
    await using opened = await open()
    const { page } = opened
    await page.goto(stage.wallet.pageUrl.replace(/#.*/, fragment))
    await page.getByRole('heading', { name: title }).waitFor()
    expect(await page.locator('#accounts').innerText()).toBe('')
    expect(await page.locator('#link').innerText()).toBe('Access token missing or wrong')
    // The address is corrected in the same tab, which loads nothing again.
    await page.goto(stage.wallet.pageUrl)
    await page.getByText('No requests waiting').waitFor()
    expect(await page.locator('#link').innerText()).toBe('Live')
  })

  test('the token leaves the address bar and the history, and the tab keeps it', async () => {
    await using stage = await startStage()
    await using opened = await open()
    const { page } = opened
    await page.goto(stage.wallet.pageUrl)
    await page.getByText('No requests waiting').waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.reload()
    await page.getByText('No requests waiting').waitFor()
    await page.goto('about:blank')
    await page.goBack()
    await page.getByText('No requests waiting').waitFor()
    expect(page.url()).not.toContain(stage.wallet.token)
  })

  test('it stands in no frame, and leaves no handle to who opens it', async () => {
    await using stage = await startStage()
    await using dapp = await open()
    const { page } = dapp
    await page.goto(stage.site.url)
    const framed = page.waitForEvent('framenavigated', (frame) => frame !== page.mainFrame())
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(stage.wallet.pageUrl)} }))`,
    )
    const frame = await framed
    await frame.getByText('Other pages may link to this one, but not load it.').waitFor()

    const popup = page.waitForEvent('popup')
    await page.evaluate(`window.opened = window.open(${JSON.stringify(stage.wallet.pageUrl)})`)
    await (await popup).getByText('No requests waiting').waitFor()
    // The browser tells the opener a moment after the page is there.
    await expect.poll(() => page.evaluate('opened.closed'), { timeout: 10_000 }).toBe(true)
  })

  test('no page can approve its own request, not even one that knows the token', async () => {
    await using stage = await startStage()
    await using dapp = await open()
    const { page } = dapp
    await page.goto(stage.site.url)
    const asked = ask(page, 'eth_requestAccounts')
    let ended = false
    void asked.finally(() => {
      ended = true
    })
    const { url, token } = stage.wallet
    const tries = await page.evaluate(
      `(async () => {
        const tried = async (token, mode) => {
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'control_approve', params: [{ id: '1' }] })
          const headers = { 'content-type': mode === 'cors' ? 'application/json' : 'text/plain' }
          if (token) headers.authorization = 'Bearer ' + token
          return fetch('${url}/control', { method: 'POST', mode, headers, body }).then(() => 'sent', () => 'refused')
        }
        const socket = (token) => new Promise((resolve) => {
          const opened = new WebSocket('${url.replace('http', 'ws')}/control')
          opened.onopen = () => opened.send(JSON.stringify({ token }))
          opened.onmessage = () => resolve('told')
          opened.onclose = () => resolve('refused')
        })
        return [
          await tried('', 'cors'),
          await tried('', 'no-cors'),
          await tried('${token}', 'cors'),
          await socket('${token}'),
        ]
      })()`,
    )
    // A request without CORS can be sent by any page; its answer stays unread, and it must do nothing.
    expect(tries).toEqual(['refused', 'sent', 'refused', 'refused'])
    expect(ended).toBe(false)
    await using opened = await open()
    await opened.page.goto(stage.wallet.pageUrl)
    await new Person(opened.page).answer('eth_requestAccounts', 'Reject')
    expect(await asked).toMatchObject({ error: { code: 4001 } })
  })

  test('when the node ends, the page and the provider say so', async () => {
    const stage = await startStage()
    await using opened = await open()
    await using dapp = await open()
    await opened.page.goto(stage.wallet.pageUrl)
    await dapp.page.goto(stage.site.url)
    await opened.page.getByText('No requests waiting').waitFor()
    const held = ask(dapp.page, 'eth_requestAccounts')
    await new Person(opened.page).card('eth_requestAccounts').waitFor()
    await stage[Symbol.asyncDispose]()
    expect(await held).toMatchObject({ error: { code: 4900, isError: true } })
    await opened.page.getByRole('alert').getByText('The node does not answer').waitFor()
    expect(await opened.page.locator('#link').innerText()).toBe('Connection lost')
  })

  test('the page goes on with a node that has its token, and with no other', async () => {
    await using opened = await open()
    const { page } = opened
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    vi.stubEnv('PENDING_NODE_WALLET_TOKEN', 'of-several-runs-0123456789')
    const first = createDevnet({ port: 0, wallet: { policy: 'hold' } })
    await first.start()
    const port = Number(new URL(first.url).port)
    await page.goto(first.wallet.pageUrl)
    await page.getByText('No requests waiting').waitFor()
    await first.stop()
    await page.getByText('Connection lost').waitFor()
    await using second = createDevnet({ port, wallet: { policy: 'reject' } })
    await second.start()
    await page.getByText('New requests are rejected automatically').waitFor()
    expect(await page.locator('#link').innerText()).toBe('Live')
    expect(await page.getByRole('alert').count()).toBe(0)

    await second.stop()
    vi.stubEnv('PENDING_NODE_WALLET_TOKEN', 'of-another-run-0123456789')
    await using third = createDevnet({ port })
    await third.start()
    await page.getByText('This page shows nothing without its access token.').waitFor()
  })
})
