import { expect, test } from 'vitest'
import { ask, networkOf, noteEvents } from './browser/asking.ts'
import { describeInBrowser, openIn } from './browser/chromium.ts'
import { SECOND_CHAIN, startScene } from './browser/stage.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const REJECTED = {
  error: { code: 4001, message: 'User rejected the request', isError: true },
}

describeInBrowser('approval page', (open) => {
  const begin = (deadline?: number) => startScene(open, deadline)

  test('default: what is asked, by whom, each field and warning; Approve and Reject', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    await person.page.getByText('No requests waiting').waitFor()
    const params = networkOf(SECOND_CHAIN, 'Second chain', stage.second.url)
    const rejected = ask(dapp, 'wallet_addEthereumChain', params)
    const card = person.card('wallet_addEthereumChain')
    await card.waitFor()
    const text = await card.innerText()
    for (const part of ['Second chain', '84532', stage.second.url, stage.site.url]) {
      expect(text).toContain(part)
    }
    // The RPC is on this machine and has answered, so there is nothing to warn of.
    expect(await card.getByRole('list', { name: 'Warnings' }).count()).toBe(0)
    expect(await card.getByRole('button', { name: 'Approve anyway' }).count()).toBe(0)
    expect(await person.page.title()).toBe('(1) Devnet wallet')
    await person.answer('wallet_addEthereumChain', 'Reject')
    expect(await rejected).toEqual(REJECTED)
    expect(await person.rows('chains')).not.toMatch('Second chain')

    const unknown = [stage.second.url, 'https://rpc.invalid']
    const [network] = params
    const warned = ask(dapp, 'wallet_addEthereumChain', [{ ...network, rpcUrls: unknown }])
    await card.waitFor()
    expect(await card.getByRole('list', { name: 'Warnings' }).innerText()).toMatch(
      /does not know chain 84532.*https:\/\/rpc\.invalid/s,
    )
    await card.getByRole('button', { name: 'Approve anyway' }).waitFor()
    await person.answer('wallet_addEthereumChain', 'Reject')
    expect(await warned).toEqual(REJECTED)

    const approved = ask(dapp, 'wallet_addEthereumChain', params)
    await person.answer('wallet_addEthereumChain', 'Approve')
    expect(await approved).toEqual({ result: null })
    await expect.poll(() => person.rows('chains')).toMatch(/Second chain\s+84532/)
    expect(await person.decisions()).toEqual([
      'rejected wallet_addEthereumChain',
      'rejected wallet_addEthereumChain',
      'approved wallet_addEthereumChain',
    ])
    await person.page.getByText('No requests waiting').waitFor()
  })

  test('by keyboard alone, one decision a press', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    const [first, second] = [
      ask(dapp, 'wallet_addEthereumChain', networkOf(SECOND_CHAIN, 'One', stage.second.url)),
      ask(dapp, 'wallet_addEthereumChain', networkOf(SECOND_CHAIN, 'Two', stage.second.url)),
    ]
    // The chain is probed first, so that a request for accounts could overtake both.
    await expect.poll(() => person.page.locator('#queue > li').count()).toBe(2)
    const third = ask(dapp, 'eth_requestAccounts')
    await expect.poll(() => person.page.locator('#queue > li').count()).toBe(3)
    const { keyboard } = person.page
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    await person.card('eth_requestAccounts').waitFor()
    await person.canDecide()
    await keyboard.press('r')
    expect(await third).toEqual(REJECTED)

    // Held down: the key must not go on to the next request.
    await person.card('wallet_addEthereumChain').waitFor()
    await person.canDecide()
    await keyboard.down('r')
    for (let i = 0; i < 20; i++) await keyboard.down('r')
    await keyboard.up('r')
    expect(await Promise.race([first, second])).toEqual(REJECTED)
    await person.canDecide()
    expect(await person.decisions()).toHaveLength(2)
    await keyboard.press('r')
    expect(await Promise.all([first, second])).toEqual([REJECTED, REJECTED])
  })

  test('a card that has just come takes no decision', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    const both = [
      ask(dapp, 'wallet_addEthereumChain', networkOf(SECOND_CHAIN, 'One', stage.second.url)),
      ask(dapp, 'wallet_addEthereumChain', networkOf(SECOND_CHAIN, 'Two', stage.second.url)),
    ]
    await person.canDecide()
    await person.page.keyboard.press('r')
    await expect.poll(() => person.decisions()).toHaveLength(1)
    // At once: this key was meant for the card before.
    await person.page.keyboard.press('r')
    await person.canDecide()
    expect(await person.decisions()).toHaveLength(1)
    await person.page.keyboard.press('r')
    expect(await Promise.all(both)).toEqual([REJECTED, REJECTED])
  })

  test('the chosen account is the one that the dApp gets', async () => {
    await using scene = await begin()
    const { person, dapp } = scene
    const asked = ask(dapp, 'eth_requestAccounts')
    await person.page.getByRole('combobox').selectOption(BOB)
    await person.answer('eth_requestAccounts', 'Approve')
    expect(await asked).toEqual({ result: [BOB] })
    await expect.poll(() => person.rows('sites')).toMatch(scene.stage.site.url)
    const events = await noteEvents(dapp)
    await person.page.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(events).toEqual([['accountsChanged', []]])
  })

  test('a deadline that passes takes the request away, and the page says so', async () => {
    await using scene = await begin(4_000)
    const { person, dapp } = scene
    const asked = ask(dapp, 'eth_requestAccounts')
    const card = person.card('eth_requestAccounts')
    await card.waitFor()
    expect(await card.locator('.clock').innerText()).toMatch(/^0:0[1-4]$/)
    expect(await asked).toMatchObject({ error: { code: 4001 } })
    await card.waitFor({ state: 'detached' })
    expect(await person.decisions()).toEqual(['expired eth_requestAccounts'])
    expect(await person.page.locator('#live').innerText()).toMatch(/expired/)
  })

  test('a dApp that goes away takes its request along', async () => {
    await using scene = await begin()
    const { person, dapp } = scene
    ask(dapp, 'eth_requestAccounts').catch(() => undefined)
    await person.card('eth_requestAccounts').waitFor()
    await dapp.goto('about:blank')
    await person.page.getByText('No requests waiting').waitFor()
    expect(await person.decisions()).toEqual(['withdrawn eth_requestAccounts'])
  })

  test('a session has a page of its own', async () => {
    await using scene = await begin()
    const { person, dapp, stage } = scene
    const alice = stage.wallet.session('alice')
    await person.page.goto(alice.pageUrl)
    await person.page.getByText('Session alice').waitFor()
    await dapp.route(stage.site.url, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>dApp</title>' }),
    )
    await dapp.context().grantPermissions(['local-network-access'])
    await dapp.addInitScript({ content: await alice.providerScript() })
    await dapp.goto(stage.site.url)
    const asked = ask(dapp, 'eth_requestAccounts')
    await person.answer('eth_requestAccounts', 'Approve')
    expect(await asked).toEqual({ result: [ALICE] })
    expect((await stage.wallet.state()).connections).toEqual([])
    expect((await alice.state()).connections).toHaveLength(1)
  })

  test('a program without an origin is disconnected alone', async () => {
    await using scene = await begin()
    const { stage, person, dapp } = scene
    await stage.wallet.policy({ default: 'approve' })
    await ask(dapp, 'eth_requestAccounts')
    await fetch(stage.wallet.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_requestAccounts"}',
    })
    const program = person.page.getByRole('listitem').filter({ hasText: 'a program without' })
    await program.getByRole('button', { name: 'Disconnect' }).click()
    await expect
      .poll(async () => (await stage.wallet.state()).connections)
      .toMatchObject([{ origin: stage.site.url }])
  })

  test('two tabs of a dApp have one connection to the person, and hear the same', async () => {
    await using scene = await begin()
    const { person, dapp, stage } = scene
    await using tab = openIn(await dapp.context().newPage())
    await tab.page.goto(stage.site.url)
    const [here, there] = [await noteEvents(dapp), await noteEvents(tab.page)]
    await ask(tab.page, 'eth_chainId')
    const asked = ask(dapp, 'eth_requestAccounts')
    await person.answer('eth_requestAccounts', 'Approve')
    expect(await asked).toEqual({ result: [ALICE] })
    await expect.poll(there).toContainEqual(['accountsChanged', [ALICE]])
    await expect.poll(here).toContainEqual(['accountsChanged', [ALICE]])
    expect(await ask(tab.page, 'eth_accounts')).toEqual({ result: [ALICE] })
    expect(await tab.page.evaluate('ethereum.selectedAddress')).toBe(ALICE)
  })
})
