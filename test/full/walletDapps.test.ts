import { verifyMessage } from 'viem'
import { expect, test } from 'vitest'
import { describeInBrowser } from './browser/chromium.ts'
import { Person } from './browser/person.ts'
import { startStage } from './browser/stage.ts'

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** As test/full/dapps/view.ts has it. */
const MESSAGE = 'Hello from the dApp'

/** How each library shows what the wallet says. */
const LIBRARIES = [
  {
    library: 'wagmi',
    asking: 'wallet_requestPermissions',
    rejection: 'refused: UserRejectedRequestError 4001 4001',
    // It adds a network when a switch ends with 4902, and takes it for active then.
    before: ['invalid wallet_switchEthereumChain'],
    added: '84532, connector at 84532',
    switched: '84532, connector at 84532',
  },
  {
    library: 'viem',
    asking: 'eth_requestAccounts',
    rejection: 'refused: UserRejectedRequestError 4001 4001',
    before: [],
    added: 'added',
    switched: '84532',
  },
  {
    library: 'ethers',
    asking: 'eth_requestAccounts',
    rejection: 'refused: Error ACTION_REJECTED 4001',
    before: [],
    added: 'added',
    switched: '84532',
  },
]

describeInBrowser('dApps', (open) => {
  test('wagmi sends a batch that has to be atomic, once the person has upgraded the account', async () => {
    await using stage = await startStage()
    await using opened = await open()
    const person = new Person(opened.page)
    await person.page.goto(stage.wallet.pageUrl)
    await using dapp = await open()
    await dapp.page.goto(stage.dapp('wagmi'))
    type Verdict = 'Approve' | 'Reject'
    async function step(name: string, verdicts: Readonly<Record<string, Verdict>> = {}) {
      await dapp.page.getByRole('button', { name, exact: true }).click()
      for (const [title, verdict] of Object.entries(verdicts)) await person.answer(title, verdict)
      const output = dapp.page.locator(`output#${name}`).filter({ hasNotText: '…' })
      await output.waitFor({ state: 'attached' })
      return output.innerText()
    }
    await step('connect', { Connect: 'Approve' })
    expect(await step('capabilities')).toBe('unsupported')
    // By keyboard.
    await person.page.getByRole('button', { name: 'After an upgrade' }).focus()
    await person.page.keyboard.press('Enter')
    await expect
      .poll(async () => (await stage.wallet.state()).policy.atomic)
      .toEqual([{ status: 'ready' }])
    expect(await step('capabilities')).toBe('ready')
    const [upgrade, send] = ['Upgrade the account', 'Send 2 calls']
    expect(await step('batch', { [upgrade]: 'Reject' })).toMatch(/^refused: .*5750/)
    const refused = await step('batch', { [upgrade]: 'Approve', [send]: 'Reject' })
    expect(refused).toMatch(/^refused: .*4001/)
    const sent = await step('batch', { [upgrade]: 'Approve', [send]: 'Approve' })
    expect(sent).toBe('success atomic 1')
    expect(await step('capabilities')).toBe('supported')
    expect(await step('batch', { [send]: 'Approve' })).toBe('success atomic 1')
    expect([...dapp.problems, ...opened.problems]).toEqual([])
  })

  test.each(LIBRARIES)(
    '$library from discovery to a pre-confirmed transaction',
    async ({ library, asking, rejection, before, added, switched }) => {
      await using stage = await startStage()
      await using opened = await open()
      const person = new Person(opened.page)
      await person.page.goto(stage.wallet.pageUrl)
      await using dapp = await open()
      await dapp.page.goto(stage.dapp(library))

      /** A step of the dApp, what is asked at the wallet for it, and what the dApp shows then. */
      async function step(
        name: string,
        method?: string,
        verdict: 'Approve' | 'Reject' = 'Approve',
      ) {
        await dapp.page.getByRole('button', { name, exact: true }).click()
        if (method !== undefined) await person.answer(method, verdict)
        const output = dapp.page.locator(`output#${name}`).filter({ hasNotText: '…' })
        await output.waitFor({ state: 'attached' })
        return output.innerText()
      }

      const found = dapp.page.locator('output#wallet')
      await expect.poll(() => found.innerText()).toBe('Devnet Wallet localhost.pending-node')

      expect(await step('connect', asking, 'Reject')).toBe(rejection)
      expect(JSON.parse((await step('connect', asking)).toLowerCase())).toEqual([
        ALICE.toLowerCase(),
      ])
      expect(await step('add', 'wallet_addEthereumChain', 'Reject')).toBe(rejection)
      expect(await step('add', 'wallet_addEthereumChain')).toBe(added)
      expect(await step('switch')).toBe(switched)
      // Anything else verifies as no signature.
      const signature = (await step('sign', 'personal_sign')) as `0x${string}`
      expect(await verifyMessage({ address: ALICE, message: MESSAGE, signature })).toBe(true)
      expect(await step('send', 'eth_sendTransaction')).toMatch(
        /^0x[0-9a-f]{64} (?:success|1) pre-confirmed$/,
      )
      expect(await person.decisions()).toEqual([
        `rejected ${asking}`,
        `approved ${asking}`,
        ...before,
        'rejected wallet_addEthereumChain',
        ...before,
        'approved wallet_addEthereumChain',
        'approved personal_sign',
        'approved eth_sendTransaction',
      ])
      expect([...dapp.problems, ...opened.problems]).toEqual([])
    },
  )
})
