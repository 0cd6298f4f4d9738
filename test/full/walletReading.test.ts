import type { Page } from 'playwright-core'
import { encodeFunctionData, type Hex, maxUint256 } from 'viem'
import { expect, test } from 'vitest'
import { artifact } from '../support/solidity.ts'
import { describeInBrowser } from './browser/chromium.ts'
import { Person } from './browser/person.ts'
import { type Stage, startStage } from './browser/stage.ts'
import { violationsOf } from './browser/violations.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const COIN = '0x000000000000000000000000000000000000c011'
const BAZAAR = '0x000000000000000000000000000000000000ba2a'
const PHONE = { width: 390, height: 844 }

/** A stage on which a program is connected, and a person who is asked from now on. */
async function begin(page: Page) {
  const stage = await startStage()
  const { wallet, node } = stage
  for (const params of [
    [COIN, artifact('Coupon').deployedBytecode],
    [BAZAAR, artifact('Bazaar').deployedBytecode],
  ]) {
    await node.provider.request({ method: 'hardhat_setCode', params })
  }
  await wallet.policy({ default: 'approve' })
  await ask(stage, 'eth_requestAccounts')
  await wallet.policy({ default: 'hold' })
  await page.goto(wallet.pageUrl)
  return { stage, person: new Person(page) }
}

/** Asks as a program does. @returns the answer */
async function ask({ wallet }: Stage, method: string, params: unknown = []): Promise<unknown> {
  const response = await fetch(wallet.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json()
}

const coin = (functionName: string, ...args: unknown[]): { to: Hex; data: Hex } => ({
  to: COIN,
  data: encodeFunctionData({ abi: artifact('Coupon').abi, functionName, args }),
})

const send = (stage: Stage, transaction: object) =>
  ask(stage, 'eth_sendTransaction', [{ from: ALICE, ...transaction }])

const permit = {
  types: { EIP712Domain: [], Permit: [] },
  primaryType: 'Permit',
  domain: { name: 'Coupon', chainId: 31337, verifyingContract: COIN },
  message: { owner: ALICE, spender: BAZAAR, value: String(maxUint256), deadline: '1900000000' },
}

describeInBrowser('reading a request', (open) => {
  test('default: amounts, names and the fee, which with the buttons is in reach on a phone', async () => {
    await using opened = await open({ viewport: PHONE })
    const { stage, person } = await begin(opened.page)
    await using _ = stage
    const sent = send(stage, coin('approve', BAZAAR, maxUint256))
    const card = person.card('eth_sendTransaction')
    await card
      .getByText(/^Fee: 0\.0\d+ ETH expected, at most .* · Gas limit: .* · Nonce: 0$/)
      .waitFor()
    const text = await card.innerText()
    expect(text).toContain('Bazaar 0x000000000000000000000000000000000000')
    expect(text).toContain('unlimited COIN')
    expect(text).toMatch(/Bazaar \(0x\w+\) may spend all COIN of this account/)
    // At the top of the page, without a scroll.
    expect(await opened.page.evaluate('scrollY')).toBe(0)
    for (const name of ['Reject', 'Approve anyway']) {
      const box = await card.getByRole('button', { name }).boundingBox()
      expect((box?.y ?? PHONE.height) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height)
    }
    await person.answer('eth_sendTransaction', 'Approve')
    await sent
  })

  test('a permit is a sentence, and its values are in words', async () => {
    await using opened = await open()
    const { stage, person } = await begin(opened.page)
    await using _ = stage
    const signed = ask(stage, 'eth_signTypedData_v4', [ALICE, permit])
    const card = person.card('eth_signTypedData_v4')
    await card
      .getByRole('heading', { name: 'Permit: let Bazaar spend unlimited COIN until 2030-03-17' })
      .waitFor()
    expect(await card.innerText()).toContain('deadline: 2030-03-17 17:46:40 UTC (1900000000)')
    await person.answer('eth_signTypedData_v4', 'Reject')
    await signed
  })

  test('what will fail is not approved by the letter alone', async () => {
    await using opened = await open()
    const { stage, person } = await begin(opened.page)
    await using _ = stage
    const sent = send(stage, { ...coin('transfer', BOB, 10n ** 12n), gas: '0x186a0' })
    const button = opened.page.getByRole('button', { name: 'Approve anyway' })
    await button.waitFor()
    await person.canDecide()
    await opened.page.keyboard.press('a')
    expect(await button.evaluate((own) => own === own.ownerDocument.activeElement)).toBe(true)
    expect(await stage.wallet.pending()).toHaveLength(1)
    await opened.page.keyboard.press('Shift+A')
    expect(await sent).toMatchObject({ result: expect.stringMatching(/^0x/) })
  })

  test('several: the position, whole cards, and one press for all', async () => {
    await using opened = await open()
    const { stage, person } = await begin(opened.page)
    await using _ = stage
    const { page } = opened
    const sent = [1, 2, 3, 4].map((value) => send(stage, { to: BOB, value: `0x${value}` }))
    sent.push(send(stage, coin('approve', BAZAAR, maxUint256)))
    await page.getByText('Request 1 of 5').waitFor()
    const list = await page.locator('#queue').boundingBox()
    const right = (list?.x ?? 0) + (list?.width ?? 0)
    const boxes = await Promise.all(
      (await page.locator('#queue > li').all()).map((one) => one.boundingBox()),
    )
    const cut = boxes.filter((box) => box && box.x < right && box.x + box.width > right + 1)
    expect([boxes.length, cut]).toEqual([5, []])
    await page.keyboard.press('ArrowDown')
    await page.getByText('Request 2 of 5').waitFor()
    await page.getByRole('button', { name: 'Approve 4 without warning' }).click()
    await expect.poll(async () => (await stage.wallet.pending()).length).toBe(1)
    await person.answer('eth_sendTransaction', 'Reject')
    const answers = await Promise.all(sent)
    expect(answers.filter((one) => JSON.stringify(one).includes('result'))).toHaveLength(4)

    const more = [1, 2].map((value) => send(stage, { to: BOB, value: `0x${value}` }))
    await page.getByRole('button', { name: 'Reject all 2' }).click()
    expect(await Promise.all(more)).toMatchObject([{ error: { code: 4001 } }, { error: {} }])
  })

  test('the history names what was asked, and leads to the transaction in the dashboard', async () => {
    await using opened = await open()
    const { stage, person } = await begin(opened.page)
    await using _ = stage
    const { page } = opened
    // The browser keeps the token of the dashboard, which the wallet does not know.
    const admitted = await page.context().newPage()
    await admitted.goto(stage.node.dashboard.pageUrl)
    await admitted.locator('[data-link="live"]').waitFor()
    const sent = send(stage, { ...coin('transfer', BOB, 0n), gas: '0x186a0' })
    await person.answer('eth_sendTransaction', 'Approve')
    const { result } = (await sent) as { result: Hex }
    await page.locator('#history').getByText('Call transfer', { exact: true }).waitFor()
    const link = page.getByRole('link', { name: /^Transaction of Call transfer/ })
    const [dashboard] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await dashboard.locator('[data-link="live"]').waitFor()
    expect(new URL(dashboard.url()).pathname).toBe(`/dashboard/tx/${result}`)
    await dashboard.getByText(result.slice(0, 8)).first().waitFor()
    expect(
      await page.getByRole('link', { name: 'Dashboard', exact: true }).getAttribute('href'),
    ).toBe(`${stage.node.url}/dashboard/`)
  })

  test.each([
    ['light', undefined],
    ['dark', PHONE],
  ] as const)('axe finds nothing in the %s theme', async (colorScheme, viewport) => {
    await using opened = await open({
      colorScheme,
      reducedMotion: 'reduce',
      ...(viewport && { viewport }),
    })
    const { stage, person } = await begin(opened.page)
    await using _ = stage
    const { page } = opened
    const first = send(stage, { to: BOB, value: '0x1' })
    await person.answer('eth_sendTransaction', 'Approve')
    const failing = send(stage, { ...coin('transfer', BOB, 10n ** 12n), gas: '0x186a0' })
    await page.getByText(/^Fee: /).waitFor()
    const signed = ask(stage, 'eth_signTypedData_v4', [ALICE, permit])
    await page.getByText('Request 1 of 2').waitFor()
    await person.canDecide()
    expect(await violationsOf(page)).toEqual([])
    await stage.wallet.reset()
    await Promise.all([first, failing, signed])
  })
})
