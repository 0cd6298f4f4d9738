import { test as base, expect } from '@playwright/test'
import { connectWallet, type WalletControl } from 'hardhat-pending-node/wallet'

const { APP_URL = '', VITE_CHAIN_URL = '', WALLET_URL } = process.env
const SHOP = '0x5409ED021D9299bf6814279A6A1411A7e866A631'

/** Sends a request to the chain of the dApp. */
async function chain(method: string, ...params: string[]) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await (await fetch(VITE_CHAIN_URL, { method: 'POST', headers, body })).json()
  expect(answer).not.toHaveProperty('error')
  return answer.result
}

const test = base.extend<{ wallet: WalletControl }>({
  // Each test has a wallet of its own, which asks before it does anything, and a chain without blocks.
  wallet: async ({ page }, use, { testId }) => {
    await chain('hardhat_reset')
    const wallet = connectWallet({ url: `${WALLET_URL}/s/${testId}` })
    await page.addInitScript(await wallet.providerScript())
    await page.goto(APP_URL)
    await use(wallet)
  },
})

// Each button, and what the wallet is asked for then.
const STEPS = [
  ['Connect', 'wallet_requestPermissions'],
  ['Add network', 'wallet_addEthereumChain'],
  ['Pay 1 ETH', 'eth_sendTransaction'],
] as const

test('a payment is seen before its block is sealed', async ({ page, wallet }) => {
  for (const [name, method] of STEPS) {
    await page.getByRole('button', { name }).click()
    await wallet.approve((await wallet.waitFor({ method })).id)
  }
  // Sealing is frozen, so nothing depends on how fast the test is.
  const status = page.getByRole('status')
  await expect(status).toHaveText('Pre-confirmed in block 1')
  expect(await chain('eth_getBalance', SHOP, 'pending')).toBe('0xde0b6b3a7640000')
  expect(await chain('eth_getBalance', SHOP, 'latest')).toBe('0x0')

  await chain('preconf_seal')
  await expect(status).toHaveText('Sealed in block 1')
  expect(await chain('eth_getBalance', SHOP, 'latest')).toBe('0xde0b6b3a7640000')
})

test('the user rejects each request at first', async ({ page, wallet }) => {
  const status = page.getByRole('status')
  for (const [name, method] of STEPS) {
    const button = page.getByRole('button', { name })
    await button.click()
    const { id } = await wallet.waitFor({ method })
    await expect(status).toHaveText('Waiting for your wallet …')
    await wallet.reject(id)
    await expect(status).toHaveText('User rejected the request.')
    expect(await chain('eth_getBalance', SHOP, 'pending')).toBe('0x0')
    await button.click()
    await wallet.approve((await wallet.waitFor({ method })).id)
  }
  await expect(status).toHaveText('Pre-confirmed in block 1')
})
