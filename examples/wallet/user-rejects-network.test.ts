// The user rejects a network: what does the dApp show? The wallet is the node's, the browser is
// real, and nobody has to click in a popup. With @playwright/test, put the same calls into
// `beforeAll` and `test`.
//
//   CHROMIUM=/usr/bin/chromium node --test examples/wallet/user-rejects-network.test.ts
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { createDevnet } from 'hardhat-pending-node/devnet'
import { type Browser, chromium } from 'playwright-core'

/** The dApp under test: it asks for Base Sepolia, and shows how that went. */
const DAPP = `<!doctype html><title>dApp</title>
<button>Add network</button> <p role="status">Not added</p>
<script>
  const status = document.querySelector('[role=status]')
  const network = {
    chainId: '0x14a34',
    chainName: 'Base Sepolia',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: ['https://sepolia.base.org'],
  }
  document.querySelector('button').onclick = async () => {
    status.textContent = 'Waiting for your wallet …'
    try {
      await ethereum.request({ method: 'wallet_addEthereumChain', params: [network] })
      status.textContent = 'Added'
    } catch (error) {
      status.textContent = error.code === 4001 ? 'You rejected the network' : error.message
    }
  }
</script>`

// No request leaves this machine: the wallet does not ask the public RPC URL for its chain id.
const devnet = createDevnet({ port: 0, wallet: { policy: 'hold', probe: false } })
const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(DAPP)
})
let browser: Browser

before(async () => {
  await devnet.start()
  await once(site.listen(0, '127.0.0.1'), 'listening')
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
})

after(async () => {
  site.close()
  await devnet.stop()
  // Last, because `browser` is undefined if it could not be launched.
  await browser.close()
})

test('the user rejects the network', async () => {
  const context = await browser.newContext()
  // The wallet is in every page of this context before the page's own scripts run.
  await context.addInitScript({ content: await devnet.wallet.providerScript() })
  const page = await context.newPage()
  const address = site.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  await page.goto(origin)
  await page.getByRole('button', { name: 'Add network' }).click()

  // The request waits for a decision, so the dApp's waiting state can be checked at leisure.
  const request = await devnet.wallet.waitFor({ method: 'wallet_addEthereumChain' })
  assert.equal(request.origin, origin)
  assert.equal(await page.getByRole('status').innerText(), 'Waiting for your wallet …')

  await devnet.wallet.reject(request.id)
  await page.getByText('You rejected the network').waitFor()

  // What the wallet was asked, and what it answered.
  const [entry] = await devnet.wallet.history({ method: 'wallet_addEthereumChain' })
  assert.equal(entry?.decision, 'rejected')
  const { chains } = await devnet.wallet.state()
  assert.ok(!chains.some(({ chainId }) => chainId === '0x14a34'))
})
