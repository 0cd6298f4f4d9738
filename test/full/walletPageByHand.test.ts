import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { artifact } from '../support/solidity.ts'
import { ask, networkOf, noteEvents } from './browser/asking.ts'
import { describeInBrowser } from './browser/chromium.ts'
import { SECOND_CHAIN, startScene } from './browser/stage.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CAROL = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

describeInBrowser('what a person does by hand at the approval page', (open) => {
  const begin = () => startScene(open)

  test('default: the policy is switched on the page, and says what it does', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    const { page } = person
    const group = page.getByRole('group', { name: 'New requests' })
    await group.getByRole('button', { name: 'Ask me', pressed: true }).waitFor()
    await page.getByText('They appear here until you decide.').waitFor()

    await group.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('New requests are approved automatically').waitFor()
    expect(await ask(dapp, 'eth_requestAccounts')).toEqual({ result: [ALICE] })
    await group.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('New requests are rejected automatically').waitFor()
    expect(await ask(dapp, 'personal_sign', ['0x00', ALICE])).toMatchObject({
      error: { code: 4001 },
    })
    await group.getByRole('button', { name: 'Ask me' }).click()
    await group.getByRole('button', { name: 'Ask me', pressed: true }).waitFor()
    const asked = ask(dapp, 'personal_sign', ['0x00', ALICE])
    await person.answer('personal_sign', 'Reject')
    expect(await asked).toMatchObject({ error: { code: 4001 } })

    await stage.wallet.policy({ add: { method: 'eth_accounts', decision: 'approve' } })
    await page.getByText('unless a rule of a test decides').waitFor()
  })

  test('default: the network is switched on the page, and the dApp hears of it', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    const added = ask(
      dapp,
      'wallet_addEthereumChain',
      networkOf(SECOND_CHAIN, 'Second chain', stage.second.url),
    )
    await person.answer('wallet_addEthereumChain', 'Approve')
    await added
    const events = await noteEvents(dapp)
    await person.page.getByRole('button', { name: 'Switch to Devnet' }).click()
    await expect.poll(events).toEqual([['chainChanged', '0x7a69']])
    await person.page.getByRole('button', { name: 'Switch to Second chain' }).waitFor()
    expect(await person.page.locator('#active-chain').innerText()).toBe('Devnet · 31337')
  })

  test('default: accounts have the number that the node prints, their checksum and balance', async () => {
    await using scene = await begin()
    const { stage, person } = scene
    await expect
      .poll(() => person.rows('accounts'))
      .toMatch(/^#0 0xf39Fd6…2266\s+10,000 ETH\s+selected\s+#1 0x709979…79C8/)
    await stage.node.provider.request({
      method: 'hardhat_setBalance',
      params: [BOB, '0x14d1120d7b160000'],
    })
    // Without a change of the wallet.
    await expect.poll(() => person.rows('accounts'), { timeout: 15_000 }).toMatch(/1\.5 ETH/)
    await person.page.getByRole('button', { name: 'Select account #1 0x709979…79C8' }).click()
    await expect
      .poll(() => person.rows('accounts'))
      .toMatch(/^#1 0x709979…79C8\s+1\.5 ETH\s+selected/)
  })

  test('waiting requests are told apart by amount and recipient', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    await stage.wallet.policy({ default: 'approve' })
    await ask(dapp, 'eth_requestAccounts')
    await stage.wallet.policy({ default: 'hold' })
    const send = (to: string, value: string) =>
      ask(dapp, 'eth_sendTransaction', [{ from: ALICE, to, value }])
    const asked = [send(BOB, '0xde0b6b3a7640000'), send(CAROL, '0x1bc16d674ec80000')]
    const chips = person.page.locator('#queue .detail')
    await expect.poll(() => chips.allInnerTexts(), { timeout: 15_000 }).toHaveLength(2)
    expect((await chips.allInnerTexts()).toSorted()).toEqual([
      '1 ETH to 0x709979…79C8',
      '2 ETH to 0x3C44Cd…93BC',
    ])
    await stage.wallet.reset()
    await Promise.all(asked)
  })

  test('what a transaction would do is shown, and what would fail is warned of', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    await stage.wallet.policy({ default: 'approve' })
    await ask(dapp, 'eth_requestAccounts')
    await stage.wallet.policy({ default: 'hold' })
    const card = person.card('eth_sendTransaction')
    const send = (value: bigint) =>
      ask(dapp, 'eth_sendTransaction', [{ from: ALICE, to: BOB, value: `0x${value.toString(16)}` }])
    const good = send(15n * 10n ** 17n)
    await card.getByText('−1.5 ETH').waitFor()
    expect(await card.getByRole('list', { name: 'Warnings' }).count()).toBe(0)
    await person.answer('eth_sendTransaction', 'Approve')
    expect(await good).toMatchObject({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) })

    const bad = send(10n ** 23n)
    await card.getByText(/^The transaction will fail: .*insufficient/).waitFor()
    await card.getByRole('button', { name: 'Approve anyway' }).waitFor()
    await person.answer('eth_sendTransaction', 'Reject')
    expect(await bad).toMatchObject({ error: { code: 4001 } })
  })

  test('a call is decoded into its parts, and long ones scroll by keyboard', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    const { abi, deployedBytecode } = artifact('Bazaar')
    const params = [CAROL, deployedBytecode]
    await stage.node.provider.request({ method: 'hardhat_setCode', params })
    await stage.wallet.policy({ default: 'approve' })
    await ask(dapp, 'eth_requestAccounts')
    await stage.wallet.policy({ default: 'hold' })
    const send = (functionName: string, ...args: unknown[]) => {
      const data = encodeFunctionData({ abi, functionName, args })
      return ask(dapp, 'eth_sendTransaction', [{ from: ALICE, to: CAROL, data }])
    }
    const card = person.card('eth_sendTransaction')
    const asked = [send('buy', 7n, 3n)]
    await card.getByRole('heading', { name: 'Call Bazaar.buy' }).waitFor()
    expect(await card.locator('.call').innerText()).toBe(
      'Bazaar.buy\nid uint256\n7\namount uint256\n3',
    )
    await card.getByText('+3 × token 7 of 0x3C44').waitFor()

    const ids = Array.from({ length: 60 }, (_, id) => BigInt(id))
    asked.push(send('buy', 8n, 101n), send('giveMany', BOB, ids, ids))
    const chips = person.page.locator('#queue .detail')
    await expect.poll(() => chips.allInnerTexts()).toHaveLength(3)
    await expect
      .poll(async () => (await chips.allInnerTexts()).slice(0, 2).toSorted(), { timeout: 15_000 })
      .toEqual(['id: 7, amount: 3, at 0x3C44Cd…93BC', 'id: 8, amount: 101, at 0x3C44Cd…93BC'])
    await person.page.getByRole('button', { name: /giveMany/ }).click()
    const call = card.locator('.call')
    await call.getByText('… and 10 more').first().waitFor()
    await expect.poll(() => call.getAttribute('tabindex')).toBe('0')
    await call.focus()
    await person.page.keyboard.press('End')
    const scrolled = () => person.page.evaluate("document.querySelector('.call').scrollTop")
    await expect.poll(scrolled).toBeGreaterThan(0)
    await stage.wallet.reset()
    await Promise.all(asked)
  })

  test('a request that comes does not scroll the page', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    await person.page.setViewportSize({ width: 390, height: 480 })
    const asked = ask(
      dapp,
      'wallet_addEthereumChain',
      networkOf(SECOND_CHAIN, 'Second chain', stage.second.url),
    )
    await person.canDecide()
    expect(await person.page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
    expect(await person.page.evaluate('scrollY')).toBe(0)
    await person.answer('wallet_addEthereumChain', 'Reject')
    await asked
  })

  test('the focus goes from a decided request to the next one, and stays there at the end', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    const { page } = person
    const focused = () => page.evaluate('document.activeElement.className')
    const both = ['One', 'Two'].map((name) =>
      ask(dapp, 'wallet_addEthereumChain', networkOf(SECOND_CHAIN, name, stage.second.url)),
    )
    await expect.poll(() => page.locator('#queue > li').count()).toBe(2)
    for (const next of ['card', 'empty']) {
      await person.canDecide()
      const title = await page.locator('.card .fields').innerText()
      await page.getByText('Raw request').focus()
      await page.keyboard.press('r')
      await expect.poll(() => page.locator('#card').innerText()).not.toContain(title)
      await expect.poll(focused).toBe(next)
    }
    await Promise.all(both)
  })

  test('a request for accounts has one choice of the account', async () => {
    await using scene = await begin()
    const { person, dapp } = scene
    const asked = ask(dapp, 'eth_requestAccounts')
    const card = person.card('eth_requestAccounts')
    await card.waitFor()
    expect(await card.locator('dt').allInnerTexts()).toEqual(['Account', 'This site will'])
    expect(await card.getByRole('combobox', { name: 'Account' }).innerText()).toMatch(
      /^#0 0xf39Fd6…2266\n#1 0x709979…79C8\n/,
    )
    await person.answer('eth_requestAccounts', 'Reject')
    await asked
  })

  test('a permit without limit says so in its title', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    await stage.wallet.policy({ default: 'approve' })
    await ask(dapp, 'eth_requestAccounts')
    await stage.wallet.policy({ default: 'hold' })
    const permit = {
      types: {
        EIP712Domain: [{ name: 'name', type: 'string' }],
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      domain: { name: 'Token' },
      message: { owner: ALICE, spender: BOB, value: String(2n ** 256n - 1n), nonce: '0' },
    }
    const asked = ask(dapp, 'eth_signTypedData_v4', [ALICE, JSON.stringify(permit)])
    const card = person.card('eth_signTypedData_v4')
    await card.waitFor()
    const labels = await card.locator('dt').allInnerTexts()
    expect(labels).toEqual(['Account', 'Domain', 'Permit'])
    const title = 'Permit: let account #1 spend unlimited tokens'
    await card.getByRole('heading', { name: title }).waitFor()
    expect(await card.locator('dd').nth(2).innerText()).toContain('value: unlimited (2^256 − 1)')
    await person.answer('eth_signTypedData_v4', 'Reject')
    await asked
  })

  test('without its token nothing is claimed about what is there', async () => {
    await using scene = await begin()
    const { stage, person } = scene
    await expect.poll(() => person.rows('accounts')).toMatch(/#0/)
    // The tab keeps its own token, and another one replaces it.
    await person.page.goto(stage.wallet.pageUrl.replace(/#.*/, '#of-another-run'))
    await person.page.getByText('This page shows nothing without its access token.').waitFor()
    for (const list of ['sites', 'chains', 'accounts', 'history'] as const) {
      const shown = () =>
        person.page.evaluate(
          `[document.getElementById('${list}').children.length,
            getComputedStyle(document.getElementById('${list}'), '::after').content]`,
        )
      // Until the node has refused the token, the page is loading.
      await expect.poll(shown).toEqual([0, '"Not shown without the access token"'])
    }
    const buttons = person.page.getByRole('group', { name: 'New requests' }).getByRole('button')
    for (const button of await buttons.all()) expect(await button.isDisabled()).toBe(true)
  })
})
