import type { Page } from 'playwright-core'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { sourceOf } from '../support/contractSource.ts'
import { describeInBrowser, type Open } from './browser/chromium.ts'
import { calldata, DashboardStage, showStage, viewUrl } from './browser/dashboardStage.ts'

const ETHER = 10n ** 18n

async function perform(open: Open, width = 1440) {
  const contracts = sourceOf('Dollar', 'Desk', 'Ledger', 'Front')
  const stage = await DashboardStage.start({ contracts })
  return showStage(open, stage, width)
}

/** Alice pays 70 of her 100 dollars into a desk. */
async function payIn(stage: DashboardStage) {
  const dollar = await stage.deploy('Dollar')
  const desk = await stage.deploy('Desk')
  const [alice] = stage.accounts
  const send = async (to: Hex, data: Hex) => {
    const hash = await stage.send({ from: 0, to, data })
    await stage.tick()
    return hash
  }
  await send(dollar.address, calldata(dollar, 'mint', alice, 100_000_000n))
  const approved = await send(
    dollar.address,
    calldata(dollar, 'approve', desk.address, 2n ** 256n - 1n),
  )
  await stage.seal()
  const paid = await send(desk.address, calldata(desk, 'deposit', dollar.address, 70_000_000n))
  return { alice, approved, paid }
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describeInBrowser('tokens and variables', (open) => {
  test('a transaction shows the tokens that it moved, and variables by name', async () => {
    await using performance = await perform(open)
    const { page, stage } = performance
    const { approved, paid } = await payIn(stage)
    await page.goto(viewUrl(stage, `/tx/${paid}`))
    const transfers = region(page, 'Transfers')
    await transfers.waitFor()
    expect(await transfers.innerText()).toMatch(/70\s+USDT[\s\S]*Account #0[\s\S]*Desk/)
    const balances = await region(page, 'Balance changes').innerText()
    expect(balances).toMatch(/−70\s+USDT/)
    expect(balances).toMatch(/\+70\s+USDT/)
    // The balance before and after the fee do not look the same.
    const ether = /Account #0\s+([\d,.]+) ETH\s+([\d,.]+) ETH/.exec(balances) ?? []
    expect(ether[1]).not.toBe(ether[2])
    const state = await region(page, 'State changes').innerText()
    expect(state).toMatch(/paid\[Account #0\]\s+0\s+→\s+70,000,000/)
    expect(state).not.toContain('slot')
    expect(await region(page, 'Details').or(region(page, 'Outcome')).innerText()).toContain(
      '2 (EIP-1559)',
    )

    await page.goto(viewUrl(stage, `/tx/${approved}`))
    await page.getByText('unlimited', { exact: false }).first().waitFor()
    expect(await page.locator('body').innerText()).not.toContain('115792089')
  })

  test('an account has its tokens, sealed beside pending, and says who sent what', async () => {
    await using performance = await perform(open)
    const { page, stage } = performance
    const { alice } = await payIn(stage)
    const bob = stage.accounts[1] as Hex
    await stage.send({ from: 1, to: alice as Hex, value: 3n })
    await stage.tick()
    await stage.send({ from: 1, to: alice as Hex, value: 1n, nonce: 5 })
    await page.goto(viewUrl(stage, `/address/${alice}`))
    const tokens = region(page, 'Tokens')
    await expect.poll(() => tokens.innerText()).toMatch(/Dollar[\s\S]*100 USDT\s+30 USDT/)
    const waiting = await region(page, 'Waiting').innerText()
    expect(waiting).toMatch(/nonce 5\s+in\s+Account #1/i)
    const list = await region(page, 'Transactions').innerText()
    expect(list).toMatch(/in\s+Transfer to Account #0[\s\S]*3 wei/)
    expect(list).toMatch(/out\s+Desk\.deposit/)
    await page.goto(viewUrl(stage, `/address/${bob}`))
    await page.getByRole('rowheader', { name: 'Next nonce' }).waitFor()
  })

  test('lists have no rows of zeros, on a narrow page too', async () => {
    await using performance = await perform(open, 390)
    const { page, stage } = performance
    await stage.send({ from: 0, to: stage.accounts[1] as Hex, value: 3n })
    await stage.send({ from: 0, to: stage.accounts[1] as Hex, value: ETHER / 10n ** 9n })
    await stage.send({ from: 0, to: stage.accounts[1] as Hex })
    await stage.tick()
    await page.goto(viewUrl(stage, '/txs'))
    await page.getByText('3 wei').waitFor()
    await page.getByText('<0.000001 ETH').waitFor()
    await page.getByText('Transfer of 0 to Account #1').waitFor()
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    )
    expect(overflow).toBe(false)
  })

  test('a dropped transaction is still described, and a proxy has both names', async () => {
    await using performance = await perform(open)
    const { page, stage } = performance
    const ledger = await stage.deploy('Ledger')
    const front = await stage.deploy('Front', [ledger.address])
    const dropped = await stage.send({ from: 3, to: stage.accounts[1] as Hex, value: ETHER })
    await stage.rpc('hardhat_dropTransaction', dropped)
    await page.goto(viewUrl(stage, `/tx/${dropped}`))
    await page.getByText('the next nonce of').waitFor()
    const text = await page.locator('main').innerText()
    expect(text).toMatch(/dropped at \d\d:\d\d:\d\d: dropped by hardhat_dropTransaction/)
    expect(text).toMatch(/It had the nonce 0; the next nonce of\s+Account #3/)
    expect(text).toContain('1 ETH')
    await page.goto(viewUrl(stage, `/address/${front.address}`))
    await page.getByRole('heading', { name: 'Front → Ledger' }).waitFor()
  })
})
