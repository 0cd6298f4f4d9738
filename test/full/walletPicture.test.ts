import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, networkOf } from './browser/asking.ts'
import { describeInBrowser } from './browser/chromium.ts'
import { Person } from './browser/person.ts'
import { SECOND_CHAIN, startStage } from './browser/stage.ts'

const PICTURE = new URL('../../examples/wallet/approval-page.png', import.meta.url)

/** `Hello, devnet` as a page hands it to `personal_sign`. */
const HELLO = '0x48656c6c6f2c206465766e6574'

describeInBrowser('the picture in the README', (open) => {
  test('shows the page as it is after some requests (UPDATE_PICTURE=1 takes it anew)', async () => {
    await using stage = await startStage()
    await using opened = await open()
    await using shop = await open()
    const person = new Person(opened.page)
    await person.page.goto(stage.wallet.pageUrl)
    const origin = 'http://localhost:3000'
    // The browser does not know where a page lies that no server sent, and guards this machine from it.
    await shop.page.context().grantPermissions(['local-network-access'])
    await shop.page.route(`${origin}/`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><script src="${stage.wallet.url}/provider.js"></script>`,
      }),
    )
    await shop.page.goto(`${origin}/`)

    /** Asks, decides, and waits for the end. */
    async function step(method: string, params: unknown, verdict: 'Approve' | 'Reject') {
      const asked = ask(shop.page, method, params)
      await person.answer(method, verdict)
      return asked
    }
    const connected = await step('eth_requestAccounts', [], 'Approve')
    const account = 'result' in connected ? String(connected.result) : ''
    await step('personal_sign', [HELLO, account], 'Approve')
    await step('eth_sendTransaction', [{ from: account, to: account, value: '0x1' }], 'Reject')
    const network = networkOf(SECOND_CHAIN, 'Base Sepolia', stage.second.url)
    const pending = ask(shop.page, 'wallet_addEthereumChain', network)
    await person.canDecide()
    await expect.poll(() => person.decisions()).toHaveLength(3)
    const taken = await person.page.screenshot({ animations: 'disabled' })
    if (process.env.UPDATE_PICTURE === '1') writeFileSync(PICTURE, taken)
    await person.answer('wallet_addEthereumChain', 'Approve')
    expect(await pending).toEqual({ result: null })

    const [now, committed] = [sizeOf(taken), sizeOf(readFileSync(PICTURE))]
    expect(now).toEqual(committed)
    expect(readFileSync(PICTURE).length).toBeLessThan(150_000)
  })
})

/** Width and height of a PNG, in pixels. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}
